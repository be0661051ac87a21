//! Two contexts of one job in one process: every size, both orders of send and receive.

use super::buffer::{Buffer, Noncontiguous};
use super::envelope::Pattern;
use super::send::Address;
use crate::context::Context;
use crate::protocol::completion::Completion;
use crate::tagged::state::request::RequestId;
use pamir_driver::job::{Job, JobSpecification};
use proptest::prelude::*;

/// Where messages go: from context 0 to 1.
const TO: Address = Address {
    task: 1,
    context: 3,
    tag: 9,
};

/// Contexts whose tasks have a processor each, or share one.
fn contexts_on(processing_units: Vec<Option<u32>>) -> Vec<Context> {
    let tasks = processing_units.len();
    let job = Job::create(&JobSpecification {
        ranks: tasks,
        processing_units,
    })
    .unwrap();
    let attach = |task| Job::attach(job.file_descriptor().try_clone_to_owned().unwrap(), task);
    let contexts: Vec<_> = (0..tasks)
        .map(|task| Context::new(attach(task).unwrap(), task).unwrap())
        .collect();
    for context in &contexts {
        // The tests ask for trials, whatever processor they run on.
        context.tagged.trusts_processor.set(false);
    }
    contexts
}

pub(super) fn contexts(tasks: usize) -> Vec<Context> {
    contexts_on((0..tasks as u32).map(Some).collect())
}

/// Every second byte of a vector: the simplest memory with gaps.
struct Gapped(*mut u8, usize);

impl Noncontiguous for Gapped {
    fn bytes(&self) -> usize {
        self.1
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        for index in 0..bytes {
            // SAFETY: the vector behind has twice as many bytes.
            unsafe { target.add(index).write(self.0.add(2 * (at + index)).read()) };
        }
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        for index in 0..bytes {
            // SAFETY: as above.
            unsafe { self.0.add(2 * (at + index)).write(source.add(index).read()) };
        }
    }
}

fn buffer(bytes: &mut [u8], gapped: bool) -> Buffer {
    if gapped {
        Buffer::Noncontiguous(Box::new(Gapped(bytes.as_mut_ptr(), bytes.len() / 2)))
    } else {
        Buffer::Contiguous {
            address: bytes.as_mut_ptr(),
            bytes: bytes.len(),
        }
    }
}

fn run(contexts: &[Context], ids: &[(usize, RequestId)]) {
    let done = |(task, id): &(usize, RequestId)| {
        contexts[*task].requests().get(*id).unwrap().is_complete()
    };
    for _ in 0..1_000_000 {
        if ids.iter().all(done) {
            return;
        }
        contexts.iter().for_each(|context| {
            context.advance().unwrap();
        });
    }
    panic!("requests do not complete");
}

/// Who waits for one message leaves the next one where it is, until a receive asks for it: else it would be
/// copied twice.
#[test]
fn a_message_behind_the_one_that_is_waited_for_stays_in_its_lane() {
    let contexts = contexts(2);
    for bytes in [8, 3000] {
        let mut source = vec![7_u8; bytes];
        let mut received = vec![0_u8; bytes];
        for _ in 0..2 {
            // SAFETY: the bytes are copied into the lane.
            let sent = unsafe { contexts[0].send(TO, source.as_ptr(), bytes) };
            assert!(sent.unwrap().is_none());
            source.fill(8);
        }
        for expected in [7, 8] {
            let pattern = Pattern::new(3, Some(0), Some(9));
            // SAFETY: the vector lives until the receive is complete.
            let request = unsafe { contexts[1].receive(pattern, buffer(&mut received, false)) };
            let request = request.unwrap();
            assert!(!request.is_complete());
            run(&contexts, &[(1, request.id())]);
            assert_eq!(contexts[1].tagged.unexpected.waiting(), 0);
            assert!(received.iter().all(|byte| *byte == expected));
            contexts[1].requests().free(request.id(), request);
        }
    }
}

/// The same for who waits for an answer to what it has sent.
#[test]
fn a_message_behind_an_answer_stays_in_its_lane() {
    let contexts = contexts(2);
    let (mut sent, mut received) = ([1_u8; 8], [0_u8; 8]);
    let pattern = Pattern::new(3, None, Some(9));
    // SAFETY: the arrays live until all is complete.
    let (receive, send) = unsafe {
        let receive = contexts[1].receive(pattern, buffer(&mut received, false));
        let whole = buffer(&mut sent, false);
        let send = contexts[0].start_send(TO, whole, Completion::Matched);
        (receive.unwrap().id(), send.unwrap())
    };
    contexts[1].advance().unwrap();
    let back = Address { task: 0, ..TO };
    // SAFETY: the bytes are copied into the lane.
    assert!(unsafe { contexts[1].send_packet(back, [2_u8; 8].as_ptr(), 8) }.unwrap());
    run(&contexts, &[(1, receive), (0, send)]);
    assert_eq!(
        (contexts[0].tagged.unexpected.waiting(), received),
        (0, [1; 8])
    );
    contexts[0].advance().unwrap();
    assert_eq!(contexts[0].tagged.unexpected.waiting(), 1);
}

/// Sends `bytes` bytes from context 0 to 1 and checks what comes.
fn exchange(
    contexts: &[Context],
    bytes: usize,
    room: usize,
    gaps: (bool, bool),
    receive_first: bool,
    completion: Completion,
) {
    let width = |gapped| if gapped { 2 } else { 1 };
    let mut source: Vec<u8> = (0..bytes * width(gaps.0))
        .map(|at| (at / width(gaps.0) * 7) as u8)
        .collect();
    let mut target = vec![0xEE_u8; room * width(gaps.1)];
    let pattern = Pattern::new(3, Some(0), None);
    let mut ids = Vec::new();
    for receive in [receive_first, !receive_first] {
        // SAFETY: both vectors live until everything is complete.
        let id = unsafe {
            if receive {
                (
                    1,
                    contexts[1]
                        .receive(pattern, buffer(&mut target, gaps.1))
                        .unwrap()
                        .id(),
                )
            } else {
                (
                    0,
                    contexts[0]
                        .start_send(TO, buffer(&mut source, gaps.0), completion)
                        .unwrap(),
                )
            }
        };
        ids.push(id);
        contexts.iter().for_each(|context| {
            context.advance().unwrap();
        });
    }
    run(contexts, &ids);
    let received = ids.iter().find(|(task, _)| *task == 1).unwrap().1;
    let outcome = contexts[1].requests().get(received).unwrap().outcome.get();
    assert_eq!(
        (outcome.task, outcome.tag, outcome.bytes),
        (0, 9, bytes.min(room))
    );
    assert_eq!(outcome.truncated, bytes > room);
    for at in 0..room {
        let expected = if at < bytes { (at * 7) as u8 } else { 0xEE };
        assert_eq!(target[at * width(gaps.1)], expected, "byte {at} of {bytes}");
    }
    for (task, id) in ids {
        let requests = contexts[task].requests();
        requests.free(id, requests.get(id).unwrap());
    }
}

const SIZES: [usize; 27] = [
    0, 1, 8, 48, 49, 175, 176, 183, 184, 191, 192, 193, 1007, 1008, 1015, 1016, 1023, 1024, 4080,
    8184, 8192, 8193, 16_384, 32_768, 65_536, 65_537, 1_000_000,
];

#[test]
fn every_protocol_carries_every_size() {
    for (units, kernel_refuses) in [([0, 1], false), ([0, 0], false), ([0, 0], true)] {
        let contexts = contexts_on(units.map(Some).to_vec());
        contexts[1].kernel_refuses.set(kernel_refuses);
        for bytes in SIZES {
            for receive_first in [false, true] {
                for gaps in [(false, false), (true, false), (false, true), (true, true)] {
                    for completion in [Completion::Local, Completion::Matched] {
                        exchange(&contexts, bytes, bytes, gaps, receive_first, completion);
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_too_long_is_cut_and_said() {
    let contexts = contexts(2);
    for bytes in SIZES.into_iter().filter(|bytes| *bytes > 0) {
        for room in [0, bytes / 2, bytes - 1] {
            for receive_first in [false, true] {
                exchange(
                    &contexts,
                    bytes,
                    room,
                    (false, false),
                    receive_first,
                    Completion::Local,
                );
                exchange(
                    &contexts,
                    bytes,
                    room,
                    (true, true),
                    receive_first,
                    Completion::Matched,
                );
            }
        }
    }
}

/// Memory with gaps that is to travel in packets of 1 KiB.
struct Far(Gapped);

impl Noncontiguous for Far {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn packet_exponent(&self) -> Option<u8> {
        (self.bytes() > 1024).then_some(10)
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        assert!(bytes <= 1024);
        // SAFETY: as the caller vouches.
        unsafe { self.0.pack(at, target, bytes) };
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        assert!(bytes <= 1024);
        // SAFETY: as the caller vouches.
        unsafe { self.0.unpack(at, source, bytes) };
    }
}

#[test]
fn packets_are_as_short_as_the_memory_asks() {
    let contexts = contexts(2);
    let pattern = Pattern::new(3, Some(0), None);
    let far = |memory: &mut [u8]| {
        let gapped = Gapped(memory.as_mut_ptr(), memory.len() / 2);
        Buffer::Noncontiguous(Box::new(Far(gapped)))
    };
    for bytes in SIZES.into_iter().filter(|bytes| *bytes > 0) {
        let mut source: Vec<u8> = (0..2 * bytes).map(|at| (at / 2 * 7) as u8).collect();
        let mut target = vec![0xEE_u8; 2 * bytes];
        // SAFETY: both vectors live until both requests are complete.
        let ids = unsafe {
            let receive = contexts[1].receive(pattern, far(&mut target)).unwrap();
            let completion = Completion::Local;
            let send = contexts[0].start_send(TO, far(&mut source), completion);
            [(1, receive.id()), (0, send.unwrap())]
        };
        run(&contexts, &ids);
        let sent = source.iter().step_by(2);
        assert!(sent.eq(target.iter().step_by(2)), "{bytes} bytes");
        for (task, id) in ids {
            let requests = contexts[task].requests();
            requests.free(id, requests.get(id).unwrap());
        }
    }
}

#[test]
fn a_cancelled_receive_takes_no_message() {
    let contexts = contexts(2);
    let mut target = [0_u8; 8];
    let pattern = Pattern::new(3, None, None);
    // SAFETY: the array outlives the request.
    let id = unsafe {
        contexts[1]
            .receive(pattern, buffer(&mut target, false))
            .unwrap()
            .id()
    };
    assert!(contexts[1].cancel(id) && !contexts[1].cancel(id));
    assert!(
        contexts[1]
            .requests()
            .get(id)
            .unwrap()
            .outcome
            .get()
            .cancelled
    );
    let to = Address {
        task: 1,
        context: 3,
        tag: 1,
    };
    // SAFETY: the literal lives for ever.
    let sent = unsafe { contexts[0].send(to, b"message!".as_ptr(), 8) };
    assert!(sent.unwrap().is_none());
    contexts[1].advance().unwrap();
    assert_eq!(contexts[1].probe(&pattern).unwrap().bytes, 8);
    let message = contexts[1].probe_matched(&pattern).unwrap();
    assert!(contexts[1].probe(&pattern).is_none());
    // SAFETY: the array outlives the request.
    let id = unsafe {
        contexts[1]
            .receive_matched(message, buffer(&mut target, false))
            .unwrap()
    };
    run(&contexts, &[(1, id)]);
    assert_eq!(&target, b"message!");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Messages of one envelope arrive in the order in which they were sent, whatever their
    /// protocols, and a task may send to itself.
    #[test]
    fn messages_do_not_overtake(
        sizes in prop::collection::vec((0_usize..40_000, any::<bool>(), 0_usize..2), 1..60),
    ) {
        let contexts = contexts(2);
        let sources: Vec<Vec<u8>> =
            sizes.iter().enumerate().map(|(number, (bytes, ..))| vec![number as u8; *bytes]).collect();
        let mut ids = Vec::new();
        for (source, (_, matched, from)) in sources.iter().zip(&sizes) {
            let to = Address { task: 1, context: 0, tag: *from as i32 };
            let memory = Buffer::Contiguous { address: source.as_ptr().cast_mut(), bytes: source.len() };
            let completion = if *matched { Completion::Matched } else { Completion::Local };
            // SAFETY: the sources live until everything is complete.
            ids.push((*from, unsafe { contexts[*from].start_send(to, memory, completion).unwrap() }));
        }
        let mut targets: Vec<Vec<u8>> = sizes.iter().map(|(bytes, ..)| vec![0xEE; *bytes]).collect();
        for (target, (_, _, from)) in targets.iter_mut().zip(&sizes) {
            let pattern = Pattern::new(0, Some(*from as u32), Some(*from as i32));
            // SAFETY: the targets live until everything is complete.
            ids.push((1, unsafe { contexts[1].receive(pattern, buffer(target, false)).unwrap().id() }));
        }
        run(&contexts, &ids);
        prop_assert_eq!(targets, sources);
    }
}

#[test]
fn a_request_knows_whom_it_awaits() {
    let contexts = contexts_on(vec![Some(0); 3]);
    let mut bytes = [0_u8; 100];
    let mut receive = |source| {
        let pattern = Pattern::new(1, source, Some(7));
        // SAFETY: nothing is sent, and the bytes outlive the receives, which are cancelled.
        let request = unsafe { contexts[0].receive(pattern, buffer(&mut bytes, false)) };
        let request = request.unwrap();
        let awaits = request.awaits();
        assert!(contexts[0].cancel(request.id()));
        awaits
    };
    assert_eq!(receive(Some(2)), Some(2));
    assert_eq!(receive(None), None);
    let to = Address {
        task: 1,
        context: 1,
        tag: 7,
    };
    let large = vec![1_u8; 1 << 20];
    // SAFETY: the vector outlives the contexts' last advance.
    let id = unsafe { contexts[0].send(to, large.as_ptr(), large.len()) };
    let id = id.unwrap().expect("a large message needs a request");
    assert_eq!(contexts[0].requests().get(id).unwrap().awaits(), Some(1));
}
