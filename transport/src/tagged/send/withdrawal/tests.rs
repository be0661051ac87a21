//! Sends that are withdrawn at any moment: contexts of one job in one process, advanced one by one.

use proptest::prelude::*;

use crate::context::Context;
use crate::protocol::completion::Completion;
use crate::tagged::buffer::{Buffer, Noncontiguous};
use crate::tagged::envelope::Pattern;
use crate::tagged::send::Address;
use crate::tagged::state::request::RequestId;
use crate::tagged::tests::contexts;

/// Lengths of each way: a line, a packet, several packets, data that one end copies, and that both do.
const LENGTHS: [usize; 6] = [0, 40, 10_000, 60_000, 300_000, 1_700_000];

/// Every second byte of some memory.
struct Spread(*mut u8, usize);

impl Noncontiguous for Spread {
    fn bytes(&self) -> usize {
        self.1
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        for number in 0..bytes {
            // SAFETY: the test's memory has two bytes for each of the message's; the caller gives room.
            unsafe { *target.add(number) = *self.0.add(2 * (at + number)) };
        }
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        for number in 0..bytes {
            // SAFETY: as above.
            unsafe { *self.0.add(2 * (at + number)) = *source.add(number) };
        }
    }
}

fn byte(seed: usize, at: usize) -> u8 {
    (((at + 7 * seed) * 31) >> 3) as u8
}

/// A message in memory of its own, in one piece or spread.
struct Message {
    memory: Vec<u8>,
    bytes: usize,
    spread: bool,
}

impl Message {
    fn new(bytes: usize, spread: bool) -> Self {
        let memory = vec![0; 2 * bytes];
        Self {
            memory,
            bytes,
            spread,
        }
    }

    fn buffer(&mut self) -> Buffer {
        let (address, bytes) = (self.memory.as_mut_ptr(), self.bytes);
        if self.spread {
            return Buffer::Noncontiguous(Box::new(Spread(address, bytes)));
        }
        Buffer::Contiguous { address, bytes }
    }

    fn place(&self, at: usize) -> usize {
        if self.spread { 2 * at } else { at }
    }

    fn fill(&mut self, seed: usize) {
        for at in 0..self.bytes {
            let place = self.place(at);
            self.memory[place] = byte(seed, at);
        }
    }

    fn is_filled(&self, seed: usize) -> bool {
        (0..self.bytes).all(|at| self.memory[self.place(at)] == byte(seed, at))
    }
}

fn start(context: &Context, message: &mut Message, tag: i32, completion: Completion) -> RequestId {
    let to = Address {
        task: 1,
        context: 0,
        tag,
    };
    // SAFETY: the tests keep messages, and change them only once they are complete or withdrawn.
    unsafe { context.start_send(to, message.buffer(), completion) }.unwrap()
}

fn receive(context: &Context, message: &mut Message, source: u32, tag: i32) -> RequestId {
    let pattern = Pattern::new(0, Some(source), Some(tag));
    // SAFETY: as above.
    let request = unsafe { context.receive(pattern, message.buffer()) };
    request.unwrap().id()
}

fn is_complete(context: &Context, id: RequestId) -> bool {
    context.requests().get(id).unwrap().is_complete()
}

fn settle(contexts: &[Context]) {
    for _ in 0..2000 {
        for context in contexts {
            context.advance().unwrap();
        }
    }
}

#[test]
fn an_offer_that_is_withdrawn_before_it_is_seen_comes_as_a_copy() {
    for (bytes, completion) in [(40, Completion::Matched), (1_700_000, Completion::Local)] {
        let contexts = contexts(2);
        let (mut sent, mut got) = (Message::new(bytes, false), Message::new(bytes, false));
        sent.fill(1);
        let id = start(&contexts[0], &mut sent, 5, completion);
        contexts[0].withdraw(id).unwrap();
        assert!(is_complete(&contexts[0], id));
        let request = contexts[0].requests().get(id).unwrap();
        assert!(!request.outcome.get().cancelled);
        contexts[0].requests().free(id, request);
        sent.memory.fill(0xA5);
        drop(sent);
        let receive = receive(&contexts[1], &mut got, 0, 5);
        settle(&contexts);
        assert!(is_complete(&contexts[1], receive) && got.is_filled(1));
        assert_eq!(contexts[0].requests().under_way(), 0);
        assert!(!contexts[1].has_withdrawn(0).unwrap());
    }
}

#[test]
fn an_own_message_that_nobody_has_matched_is_gone() {
    let contexts = contexts(2);
    for completion in [Completion::Matched, Completion::Local] {
        for bytes in [40, 1_700_000] {
            let mut sent = Message::new(bytes, false);
            let id = start(&contexts[1], &mut sent, 5, completion);
            if is_complete(&contexts[1], id) {
                continue; // Short enough for the lane: it is delivered.
            }
            contexts[1].withdraw(id).unwrap();
            let request = contexts[1].requests().get(id).unwrap();
            assert!(request.is_complete() && request.outcome.get().cancelled);
            contexts[1].requests().free(id, request);
            settle(&contexts);
            assert_eq!(contexts[1].requests().under_way(), 0);
        }
    }
    assert!(
        contexts[1]
            .probe(&Pattern::new(0, Some(1), None))
            .is_none_or(|found| found.bytes == 40)
    );
}

#[test]
fn a_receive_is_not_withdrawn_as_a_send() {
    let contexts = contexts(2);
    let (mut sent, mut got) = (Message::new(300_000, false), Message::new(300_000, false));
    sent.fill(3);
    let receive = receive(&contexts[1], &mut got, 0, 5);
    start(&contexts[0], &mut sent, 5, Completion::Local);
    contexts[1].withdraw(receive).unwrap();
    settle(&contexts);
    assert!(is_complete(&contexts[1], receive) && got.is_filled(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whenever a send is withdrawn, and whoever goes on when: each message comes once, with the bytes it had.
    #[test]
    fn whenever_sends_are_withdrawn_each_message_comes_once(
        messages in prop::collection::vec(
            (0_usize..LENGTHS.len(), any::<[bool; 3]>(), 0_usize..40, 0_usize..40), 1..10,
        ),
        turns in prop::collection::vec(0_usize..3, 40),
        crowd in any::<bool>(),
    ) {
        let contexts = contexts(2);
        let (origin, target) = (&contexts[0], &contexts[1]);
        // Lanes that are full: what comes behind waits in the injection FIFO.
        let mut before: Vec<_> = (0..if crowd { 200 } else { 0 }).map(|_| Message::new(15_000, false)).collect();
        for message in &mut before {
            start(origin, message, 1000, Completion::Local);
        }
        let mut sent: Vec<_> = messages.iter().enumerate().map(|(number, (length, [spread, ..], ..))| {
            let mut message = Message::new(LENGTHS[*length], *spread);
            message.fill(number);
            message
        }).collect();
        let mut got: Vec<_> = messages.iter()
            .map(|(length, [_, spread, _], ..)| Message::new(LENGTHS[*length], *spread)).collect();
        let mut ids = Vec::new();
        for (number, (.., [_, _, matched], _, _)) in messages.iter().enumerate() {
            let completion = if *matched { Completion::Matched } else { Completion::Local };
            ids.push(start(origin, &mut sent[number], number as i32, completion));
        }
        let mut receives = vec![None; messages.len()];
        for (moment, who) in turns.iter().enumerate() {
            if let Some(context) = contexts.get(*who) {
                context.advance().unwrap();
            }
            for (number, (.., withdrawn, received)) in messages.iter().enumerate() {
                if *received == moment {
                    receives[number] = Some(receive(target, &mut got[number], 0, number as i32));
                }
                if *withdrawn == moment {
                    origin.withdraw(ids[number]).unwrap();
                    prop_assert!(is_complete(origin, ids[number]));
                    sent[number].memory.fill(0xA5);
                }
            }
        }
        let mut rest: Vec<_> = before.iter().map(|_| Message::new(15_000, false)).collect();
        for message in &mut rest {
            receive(target, message, 0, 1000);
        }
        settle(&contexts);
        for (number, message) in got.iter().enumerate() {
            prop_assert!(is_complete(target, receives[number].unwrap()), "message {number}");
            prop_assert!(message.is_filled(number), "message {number} of {} bytes", message.bytes);
            prop_assert!(is_complete(origin, ids[number]));
        }
        prop_assert_eq!(target.tagged.unexpected.waiting(), 0);
        prop_assert!(!target.has_withdrawn(0).unwrap());
    }
}
