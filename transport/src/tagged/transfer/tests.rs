//! The copiers, by the attending ends: contexts of one job in one process, advanced one by one.

use std::ptr::NonNull;

use proptest::prelude::*;

use super::under_way::{AT_ONCE_BYTES, LONGEST_PIECE_BYTES};
use crate::context::Context;
use pamir_driver::job::layout::TRANSFER_SLOTS;
use pamir_driver::unit::UnitError;

use crate::protocol::completion::Completion;
use crate::protocol::kind;
use crate::protocol::pace::{CLASSES, Pace, Way};
use crate::protocol::table::{EAGER_BYTES, SendProtocol};
use crate::tagged::buffer::Buffer;
use crate::tagged::envelope::Pattern;
use crate::tagged::send::Address;
use crate::tagged::state::request::RequestId;
use crate::tagged::tests::contexts;

mod pages;

use pages::Pages;

/// Long enough for the protocol, and several chunks.
const BYTES: usize = 3 * LONGEST_PIECE_BYTES + 5000;

fn memory(address: *mut u8, bytes: usize) -> Buffer {
    Buffer::Contiguous { address, bytes }
}

fn send(context: &Context, tag: i32, source: *const u8, bytes: usize) -> RequestId {
    send_until(context, tag, (source, bytes), Completion::Local)
}

fn send_until(
    context: &Context,
    tag: i32,
    (source, bytes): (*const u8, usize),
    completion: Completion,
) -> RequestId {
    let to = Address {
        task: 1,
        context: 0,
        tag,
    };
    let buffer = memory(source.cast_mut(), bytes);
    let usual = if bytes <= EAGER_BYTES {
        SendProtocol::EagerMeasured
    } else {
        SendProtocol::RendezvousMeasured
    };
    assert_eq!(context.table.protocol_for(&buffer), usual);
    // SAFETY: the tests keep their memory until everything is complete.
    unsafe { context.start_send(to, buffer, completion) }.unwrap()
}

/// Has the origin write its only exclusive buffer, so that the ways of what follows are those without one.
fn use_exclusive_buffer_up(origin: &Context, target: &Context) {
    let to = Address {
        task: 1,
        context: 0,
        tag: 99,
    };
    let (source, mut received) = ([1_u8; 2000], [0_u8; 2000]);
    let got = receive(target, to.tag, received.as_mut_ptr(), received.len());
    // SAFETY: it is one packet, which has gone when this returns.
    let sent = unsafe { origin.send(to, source.as_ptr(), source.len()) };
    assert_eq!(sent.unwrap(), None);
    settle(&[target]);
    assert!(is_complete(target, got) && received == source);
}

fn receive(context: &Context, tag: i32, target: *mut u8, bytes: usize) -> RequestId {
    let pattern = Pattern::new(0, Some(0), Some(tag));
    // SAFETY: as in `send`.
    unsafe { context.receive(pattern, memory(target, bytes)) }
        .unwrap()
        .id()
}

fn is_complete(context: &Context, id: RequestId) -> bool {
    context.requests().get(id).unwrap().is_complete()
}

fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes)
        .map(|at| (((at + seed) * 31) >> 3) as u8)
        .collect()
}

/// Advances contexts in turn until nothing is under way in them.
fn settle(contexts: &[&Context]) {
    let mut quiet = 0;
    for _ in 0..100_000 {
        let moved = contexts.iter().map(|context| context.advance().unwrap());
        quiet = if moved.fold(false, |any, moved| any | moved) {
            0
        } else {
            quiet + 1
        };
        if quiet == 3 {
            return;
        }
    }
    panic!("it goes on for ever");
}

#[test]
fn a_target_that_waits_copies_everything_while_the_origin_computes() {
    let contexts = contexts(2);
    let (origin, target) = (&contexts[0], &contexts[1]);
    let source = pattern(BYTES, 1);
    let mut received = vec![0_u8; BYTES];
    let sent = send(origin, 5, source.as_ptr(), BYTES);
    let got = receive(target, 5, received.as_mut_ptr(), BYTES);
    settle(&[target]);
    assert!(is_complete(target, got) && !is_complete(origin, sent));
    assert!(received == source);
    settle(&[origin]);
    assert!(is_complete(origin, sent));
}

/// So many messages of `bytes` bytes from the first context to the second.
fn pass(contexts: &[Context], messages: usize, bytes: usize, completion: Completion) {
    let (origin, target) = (&contexts[0], &contexts[1]);
    for message in 0..messages {
        let source = pattern(bytes, message);
        let mut received = vec![0_u8; bytes];
        let got = receive(target, 5, received.as_mut_ptr(), bytes);
        let sent = send_until(origin, 5, (source.as_ptr(), bytes), completion);
        settle(&[target, origin]);
        assert!(is_complete(target, got) && is_complete(origin, sent));
        assert!(received == source, "message {message}");
    }
}

/// Data comes at once or is asked for, and the origin learns what is the fastest.
#[test]
fn messages_are_timed_by_each_way_of_their_pace() {
    for (completion, pace, bytes, messages, timed) in [
        (Completion::Awaited, Pace::Awaited, 20_000, 20, [true; 3]),
        (Completion::Awaited, Pace::Awaited, 40_000, 20, [true; 3]),
        (Completion::Local, Pace::Windowed, 40_000, 300, [true; 3]),
        (
            Completion::Local,
            Pace::LongWindowed,
            150_000,
            300,
            [true, true, false],
        ),
        (
            Completion::Awaited,
            Pace::LongAwaited,
            150_000,
            20,
            [true; 3],
        ),
        (
            Completion::Awaited,
            Pace::LongAwaited,
            BYTES,
            20,
            [true, true, false],
        ),
    ] {
        let contexts = contexts(2);
        pass(&contexts, messages, bytes, completion);
        let have_timed = contexts[1].tagged.timed_messages.have_timed(0, pace, bytes);
        assert_eq!(have_timed, timed, "{pace:?}");
    }
}

/// A message of several packets whose receive is the last one leaves what lies behind it in its lane.
#[test]
fn what_lies_behind_a_message_of_several_packets_waits() {
    let contexts = contexts(2);
    let (origin, target) = (&contexts[0], &contexts[1]);
    let source = pattern(EAGER_BYTES, 1);
    let mut received = vec![vec![0_u8; EAGER_BYTES]; 2];
    for (message, room) in received.iter_mut().enumerate() {
        let got = receive(target, 5, room.as_mut_ptr(), EAGER_BYTES);
        if message == 0 {
            for _ in 0..2 {
                let data = (source.as_ptr(), EAGER_BYTES);
                send_until(origin, 5, data, Completion::Awaited);
            }
        }
        // One poll for each packet at most.
        for _ in 0..2 {
            if !is_complete(target, got) {
                target.unit.poll(target).unwrap();
            }
        }
        assert!(is_complete(target, got) && *room == source);
        assert_eq!(target.tagged.unexpected.waiting(), 0);
    }
}

/// Who waits for each message before the next one sends them one at a time, whether it says so or not; one behind a
/// row of several is taken for another one's beginning.
#[test]
fn messages_that_are_waited_for_come_one_at_a_time() {
    let contexts = contexts(2);
    let origin = &contexts[0];
    let paces = [1, 1, 3, 1, 1].map(|row| {
        let begun = [(); 3].map(|()| {
            origin
                .requests()
                .start(memory(NonNull::dangling().as_ptr(), 0))
        });
        let paces = [0, 1, 2].map(|message: usize| {
            (message < row).then(|| {
                let pace = origin.is_in_row(1);
                origin.begin_unawaited(1, begun[message].0);
                pace
            })
        });
        for (id, request) in begun {
            origin.requests().free(id, request);
        }
        paces
    });
    let (lone, in_row) = (Some(false), Some(true));
    let one = [lone, None, None];
    let after_row = [in_row, None, None];
    assert_eq!(paces, [one, one, [lone, in_row, in_row], after_row, one]);
}

/// Windows of many messages to two targets at once: each is timed by itself, whatever ends first.
#[test]
fn windows_are_timed_for_each_target() {
    const WINDOW: usize = 64;
    let contexts = contexts(3);
    for bytes in [40_000, 150_000] {
        let source = pattern(bytes, 3);
        for _ in 0..6 {
            let mut received = vec![vec![0_u8; bytes]; 2 * WINDOW];
            for (at, target) in received.iter_mut().enumerate() {
                receive(&contexts[1 + at % 2], 5, target.as_mut_ptr(), bytes);
            }
            for at in 0..received.len() {
                let to = Address {
                    task: 1 + at % 2,
                    context: 0,
                    tag: 5,
                };
                // SAFETY: the source outlives the sends, which are settled below.
                unsafe { contexts[0].send(to, source.as_ptr(), bytes) }.unwrap();
            }
            settle(&[&contexts[1], &contexts[0], &contexts[2]]);
            assert!(received.iter().all(|got| *got == source));
        }
        for target in &contexts[1..] {
            let pace = if bytes <= EAGER_BYTES {
                Pace::Windowed
            } else {
                Pace::LongWindowed
            };
            let [first, second, _] = target.tagged.timed_messages.have_timed(0, pace, bytes);
            assert!(first && second, "{bytes}");
        }
    }
}

#[test]
fn an_origin_is_told_a_length_and_a_way_that_there_are() {
    let contexts = contexts(2);
    let (origin, target) = (&contexts[0], &contexts[1]);
    let class = |pace: Pace, bytes| pace.class(bytes) as u16;
    let long = class(Pace::Awaited, EAGER_BYTES);
    let (long_together, no_class) = (2 << 8 | long, 2 << 8 | CLASSES as u16);
    let none_of_two = 2 << 8 | class(Pace::LongWindowed, EAGER_BYTES);
    let no_way = 3 << 8 | long;
    let tell = |word| target.control(0, kind::PREFERENCE, word, 0, &[]).unwrap();
    tell(long_together);
    origin.advance().unwrap();
    let preferred = |bytes| {
        origin
            .tagged
            .timed_messages
            .preferred(1, Pace::Awaited, bytes)
    };
    assert_eq!(preferred(EAGER_BYTES), Way::Together);
    assert_eq!(preferred(EAGER_BYTES / 2), Way::AtOnce);
    for wrong in [no_class, no_way, none_of_two] {
        tell(wrong);
        assert!(matches!(
            origin.advance(),
            Err(UnitError::Packet { rank: 1, .. })
        ));
    }
}

#[test]
fn an_origin_that_waits_copies_everything_while_the_target_computes() {
    let contexts = contexts(2);
    let (origin, target) = (&contexts[0], &contexts[1]);
    let source = pattern(BYTES, 2);
    let mut received = vec![0_u8; BYTES];
    let sent = send(origin, 5, source.as_ptr(), BYTES);
    target.advance().unwrap();
    // The message is here: receiving it starts the transfer, without an advance of the target.
    let got = receive(target, 5, received.as_mut_ptr(), BYTES);
    settle(&[origin]);
    assert!(received == source);
    assert!(!is_complete(target, got) && !is_complete(origin, sent));
    target.advance().unwrap();
    assert!(is_complete(target, got));
    settle(&[origin]);
    assert!(is_complete(origin, sent));
}

#[test]
fn more_messages_than_words_are_shared_too() {
    let contexts = contexts(2);
    let (origin, target) = (&contexts[0], &contexts[1]);
    let count = 3 * TRANSFER_SLOTS;
    let bytes = 150_000;
    let sources: Vec<_> = (0..count).map(|seed| pattern(bytes, seed)).collect();
    let mut targets = vec![vec![0_u8; bytes]; count];
    let sent: Vec<_> = (0..)
        .zip(&sources)
        .map(|(tag, source)| send(origin, tag, source.as_ptr(), bytes))
        .collect();
    target.advance().unwrap();
    let got: Vec<_> = (0..)
        .zip(&mut targets)
        .map(|(tag, memory)| receive(target, tag, memory.as_mut_ptr(), bytes))
        .collect();
    // The origin copies those that it was asked for; the target gives their words to others.
    settle(&[origin]);
    let there = sources.iter().zip(&targets);
    assert_eq!(
        there.filter(|(one, other)| one == other).count(),
        TRANSFER_SLOTS
    );
    settle(&[target, origin]);
    assert!(got.iter().all(|id| is_complete(target, *id)));
    assert!(sent.iter().all(|id| is_complete(origin, *id)));
    assert!(sources == targets);
}

/// The memory at one end cannot be reached by the kernel when it is first tried: by the target,
/// or by the origin, whoever attends.
#[test]
fn what_the_kernel_does_not_reach_comes_in_packets() {
    for target_attends in [true, false] {
        let contexts = contexts(2);
        let (origin, target) = (&contexts[0], &contexts[1]);
        let (mut source, mut received) = (Pages::new(BYTES), Pages::new(BYTES));
        source.bytes().copy_from_slice(&pattern(BYTES, 3));
        let sent = send(origin, 5, source.0.as_ptr(), BYTES);
        let unreachable = if target_attends { &source } else { &received };
        unreachable.allow(libc::PROT_NONE);
        if target_attends {
            target.advance().unwrap();
        }
        let to = received.0.as_ptr();
        let got = if target_attends {
            receive(target, 5, to, BYTES)
        } else {
            target.advance().unwrap();
            receive(target, 5, to, BYTES)
        };
        settle(&[if target_attends { target } else { origin }]);
        unreachable.allow(libc::PROT_READ | libc::PROT_WRITE);
        assert!(!is_complete(origin, sent) && !is_complete(target, got));
        settle(&[origin, target]);
        assert!(is_complete(origin, sent) && is_complete(target, got));
        assert!(received.bytes() == source.bytes());
        // Bad memory says nothing of the next.
        assert!(!origin.kernel_refuses.get() && !target.kernel_refuses.get());
    }
}

/// Short messages that their target copies alone share a call of the kernel, unless it does not reach all of them:
/// then only that one comes in packets.
#[test]
fn short_messages_share_a_call() {
    const SHORT_BYTES: usize = 5 * 4096;
    for unreachable in [None, Some(2)] {
        let contexts = contexts(2);
        let (origin, target) = (&contexts[0], &contexts[1]);
        use_exclusive_buffer_up(origin, target);
        // The first one of a row may be the only one.
        for (pace, alone) in [(Pace::Awaited, 1), (Pace::Windowed, 0)] {
            let word = alone << 8 | pace.class(SHORT_BYTES) as u16;
            target.control(0, kind::PREFERENCE, word, 0, &[]).unwrap();
        }
        origin.advance().unwrap();
        let mut sources = [(); 5].map(|()| Pages::new(SHORT_BYTES));
        let mut received = [(); 5].map(|()| vec![0_u8; SHORT_BYTES]);
        let got = received
            .each_mut()
            .map(|buffer| receive(target, 5, buffer.as_mut_ptr(), SHORT_BYTES));
        for (seed, source) in sources.iter_mut().enumerate() {
            source.bytes().copy_from_slice(&pattern(SHORT_BYTES, seed));
        }
        let sent = sources
            .each_ref()
            .map(|source| send(origin, 5, source.0.as_ptr(), SHORT_BYTES));
        if let Some(one) = unreachable {
            sources[one].allow(libc::PROT_NONE);
        }
        target.unit.poll(target).unwrap();
        assert_eq!(target.tagged.transfers.under_way(), 5);
        assert_eq!(target.pull_several().unwrap(), unreachable.is_none());
        assert_eq!(
            target.tagged.transfers.under_way(),
            unreachable.map_or(1, |_: usize| 5)
        );
        settle(&[target]);
        for (at, id) in got.into_iter().enumerate() {
            assert_eq!(is_complete(target, id), Some(at) != unreachable);
        }
        for source in &sources {
            source.allow(libc::PROT_READ | libc::PROT_WRITE);
        }
        settle(&[origin, target]);
        assert!(sent.into_iter().all(|id| is_complete(origin, id)));
        assert!(std::iter::zip(&mut sources, &received).all(|(from, to)| from.bytes() == *to));
    }
}

/// A short message that its target copies alone is there as soon as the target knows of it, unless others are awaited
/// as well: those share calls.
#[test]
fn the_only_message_is_copied_at_once() {
    for received_bytes in [AT_ONCE_BYTES, AT_ONCE_BYTES - 5000] {
        let contexts = contexts(2);
        let (origin, target) = (&contexts[0], &contexts[1]);
        use_exclusive_buffer_up(origin, target);
        let word = 1 << 8 | Pace::Awaited.class(AT_ONCE_BYTES) as u16;
        target.control(0, kind::PREFERENCE, word, 0, &[]).unwrap();
        origin.advance().unwrap();
        let source = pattern(AT_ONCE_BYTES, 7);
        let mut received = [(); 2].map(|()| vec![0_u8; received_bytes]);
        let got = received
            .each_mut()
            .map(|buffer| receive(target, 5, buffer.as_mut_ptr(), received_bytes));
        for (message, id) in got.into_iter().enumerate() {
            send_until(
                origin,
                5,
                (source.as_ptr(), AT_ONCE_BYTES),
                Completion::Awaited,
            );
            target.unit.poll(target).unwrap();
            let is_last = message == 1;
            assert_eq!(is_complete(target, id), is_last);
            assert_eq!(target.tagged.transfers.under_way(), usize::from(!is_last));
            settle(&[target]);
            assert!(received[message][..] == source[..received_bytes]);
        }
        assert!(target.is_quiet());
    }
}

#[test]
fn who_must_not_use_the_kernel_does_not() {
    for (origin_refuses, target_refuses) in [(true, false), (false, true), (true, true)] {
        let contexts = contexts(2);
        let (origin, target) = (&contexts[0], &contexts[1]);
        origin.kernel_refuses.set(origin_refuses);
        target.kernel_refuses.set(target_refuses);
        let source = pattern(BYTES, 4);
        let mut received = vec![0_u8; BYTES];
        let sent = send(origin, 5, source.as_ptr(), BYTES);
        target.advance().unwrap();
        let got = receive(target, 5, received.as_mut_ptr(), BYTES);
        settle(&[origin]);
        assert!(received != source);
        settle(&[origin, target]);
        assert!(is_complete(origin, sent) && is_complete(target, got));
        assert!(received == source);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Messages both ways, advanced in any order, arrive whole, cut or with room to spare.
    #[test]
    fn whoever_attends_and_when_the_data_is_right(
        messages in prop::collection::vec((0_usize..2, 30_000_usize..900_000, 0_usize..3), 1..12),
        turns in prop::collection::vec((0_usize..2, any::<bool>()), 1..60),
    ) {
        let contexts = contexts(2);
        let sources: Vec<_> = messages.iter().enumerate()
            .map(|(seed, (_, bytes, _))| pattern(*bytes, seed)).collect();
        let mut targets: Vec<_> = messages.iter()
            .map(|(_, bytes, room)| vec![0xEE_u8; bytes * room / 2 + 1]).collect();
        let mut turns = turns.iter().cycle();
        let mut turn = || {
            let (who, advances) = turns.next().unwrap();
            if *advances {
                contexts[*who].advance().unwrap();
            }
        };
        let mut sent = Vec::new();
        for (tag, ((to, bytes, _), source)) in (0..).zip(messages.iter().zip(&sources)) {
            let address = Address { task: *to, context: 0, tag };
            let buffer = memory(source.as_ptr().cast_mut(), *bytes);
            // SAFETY: the sources live until everything is complete.
            let id = unsafe { contexts[1 - to].start_send(address, buffer, Completion::Local) };
            sent.push((1 - to, id.unwrap()));
            turn();
        }
        let mut got = Vec::new();
        for (tag, ((to, ..), target)) in (0..).zip(messages.iter().zip(&mut targets)) {
            let pattern = Pattern::new(0, Some(1 - *to as u32), Some(tag));
            let buffer = memory(target.as_mut_ptr(), target.len());
            // SAFETY: the targets live until everything is complete.
            got.push((*to, unsafe { contexts[*to].receive(pattern, buffer) }.unwrap().id()));
            turn();
        }
        (0..60).for_each(|_| turn());
        settle(&[&contexts[0], &contexts[1]]);
        for (who, id) in sent.iter().chain(&got) {
            prop_assert!(is_complete(&contexts[*who], *id));
        }
        for (source, target) in sources.iter().zip(&targets) {
            let there = source.len().min(target.len());
            prop_assert!(source[..there] == target[..there]);
            prop_assert!(target[there..].iter().all(|byte| *byte == 0xEE));
        }
        for context in &contexts {
            prop_assert_eq!(context.tagged.transfers.under_way(), 0);
            prop_assert!(context.tagged.transfers.slots.borrow().iter().all(|taken| *taken == 0));
        }
    }
}

/// What a task sends to itself is copied where it stands, cut where there is less room.
#[test]
fn a_task_sends_to_itself() {
    let contexts = contexts(2);
    let own = &contexts[1];
    for room in [BYTES, BYTES / 2] {
        let source = pattern(BYTES, room);
        let mut target = vec![0; room];
        let sent = send(own, 7, source.as_ptr(), BYTES);
        let wanted = Pattern::new(0, Some(1), Some(7));
        let buffer = memory(target.as_mut_ptr(), room);
        // SAFETY: the vector outlives the request.
        let received = unsafe { own.receive(wanted, buffer) }.unwrap().id();
        settle(&[own]);
        assert!(is_complete(own, sent) && is_complete(own, received));
        assert_eq!(target, source[..room]);
    }
}

/// Two tasks that wait for their sends before they receive: both data are taken early.
#[test]
fn tasks_that_send_to_each_other_first_go_on_whatever_way_is_preferred() {
    let contexts = contexts(2);
    for message in 0..60 {
        let sources = [0, 1].map(|task| pattern(EAGER_BYTES, message + task));
        let sent = [0, 1].map(|task: usize| {
            let to = Address {
                task: 1 - task,
                context: 1,
                tag: 5,
            };
            let source = sources[task].as_ptr();
            // SAFETY: the data outlives the send, which is settled below.
            let sent =
                unsafe { contexts[task].send_until(to, source, EAGER_BYTES, Completion::Awaited) };
            sent.unwrap()
        });
        settle(&[&contexts[0], &contexts[1]]);
        for (context, sent) in contexts.iter().zip(sent) {
            assert!(sent.is_none_or(|id| is_complete(context, id)), "{message}");
            assert!(!context.tagged.early_offers.any());
        }
        for (task, context) in contexts.iter().enumerate() {
            let mut received = vec![0_u8; EAGER_BYTES];
            let wanted = Pattern::new(1, None, Some(5));
            let buffer = Buffer::Contiguous {
                address: received.as_mut_ptr(),
                bytes: EAGER_BYTES,
            };
            // SAFETY: the vector outlives the receive, which is complete.
            let request = unsafe { context.receive(wanted, buffer) }.unwrap();
            settle(&[context]);
            assert!(request.is_complete() && received == sources[1 - task]);
        }
    }
    assert_eq!(
        contexts[1]
            .tagged
            .timed_messages
            .have_timed(0, Pace::Awaited, EAGER_BYTES),
        [false; 3]
    );
}
