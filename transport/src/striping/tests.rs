//! Striped messages between two contexts of one process, whose workers are threads.

use proptest::prelude::*;

use super::Offered;
use super::configuration::Configuration;
use super::part::Part;
use crate::context::Context;
use crate::gather_scatter::program::node::{Placed, repeat, sequence};
use crate::gather_scatter::stripes::{Submessage, equal, unequal};
use crate::gather_scatter::{Machine, Program, RandomAccess};
use crate::protocol::table::{SendProtocol, SendTable};
use crate::selection::{Row, Situation};
use crate::tagged::buffer::{Buffer, Copied};
use crate::tagged::envelope::Pattern;
use crate::tagged::send::Address;
use crate::tagged::state::request::RequestId;
use pamir_driver::job::{Job, JobSpecification};

/// Two contexts with so many workers each.
fn contexts(workers: [usize; 2]) -> Vec<Context> {
    let specification = JobSpecification {
        ranks: 2,
        processing_units: vec![Some(0), Some(1)],
    };
    let job = Job::create(&specification).unwrap();
    let attach = |task| {
        let descriptor = job.file_descriptor().try_clone_to_owned().unwrap();
        let context = Context::new(Job::attach(descriptor, task).unwrap(), task).unwrap();
        context.set_striping(Configuration {
            workers: workers[task],
            processing_units: vec![],
        });
        context
    };
    (0..2).map(attach).collect()
}

/// Memory at one end: blocks of some bytes with gaps of some, or none.
#[derive(Clone, Copy, Debug)]
struct Layout {
    block: usize,
    gap: usize,
}

impl Layout {
    const WHOLE: Self = Self { block: 1, gap: 0 };

    /// Where message byte `at` lies.
    fn place(self, at: usize) -> usize {
        at / self.block * (self.block + self.gap) + at % self.block
    }

    fn memory(self, bytes: usize) -> Vec<u8> {
        vec![0xEE; self.place(bytes.next_multiple_of(self.block)) + self.gap]
    }

    fn buffer(self, memory: &mut [u8], bytes: usize) -> Buffer {
        if self.gap == 0 {
            let address = memory.as_mut_ptr();
            return Buffer::Contiguous { address, bytes };
        }
        let whole = bytes / self.block;
        let stride = (self.block + self.gap) as i64;
        let mut parts = Vec::new();
        parts.extend(repeat(whole, stride, &Placed::block(0, self.block)));
        parts.push(Placed::block(whole as i64 * stride, bytes % self.block));
        let all = sequence(parts).unwrap();
        let program = Program::canonical(&all, 1).unwrap();
        // SAFETY: the memory lives until the message is complete, and nobody else touches it.
        let machine = unsafe { Machine::new(program, memory.as_mut_ptr()) };
        Buffer::Noncontiguous(Box::new(RandomAccess::new(machine)))
    }
}

fn byte(at: usize) -> u8 {
    (at * 7 + (at >> 8)) as u8
}

fn finish(contexts: &[Context], ids: [RequestId; 2]) {
    let done = |task: usize| {
        contexts[task]
            .requests()
            .get(ids[task])
            .unwrap()
            .is_complete()
    };
    while !(done(0) && done(1)) {
        contexts.iter().for_each(|context| {
            context.advance().unwrap();
        });
        std::thread::yield_now();
    }
}

/// Sends `bytes` bytes into `room` in stripes, and looks at every byte of the target's memory.
fn exchange(
    contexts: &[Context],
    (bytes, room): (usize, usize),
    [from, to]: [Layout; 2],
    offered: Offered,
    receive_first: bool,
) {
    let mut source = from.memory(bytes);
    for at in 0..bytes {
        source[from.place(at)] = byte(at);
    }
    let mut target = to.memory(room);
    let mut expected = target.clone();
    for at in 0..bytes.min(room) {
        expected[to.place(at)] = byte(at);
    }
    let buffers = (
        from.buffer(&mut source, bytes),
        to.buffer(&mut target, room),
    );
    let mut receiving = Some(buffers.1);
    let mut receive = || {
        let buffer = receiving.take().unwrap();
        let pattern = Pattern::new(3, Some(0), Some(9));
        // SAFETY: the memory lives until the message is complete.
        unsafe { contexts[1].receive(pattern, buffer).unwrap().id() }
    };
    let early = receive_first.then(&mut receive);
    let (sent, _) = contexts[0].requests().start(buffers.0);
    let address = Address {
        task: 1,
        context: 3,
        tag: 9,
    };
    // SAFETY: as above.
    unsafe { contexts[0].ask(sent, address, Some(offered)).unwrap() };
    while early.is_none() && contexts[1].probe(&Pattern::new(3, None, None)).is_none() {
        contexts[1].advance().unwrap();
    }
    let received = early.unwrap_or_else(receive);
    finish(contexts, [sent, received]);
    let request = contexts[1].requests().get(received).unwrap();
    let outcome = request.outcome.get();
    assert_eq!(outcome.bytes, bytes.min(room));
    assert_eq!(
        (outcome.message_bytes, outcome.truncated),
        (bytes, bytes > room)
    );
    contexts[1].requests().free(received, request);
    let request = contexts[0].requests().get(sent).unwrap();
    contexts[0].requests().free(sent, request);
    assert!(target == expected, "wrong bytes");
    assert_eq!(
        [0, 1].map(|task: usize| contexts[task].stripes_under_way()),
        [0, 0]
    );
}

/// What the origin would offer: it says how many workers it has.
fn offer(contexts: &[Context], series: u32, stripes: usize) -> Offered {
    Offered {
        series,
        workers: contexts[0].started_workers(),
        stripes,
    }
}

#[test]
fn every_number_of_stripes_and_workers_delivers_once() {
    for workers in [[0, 0], [1, 1], [3, 3]] {
        let contexts = contexts(workers);
        let scattered = Layout { block: 24, gap: 40 };
        for stripes in [2, 3, 4, 7, 64] {
            for (case, layouts) in [
                [Layout::WHOLE, Layout::WHOLE],
                [scattered, Layout::WHOLE],
                [Layout::WHOLE, scattered],
                [scattered, Layout { block: 5, gap: 3 }],
            ]
            .into_iter()
            .enumerate()
            {
                let series = (stripes * 8 + case) as u32;
                for (bytes, room) in [(300_000, 300_000), (64, 100), (200_000, 77_777)] {
                    let offered = offer(&contexts, series, stripes);
                    exchange(&contexts, (bytes, room), layouts, offered, case % 2 == 0);
                }
            }
        }
    }
}

#[test]
fn ends_that_disagree_about_workers_have_the_masters_move_all() {
    for workers in [[2, 0], [0, 2]] {
        let contexts = contexts(workers);
        let offered = offer(&contexts, 1, 4);
        assert_eq!(offered.workers, workers[0]);
        let layouts = [Layout::WHOLE, Layout { block: 8, gap: 8 }];
        exchange(&contexts, (500_000, 500_000), layouts, offered, true);
    }
}

#[test]
fn messages_in_both_directions_are_told_apart() {
    let contexts = contexts([1, 1]);
    let layout = Layout { block: 16, gap: 48 };
    let bytes = 400_000;
    let mut ids: Vec<(usize, RequestId)> = Vec::new();
    let mut memories: Vec<(usize, Vec<u8>)> = Vec::new();
    for (number, task) in [0, 1, 0, 1, 0, 1].into_iter().enumerate() {
        let (mut source, mut target) = (layout.memory(bytes), layout.memory(bytes));
        for at in 0..bytes {
            source[layout.place(at)] = byte(at + number);
        }
        let tag = number as i32;
        let pattern = Pattern::new(3, Some(task as u32), Some(tag));
        // SAFETY: all memory lives until everything is complete.
        unsafe {
            let buffer = layout.buffer(&mut target, bytes);
            let received = contexts[1 - task].receive(pattern, buffer).unwrap();
            ids.push((1 - task, received.id()));
            let (sent, _) = contexts[task]
                .requests()
                .start(layout.buffer(&mut source, bytes));
            let offered = Offered {
                series: number as u32,
                workers: contexts[task].started_workers(),
                stripes: 4,
            };
            let to = Address {
                task: 1 - task,
                context: 3,
                tag,
            };
            contexts[task].ask(sent, to, Some(offered)).unwrap();
            ids.push((task, sent));
        }
        memories.push((number, source));
        memories.push((number, target));
    }
    for pair in ids.chunks(2) {
        let mut both = [pair[0].1; 2];
        pair.iter().for_each(|(task, id)| both[*task] = *id);
        finish(&contexts, both);
    }
    for (number, memory) in memories {
        assert!((0..bytes).all(|at| memory[layout.place(at)] == byte(at + number)));
    }
}

#[test]
fn tables_and_workers_decide_about_stripes() {
    let of = |workers: usize, protocol, bytes| {
        let contexts = contexts([workers, workers]);
        let address = std::ptr::without_provenance_mut(4096);
        let buffer = Buffer::Contiguous { address, bytes };
        let offered = contexts[0].offer_stripes(protocol, 1, &buffer);
        offered.map(|offered| (offered.stripes, offered.workers))
    };
    let (asking, striped) = (SendProtocol::Rendezvous, SendProtocol::Striped);
    assert_eq!(of(0, asking, 64 << 20), None);
    assert_eq!(of(2, asking, 1 << 20), None);
    assert_eq!(of(1, asking, 64 << 20), Some((2, 1)));
    assert_eq!(of(3, asking, 64 << 20), Some((4, 3)));
    assert_eq!(of(0, striped, 64 << 20), Some((4, 0)));
    assert_eq!(of(1, striped, 1000), Some((2, 1)));
    assert_eq!(of(1, striped, 1), None);
    assert_eq!(of(3, SendProtocol::RendezvousPackets, 64 << 20), None);
}

#[test]
fn how_a_message_is_sent_is_told() {
    let mut contexts = contexts([2, 0]);
    let of = |context: &Context, contiguous, bytes| context.explain_send(contiguous, bytes);
    assert_eq!(of(&contexts[0], true, 100), "immediate, in one piece");
    assert_eq!(
        of(&contexts[0], true, 1 << 20),
        "rendezvous_measured, in one piece"
    );
    assert_eq!(
        of(&contexts[0], false, 1 << 20),
        "rendezvous, in 2 stripes, by 2 workers and the sender's thread"
    );
    assert_eq!(of(&contexts[1], false, 1 << 20), "rendezvous, in one piece");
    let rows = [Row::new(SendProtocol::Striped)].into_iter();
    contexts[1].table = SendTable::of(rows, 4080, Situation::new(2, true));
    assert_eq!(
        of(&contexts[1], false, 4 << 20),
        "striped, in 4 stripes, all by the sender's own thread"
    );
}

#[test]
fn what_only_its_owner_can_move_is_not_divided() {
    let contexts = contexts([1, 1]);
    let buffer = Buffer::Noncontiguous(Box::new(Copied(vec![0; 1 << 20])));
    assert_eq!(
        contexts[0].offer_stripes(SendProtocol::Striped, 1, &buffer),
        None
    );
}

#[test]
fn offers_come_back_and_nonsense_does_not() {
    let offered = Offered {
        series: u32::MAX,
        workers: 16,
        stripes: 64,
    };
    assert_eq!(Offered::from_word(offered.word()), Some(offered));
    for stripes in [0, 1, 65, 5000] {
        let word = Offered { stripes, ..offered }.word();
        assert_eq!(Offered::from_word(word), None);
    }
}

/// Moves each part of `source` to the same part of `target`, parts in a given order and each in
/// bursts.
fn move_parts(
    source: &Buffer,
    target: &Buffer,
    parts: &[Submessage],
    order: &[usize],
    burst: usize,
) {
    for &index in order {
        let part = parts[index];
        let mut from = Part::of(source, part).unwrap().into_buffer();
        let mut to = Part::of(target, part).unwrap().into_buffer();
        let room = to.bytes();
        for at in (0..room).step_by(burst) {
            let mut packet = vec![0; burst.min(room - at)];
            // SAFETY: the ranges lie in the parts; the memory behind them lives.
            unsafe {
                from.pack(at, packet.as_mut_ptr(), packet.len());
                to.unpack(at, packet.as_ptr(), packet.len());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Equal and unequal stripes, in any order of arrival, into less room or more.
    #[test]
    fn parts_in_any_order_are_the_message(
        bytes in 1usize..3000,
        room in 1usize..3000,
        from in (1usize..40, 0usize..40),
        to in (1usize..40, 0usize..40),
        count in 1usize..20,
        lengths in proptest::option::of(proptest::collection::vec(0usize..900, 0..6)),
        burst in 1usize..700,
        seed in any::<u64>(),
    ) {
        let [from, to] = [from, to].map(|(block, gap)| Layout { block, gap });
        let mut source = from.memory(bytes);
        (0..bytes).for_each(|at| source[from.place(at)] = byte(at));
        let mut target = to.memory(room);
        let mut expected = target.clone();
        (0..bytes.min(room)).for_each(|at| expected[to.place(at)] = byte(at));
        let parts = match &lengths {
            Some(lengths) => unequal(bytes, lengths),
            None => equal(bytes, count).collect(),
        };
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|index| (*index as u64 + 1).wrapping_mul(seed | 1) >> 7);
        let buffers = (from.buffer(&mut source, bytes), to.buffer(&mut target, room));
        move_parts(&buffers.0, &buffers.1, &parts, &order, burst);
        prop_assert_eq!(target, expected);
    }
}
