//! Lanes against their invariants: exhaustively with loom at 4 and 8 lines, and
//! with random lengths against a queue.

#[cfg(not(loom))]
use super::handover::UNEXPECTED_LINES;
use super::*;
use crate::lane::record::ONE_LINE_BYTES;

#[cfg(loom)]
use loom::{cell::UnsafeCell, sync::Arc};
#[cfg(not(loom))]
use std::{cell::UnsafeCell, sync::Arc};

/// A ring on the heap whose payload is one word a line, watched by loom.
struct HeapMemory {
    words: Vec<AtomicU64>,
    payload: Vec<UnsafeCell<u64>>,
    consumed: AtomicU64,
    /// Whether records are streamed.
    streams: std::sync::atomic::AtomicBool,
    /// From how many lines on they are apart.
    apart_from: std::sync::atomic::AtomicU64,
}

// SAFETY: the payload cells are only touched through `write` and `read` below, by
// the producer before its commit and by the consumer between peek and release;
// that this excludes races is what the loom model checks.
unsafe impl Sync for HeapMemory {}

impl HeapMemory {
    fn new(lines: usize) -> Arc<Self> {
        let words = (0..lines).map(|_| AtomicU64::new(0)).collect();
        let payload = (0..lines).map(|_| UnsafeCell::new(0)).collect();
        Arc::new(Self {
            words,
            payload,
            consumed: AtomicU64::new(0),
            streams: false.into(),
            apart_from: FEWEST_APART.into(),
        })
    }

    #[cfg(loom)]
    fn write(&self, line: u64, value: u64) {
        // SAFETY: loom checks the access.
        self.payload[line as usize].with_mut(|cell| unsafe { *cell = value });
    }

    #[cfg(loom)]
    fn read(&self, line: u64) -> u64 {
        // SAFETY: loom checks the access.
        self.payload[line as usize].with(|cell| unsafe { *cell })
    }

    #[cfg(not(loom))]
    fn write(&self, line: u64, value: u64) {
        // SAFETY: the tests below run both ends on one thread.
        unsafe { *self.payload[line as usize].get() = value };
    }

    #[cfg(not(loom))]
    fn read(&self, line: u64) -> u64 {
        // SAFETY: the tests below run both ends on one thread.
        unsafe { *self.payload[line as usize].get() }
    }
}

impl LaneMemory for Arc<HeapMemory> {
    fn lines(&self) -> u64 {
        self.words.len() as u64
    }

    fn word(&self, index: u64) -> &AtomicU64 {
        &self.words[index as usize & (self.words.len() - 1)]
    }

    fn consumed(&self) -> &AtomicU64 {
        &self.consumed
    }

    fn is_streamed(&self, _lines: u64) -> bool {
        self.streams.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn apart_from(&self) -> u64 {
        self.apart_from.load(std::sync::atomic::Ordering::Relaxed)
    }
}

/// Notes which lines were made ready, and which are expected to be written or read.
#[cfg(not(loom))]
struct RecordingMemory {
    memory: Arc<HeapMemory>,
    prepared: std::cell::RefCell<Vec<(u64, u64)>>,
    expected: std::cell::Cell<Option<(u64, u64)>>,
    looked_ahead: std::cell::RefCell<Vec<u64>>,
    handed_over: std::cell::Cell<Option<(u64, u64)>>,
}

#[cfg(not(loom))]
impl RecordingMemory {
    fn of(memory: &Arc<HeapMemory>) -> Self {
        Self {
            memory: Arc::clone(memory),
            prepared: std::cell::RefCell::default(),
            expected: std::cell::Cell::default(),
            looked_ahead: std::cell::RefCell::default(),
            handed_over: std::cell::Cell::default(),
        }
    }
}

#[cfg(not(loom))]
impl LaneMemory for RecordingMemory {
    fn lines(&self) -> u64 {
        self.memory.lines()
    }

    fn word(&self, index: u64) -> &AtomicU64 {
        self.memory.word(index)
    }

    fn consumed(&self) -> &AtomicU64 {
        self.memory.consumed()
    }

    fn is_streamed(&self, lines: u64) -> bool {
        self.memory.is_streamed(lines)
    }

    fn prepare(&self, first: u64, lines: u64) -> u64 {
        self.prepared.borrow_mut().push((first, lines));
        first + lines
    }

    fn hand_over(&self, first: u64, lines: u64) {
        self.handed_over.set(Some((first, lines)));
    }

    fn expect(&self, first: u64, lines: u64) {
        self.expected.set(Some((first, lines)));
    }

    fn look_ahead(&self, index: u64) {
        self.looked_ahead.borrow_mut().push(index);
    }
}

/// Neither the first line, which the target reads already, nor those of a record that is long.
#[cfg(not(loom))]
#[test]
fn lines_behind_the_first_are_handed_over_of_records_that_are_not_long() {
    let memory = HeapMemory::new(1024);
    let producer = Producer::new(RecordingMemory::of(&memory));
    let handed_over = |lines: u64| {
        let bytes = lines as usize * LINE_BYTES - HEADER_BYTES;
        let reserved = producer.try_reserve(bytes).unwrap().unwrap();
        let header = RecordHeader::new(1, 0, bytes as u32);
        producer.commit_to(reserved, header, HANDED_OVER_LINES, Expected::Another);
        producer.memory().handed_over.take()
    };
    assert_eq!(handed_over(2), Some((1, 1)));
    assert_eq!(handed_over(17), Some((3, 16)));
    assert_eq!(
        handed_over(HANDED_OVER_LINES),
        Some((20, HANDED_OVER_LINES - 1))
    );
    assert_eq!(handed_over(HANDED_OVER_LINES + 1), None);
}

/// A record has the lines behind it fetched that another one like it takes: those of them that
/// are free, up to the ring's end.
#[cfg(not(loom))]
#[test]
fn free_lines_are_expected_to_be_written() {
    const LINES: u64 = 128;
    let memory = HeapMemory::new(LINES as usize);
    let (producer, consumer) = (
        Producer::new(RecordingMemory::of(&memory)),
        Consumer::new(RecordingMemory::of(&memory)),
    );
    let commit = |payload_bytes: usize| {
        let reserved = producer.try_reserve(payload_bytes).unwrap().unwrap();
        producer.commit(reserved, RecordHeader::new(7, 0, payload_bytes as u32));
        producer.memory().expected.take()
    };
    let long = UNEXPECTED_LINES.end as usize * LINE_BYTES;
    let unexpected = long - LINE_BYTES - HEADER_BYTES;
    assert_eq!((commit(unexpected), commit(40)), (None, None));
    let produced = 16;
    // Its own second line is no longer free, and the first one behind it is looked at.
    assert_eq!(commit(long), Some((produced + 17 + 2, 15)));
    commit(1900);
    assert_eq!(commit(1900), Some((16 + 17 + 60 + 2, 28)));
    // Two lines are free besides those that it takes, and then there is the ring's end.
    assert_eq!(commit(1900), Some((16 + 17 + 90 + 2, 3)));
    assert!(producer.try_reserve(1900).unwrap().is_none());
    while let Some(arrived) = consumer.peek().unwrap() {
        consumer.release(arrived);
    }
    assert_eq!(commit(long), Some((17 + 2, 15)));
    assert_eq!(commit(100), Some((19 + 2, 0)));
    assert_eq!(commit(300), Some((24 + 2, 3)));
    let say = |lines| {
        let reserved = producer.try_reserve(300).unwrap().unwrap();
        let header = RecordHeader::new(7, 0, 300);
        producer.commit_to(reserved, header, 0, Expected::Lines(lines));
        producer.memory().expected.take()
    };
    assert_eq!(
        (say(0), say(20)),
        (None, Some((34 + 2, 18))),
        "as it is said"
    );
    memory.streams.store(true, Ordering::Relaxed);
    assert_eq!(commit(300), None, "what is streamed fetches no lines");
}

#[cfg(not(loom))]
#[test]
fn another_record_like_the_last_one_is_looked_ahead_for() {
    let memory = HeapMemory::new(64);
    let producer = Producer::new(RecordingMemory::of(&memory));
    let consumer = Consumer::new(RecordingMemory::of(&memory));
    let looked_for_after = |lines: u64| {
        let payload_bytes = lines as usize * LINE_BYTES - HEADER_BYTES;
        let reserved = producer.try_reserve(payload_bytes).unwrap().unwrap();
        producer.commit(reserved, RecordHeader::new(7, 0, payload_bytes as u32));
        let arrived = consumer.peek().unwrap().unwrap();
        assert!(consumer.memory.looked_ahead.take().is_empty());
        consumer.release(arrived);
        assert!(consumer.peek().unwrap().is_none());
        consumer.memory.looked_ahead.take()
    };
    assert_eq!(looked_for_after(1), []);
    assert_eq!(looked_for_after(2), [4]);
    assert_eq!(looked_for_after(3), [7, 8]);
    assert_eq!(looked_for_after(LOOKED_AHEAD_LINES + 1), []);
    assert_eq!(looked_for_after(2), [13]);
    assert_eq!(looked_for_after(1), []);
}

#[cfg(not(loom))]
#[test]
fn a_row_of_short_records_is_looked_along() {
    let memory = HeapMemory::new(64);
    let producer = Producer::new(RecordingMemory::of(&memory));
    let consumer = Consumer::new(RecordingMemory::of(&memory));
    for (lines, looked_for) in [(1, vec![6]), (2, vec![1 + 6]), (3, vec![])] {
        let payload_bytes = lines * LINE_BYTES - HEADER_BYTES;
        let reserved = producer.try_reserve(payload_bytes).unwrap().unwrap();
        producer.commit(reserved, RecordHeader::new(1, 0, payload_bytes as u32));
        let arrived = consumer.peek().unwrap().unwrap();
        consumer.look_along(&arrived);
        assert_eq!(consumer.memory.looked_ahead.take(), looked_for);
        consumer.release(arrived);
    }
}

/// Each end has the rest of a long ring made ready in parts, by the origin before it is written; no record
/// waits for that.
#[cfg(not(loom))]
#[test]
fn the_rest_of_a_long_ring_is_made_ready_in_parts() {
    let lines = 16 * UNPREPARED_LINES;
    let memory = HeapMemory::new(lines as usize);
    let producer = Producer::new(RecordingMemory::of(&memory));
    let consumer = Consumer::new(RecordingMemory::of(&memory));
    let mut written = 0;
    for payload_bytes in [8, 5000, 40, 60_000].into_iter().cycle() {
        let reserved = producer.try_reserve(payload_bytes).unwrap();
        let reserved = reserved.expect("all before it was read");
        written += lines_for(payload_bytes);
        let prepared: u64 = producer
            .memory()
            .prepared
            .borrow()
            .iter()
            .map(|(_, lines)| lines)
            .sum();
        assert!(written.min(lines) <= UNPREPARED_LINES + prepared);
        producer.commit(reserved, RecordHeader::new(7, 0, payload_bytes as u32));
        while let Some(arrived) = consumer.peek().unwrap() {
            consumer.release(arrived);
        }
        if written > 3 * lines {
            break;
        }
    }
    let rest = [(1, 4), (5, 4), (9, 4), (13, 3)];
    let rest = rest.map(|(first, lines)| (first * UNPREPARED_LINES, lines * UNPREPARED_LINES));
    assert_eq!(*producer.memory().prepared.borrow(), rest);
    assert_eq!(*consumer.memory().prepared.borrow(), rest);
}

/// Sends one record whose lines all carry `value`, by the short way where that has room; false when
/// there is none.
fn send(producer: &Producer<Arc<HeapMemory>>, payload_bytes: usize, value: u64) -> bool {
    let header = RecordHeader::new(7, value as u16, payload_bytes as u32);
    if lines_for(payload_bytes) == 1
        && let Some(reserved) = producer.reserve_line()
    {
        producer.memory().write(reserved.line, value);
        producer.commit_line(reserved, header);
        return true;
    }
    let Some(reserved) = producer.try_reserve(payload_bytes).unwrap() else {
        return false;
    };
    for line in reserved.line..reserved.line + lines_for(payload_bytes) {
        producer.memory().write(line, value);
        if line > reserved.line {
            // What a payload leaves in the word of a later line must not be taken for a header.
            producer
                .memory()
                .word(line)
                .store(u64::MAX, Ordering::Relaxed);
        }
    }
    producer.commit(reserved, header);
    true
}

/// Receives one record, checks that all its lines carry its number and that the short way finds it
/// if it is one line, and gives the number.
fn receive(consumer: &Consumer<Arc<HeapMemory>>) -> Option<(u64, usize)> {
    let arrived = consumer.peek().unwrap()?;
    if (8..=ONE_LINE_BYTES).contains(&arrived.header.payload_bytes()) {
        let watched = consumer.watch_line(7, 1);
        assert!(matches!(watched, Watched::Line(one) if one.line == arrived.line));
    }
    if let Watched::Other(header, false) = consumer.watch_line(0, 1) {
        let other = consumer.arrived(header);
        assert_eq!(other.map(|one| one.line), Some(arrived.line));
    }
    let value = u64::from(arrived.header.auxiliary());
    for line in arrived.line..arrived.line + arrived.header.lines() {
        assert_eq!(consumer.memory().read(line), value);
    }
    consumer.release(arrived);
    Some((value, arrived.header.payload_bytes()))
}

#[cfg(loom)]
fn model(lines: usize, payloads: &'static [usize]) {
    loom::model(move || {
        let memory = HeapMemory::new(lines);
        let producer_memory = memory.clone();
        let sender = loom::thread::spawn(move || {
            let producer = Producer::new(producer_memory);
            for (number, bytes) in payloads.iter().enumerate() {
                while !send(&producer, *bytes, number as u64 + 1) {
                    loom::thread::yield_now();
                }
            }
        });
        let consumer = Consumer::new(memory);
        for (number, bytes) in payloads.iter().enumerate() {
            let got = loop {
                match receive(&consumer) {
                    Some(got) => break got,
                    None => loom::thread::yield_now(),
                }
            };
            assert_eq!(got, (number as u64 + 1, *bytes));
        }
        assert_eq!(receive(&consumer), None);
        sender.join().unwrap();
    });
}

#[cfg(loom)]
#[test]
fn loom_one_line_records_in_four_lines() {
    model(4, &[8, 8, 8, 8]);
}

#[cfg(loom)]
#[test]
fn loom_long_records_wrap_in_eight_lines() {
    model(8, &[100, 8, 100, 100]);
}

#[cfg(not(loom))]
mod against_a_queue {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// Sends and receives in the order that `steps` say, lengths being taken modulo what fits.
    fn assert_in_order(ring: usize, steps: Vec<(bool, usize)>) -> Result<(), TestCaseError> {
        let memory = HeapMemory::new(ring);
        let streams = |is: bool| memory.streams.store(is, Ordering::Relaxed);
        let (producer, consumer) = (Producer::new(memory.clone()), Consumer::new(memory.clone()));
        let mut queue = VecDeque::new();
        for (number, (sends, bytes)) in steps.into_iter().enumerate() {
            let (bytes, value) = (
                bytes % (producer.longest_payload_bytes() + 1),
                number as u64,
            );
            streams(bytes % 5 < 2);
            if sends {
                let sent = send(&producer, bytes, value);
                prop_assert!(sent || !queue.is_empty(), "an empty lane must have room");
                if sent {
                    queue.push_back((value, bytes));
                }
            } else {
                prop_assert_eq!(receive(&consumer), queue.pop_front());
            }
        }
        while let Some(expected) = queue.pop_front() {
            prop_assert_eq!(receive(&consumer), Some(expected));
        }
        prop_assert_eq!(receive(&consumer), None);
        Ok(())
    }

    proptest! {
        #[test]
        fn random_lengths_arrive_in_order(
            shift in 2u32..8,
            steps in prop::collection::vec((any::<bool>(), 0usize..2000), 1..400),
        ) {
            assert_in_order(1 << shift, steps)?;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn random_lengths_arrive_in_order_where_records_are_apart(
            steps in prop::collection::vec((any::<bool>(), any::<usize>(), 0u32..20), 1..400),
        ) {
            // As many short lengths as long ones.
            let steps = steps.into_iter().map(|(sends, bytes, power)| (sends, bytes % (2 << power)));
            assert_in_order(LONG_RING_LINES as usize, steps.collect())?;
        }
    }

    #[test]
    fn long_records_of_long_rings_are_apart() {
        let line_behind_two = |ring: u64, lines: usize, streams: bool, apart_from: u64| {
            let memory = HeapMemory::new(ring as usize);
            memory.streams.store(streams, Ordering::Relaxed);
            memory.apart_from.store(apart_from, Ordering::Relaxed);
            let (producer, consumer) = (Producer::new(memory.clone()), Consumer::new(memory));
            for value in 1..3 {
                assert!(send(&producer, lines * LINE_BYTES - HEADER_BYTES, value));
                assert_eq!(receive(&consumer).map(|(got, _)| got), Some(value));
            }
            producer.try_reserve(8).unwrap().map(|next| next.line)
        };
        let long = LONG_RING_LINES;
        assert_eq!(line_behind_two(long, 2, false, 3), Some(2 * 2));
        assert_eq!(line_behind_two(long, 3, false, 3), Some(2 * (3 + 16)));
        assert_eq!(line_behind_two(long / 2, 3, false, 3), Some(2 * 3));
        assert_eq!(line_behind_two(long, 3, true, 3), Some(2 * 3));
        assert_eq!(line_behind_two(long, 9, false, 10), Some(2 * 9));
        assert_eq!(line_behind_two(long, 10, false, 10), Some(2 * (10 + 16)));
    }

    #[test]
    fn a_full_lane_says_so_and_recovers() {
        let memory = HeapMemory::new(16);
        let (producer, consumer) = (Producer::new(memory.clone()), Consumer::new(memory));
        let sent = (0..100)
            .take_while(|value| send(&producer, 8, *value))
            .count();
        assert_eq!(sent, 14);
        for value in 0..14 {
            assert_eq!(receive(&consumer), Some((value, 8)));
        }
        assert!(send(&producer, 200, 99));
        assert_eq!(receive(&consumer), Some((99, 200)));
    }

    #[test]
    fn what_a_peer_wrote_is_checked() {
        let memory = HeapMemory::new(16);
        let (producer, consumer) = (Producer::new(memory.clone()), Consumer::new(memory.clone()));
        memory.words[0].store(RecordHeader::new(1, 0, u32::MAX).word(), Ordering::Relaxed);
        assert!(matches!(
            consumer.peek(),
            Err(LaneError::Record { line: 0, .. })
        ));
        memory.words[0].store(RecordHeader::padding().word(), Ordering::Relaxed);
        assert!(matches!(consumer.peek(), Err(LaneError::Record { .. })));
        memory.consumed.store(77, Ordering::Relaxed);
        while let Ok(Some(reserved)) = producer.try_reserve(8) {
            producer.commit(reserved, RecordHeader::new(1, 0, 8));
        }
        assert!(matches!(
            producer.try_reserve(8),
            Err(LaneError::Cursor { consumed: 77, .. })
        ));
    }
}
