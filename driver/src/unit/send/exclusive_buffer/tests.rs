//! Two units of one job in one process that share exclusive buffers.

use std::cell::{Cell, RefCell};

use pamir_shm::exclusive_buffer::turns::EXCLUSIVE_BUFFERS;
use proptest::prelude::*;

use super::*;
use crate::injection::Configuration;
use crate::job::Job;
use crate::job::JobSpecification;
use crate::memory::kernel_copy::KernelCopyError;
use crate::unit::packet::PacketHandlerTable;

const FIRST: u8 = 1;
const FURTHER: u8 = 2;

/// Puts the messages that arrive together again.
struct End {
    unit: MessagingUnit<End>,
    /// Number and data of each; the last one may be under way.
    messages: RefCell<Vec<(u64, Vec<u8>)>>,
    /// Packets that came through an exclusive buffer are counted by who looks at the lane.
    sent: Cell<u64>,
}

impl Owner for End {
    fn unit(&self) -> &MessagingUnit<Self> {
        &self.unit
    }

    fn fill(&self, _cookie: u64, at: u64, room: LaneRoom<'_>, bytes: usize) {
        let data = &data(bytes + at as usize)[at as usize..];
        // SAFETY: the engine gives room for `bytes` bytes.
        unsafe { room.write(data.as_ptr(), bytes) };
    }

    fn injected(&self, _cookie: u64) {}

    fn refused(&self, _descriptor: &Descriptor, error: KernelCopyError) {
        panic!("nothing here is copied by the kernel: {error}");
    }
}

fn data(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| ((at * 7) >> 3) as u8).collect()
}

fn first(end: &End, _origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    // Whole messages of one packet are told from others by their auxiliary number.
    let words = if packet.auxiliary() == 0 { 8 } else { 16 };
    let data = packet.to_vec(packet.data_at(words));
    end.messages.borrow_mut().push((packet.word(0), data));
    Ok(())
}

fn further(end: &End, _origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    let mut messages = end.messages.borrow_mut();
    let message = messages.last_mut().expect("a message has begun");
    message.1.extend(packet.to_vec(packet.data_at(0)));
    Ok(())
}

fn pair() -> [End; 2] {
    let job = Job::create(&JobSpecification::unbound(2)).unwrap();
    [0, 1].map(|rank| {
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        let job = Job::attach(copy, rank).unwrap_or_else(|_| job.clone());
        let handlers = PacketHandlerTable::new(first);
        handlers.set(FURTHER, further);
        let injection = Configuration::new(8, 4, Default::default()).unwrap();
        End {
            unit: MessagingUnit::with_injection(job, rank, handlers, injection).unwrap(),
            messages: RefCell::default(),
            sent: Cell::new(0),
        }
    })
}

impl End {
    fn target(&self) -> usize {
        1 - self.unit.rank()
    }

    /// Sends a message; whether it goes through an exclusive buffer.
    fn send(&self, data: &[u8], gathered: bool) -> bool {
        let (target, number) = (self.target(), self.sent.get());
        self.sent.set(number + 1);
        let mut descriptor =
            Descriptor::memory_fifo(target as u32, FIRST, number, data.as_ptr(), data.len());
        descriptor.continuation = FURTHER;
        if gathered {
            descriptor.source = Source::Owner;
            descriptor.cookie = number + 1;
        } else if let Some(exponent) = self.unit.part_exponent(&descriptor) {
            descriptor.packet_exponent = exponent;
        }
        descriptor.auxiliary = u16::from(!self.unit.is_one_packet(&descriptor));
        let buffers = self.unit.targets[target]
            .exclusive_buffers
            .as_ref()
            .unwrap();
        let before = buffers.has_room(1);
        // SAFETY: whoever calls keeps the data until the other end has polled.
        unsafe { self.unit.submit(self, descriptor).unwrap() };
        before && !buffers.has_room(1)
    }

    fn poll(&self) {
        while self.unit.poll(self).unwrap() > 0 {}
        self.unit.step(self).unwrap();
    }
}

#[test]
fn replies_go_through_the_exclusive_buffer_of_what_they_answer() {
    let [one, other] = pair();
    let data = data(20_000);
    for length in [EXCLUSIVE_FROM_BYTES, 5000, 15_000, 20_000] {
        for (from, to) in [(&one, &other), (&other, &one)] {
            from.send(&data[..length], false);
            let lane = &to.unit.origins[to.target()];
            let arrived = lane.peek().unwrap().unwrap();
            assert!(arrived.header.is_in_exclusive_buffer() && arrived.header.is_line());
            to.poll();
            assert_eq!(to.messages.borrow().last().unwrap().1, data[..length]);
        }
    }
    assert_eq!(one.messages.borrow().len(), 4);
}

#[test]
fn who_is_not_answered_sends_through_the_lane() {
    let [one, other] = pair();
    let data = data(3000);
    let through_exclusive_buffers = (0..4).filter(|_| one.send(&data, false)).count();
    assert_eq!(
        through_exclusive_buffers, 1,
        "each end begins with one of {EXCLUSIVE_BUFFERS}"
    );
    other.poll();
    assert_eq!(other.messages.borrow().len(), 4);
    assert!(
        other
            .messages
            .borrow()
            .iter()
            .map(|message| message.0)
            .eq(0..4)
    );
    assert!(!other.send(&data, false), "it has another one left");
    assert!(other.send(&data, false));
}

#[test]
fn short_and_very_long_messages_leave_exclusive_buffers_alone() {
    let [one, other] = pair();
    let whole = data(400_000);
    for length in [8, EXCLUSIVE_FROM_BYTES - 1, 400_000] {
        assert!(!one.send(&whole[..length], false));
        other.poll();
        while other.messages.borrow().last().unwrap().1.len() < length {
            one.poll();
            other.poll();
        }
        assert_eq!(other.messages.borrow().last().unwrap().1, whole[..length]);
    }
    assert!(one.send(&whole[..EXCLUSIVE_FROM_BYTES], false));
}

#[test]
fn a_message_in_an_exclusive_buffer_is_taken_by_who_waits_for_it() {
    let [one, other] = pair();
    let data = data(2000);
    assert!(one.send(&data, false));
    let take = |packet: Packet<'_>| packet.to_vec(packet.data_at(8));
    let next = other.unit.take_packet(0, FIRST, 99, take).unwrap();
    assert_eq!(next, Next::Other, "another message is still there");
    let next = other.unit.take_packet(0, FIRST, 0, take).unwrap();
    assert_eq!(next, Next::Taken(data.clone()));
    assert_eq!(
        other.unit.take_packet(0, FIRST, 0, take).unwrap(),
        Next::Nothing
    );
    assert!(
        !other.send(&data, false),
        "the exclusive buffer is its own now, beside the one it began with"
    );
}

/// A record that says of an exclusive buffer what cannot be is refused, and nothing is read.
#[test]
fn what_lies_in_no_exclusive_buffer_of_the_origin_is_refused() {
    let good = BufferPart {
        buffer: 0,
        is_last: true,
        line: 0,
        payload_bytes: 1080,
    };
    let lines = (Job::create(&JobSpecification::unbound(2))
        .unwrap()
        .layout()
        .exclusive_buffer_bytes()
        / 64) as u32;
    let bad = [
        BufferPart { buffer: 1, ..good },
        BufferPart {
            line: lines,
            ..good
        },
        BufferPart {
            payload_bytes: u32::MAX,
            ..good
        },
        BufferPart {
            line: u32::MAX >> 2,
            ..good
        },
    ];
    for (part, is_good) in [(good, true)]
        .into_iter()
        .chain(bad.map(|part| (part, false)))
    {
        let [one, other] = pair();
        let lane = &one.unit.targets[1].lane;
        let reserved = lane.try_reserve(ANNOUNCED_BYTES).unwrap().unwrap();
        lane.write_word(&reserved, 0, part.word());
        lane.write_word(&reserved, 8, 0);
        lane.commit(
            reserved,
            RecordHeader::new(FIRST, 0, 0).in_exclusive_buffer(),
        );
        let polled = other.unit.poll(&other);
        assert_eq!(polled.is_ok(), is_good, "{part:?}");
        assert_eq!(other.messages.borrow().len(), usize::from(is_good));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any lengths, any order of sending and polling, in one piece or not: all messages come whole and in order.
    #[test]
    fn any_messages_come_whole_and_in_order(
        steps in proptest::collection::vec((0..2_usize, 0..3_u8, 0..6_usize, any::<bool>()), 1..40),
    ) {
        let lengths = [8, 1000, EXCLUSIVE_FROM_BYTES + 5, 9000, 33_000, 70_001];
        let ends = pair();
        let whole = data(70_001);
        let mut expected: [Vec<usize>; 2] = Default::default();
        for (end, action, length, gathered) in steps {
            if action == 0 {
                ends[end].poll();
            } else {
                ends[end].send(&whole[..lengths[length]], gathered && length > 2);
                expected[1 - end].push(lengths[length]);
            }
        }
        for _ in 0..200 {
            ends.iter().for_each(End::poll);
        }
        for (end, expected) in ends.iter().zip(expected) {
            let messages = end.messages.borrow();
            prop_assert_eq!(messages.len(), expected.len());
            for (number, ((sent, data), length)) in messages.iter().zip(expected).enumerate() {
                prop_assert_eq!(*sent, number as u64);
                prop_assert!(data[..] == whole[..length], "{} bytes", length);
            }
        }
    }
}
