//! Two units of one job in one process, driven by hand.

use super::packet::Packet;
use super::*;
use crate::injection::InjectionStatistics;
use crate::injection::counter::{COUNTERS, CounterId, CounterStatistics};
use crate::injection::criterion::{Criterion, Touch};
use crate::injection::descriptor::{Descriptor, Operation, Source};
use crate::job::JobSpecification;
use crate::job::layout::Layout;
use crate::memory::kernel_copy::KernelCopyError;
use pamir_shm::atomic::Ordering;
use pamir_shm::lane::room::LaneRoom;
use std::cell::RefCell;

/// Collects what arrives and what is done.
struct Log {
    unit: MessagingUnit<Log>,
    packets: RefCell<Vec<(u32, u64, Vec<u8>)>>,
    done: RefCell<Vec<u64>>,
    refused: Cell<u32>,
    /// Packets that are waited for.
    receives: Cell<usize>,
}

impl Log {
    fn new(job: Job, rank: usize, criterion: Criterion) -> Self {
        let injection = Configuration::new(4, 2, criterion).unwrap();
        let handlers = PacketHandlerTable::new(log_packet);
        Self {
            unit: MessagingUnit::with_injection(job, rank, handlers, injection).unwrap(),
            packets: RefCell::default(),
            done: RefCell::default(),
            refused: Cell::new(0),
            receives: Cell::new(0),
        }
    }
}

impl Owner for Log {
    fn unit(&self) -> &MessagingUnit<Self> {
        &self.unit
    }

    fn fill(&self, _cookie: u64, at: u64, room: LaneRoom<'_>, bytes: usize) {
        let data: Vec<u8> = (0..bytes)
            .map(|index| (at as usize + index) as u8)
            .collect();
        // SAFETY: the engine gives room for `bytes` bytes.
        unsafe { room.write(data.as_ptr(), bytes) };
    }

    fn injected(&self, cookie: u64) {
        self.done.borrow_mut().push(cookie);
    }

    fn refused(&self, _descriptor: &Descriptor, _error: KernelCopyError) {
        self.refused.set(self.refused.get() + 1);
    }

    fn under_way(&self) -> usize {
        self.receives.get()
    }
}

fn log_packet(log: &Log, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    log.packets
        .borrow_mut()
        .push((origin, packet.word(0), packet.to_vec(packet.data_at(8))));
    log.receives.set(log.receives.get().saturating_sub(1));
    Ok(())
}

fn logs(criterion: Criterion) -> [Log; 2] {
    let job = Job::create(&JobSpecification::unbound(2)).unwrap();
    [0, 1].map(|rank| {
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        let job = Job::attach(copy, rank).unwrap_or_else(|_| job.clone());
        Log::new(job, rank, criterion)
    })
}

#[test]
fn a_poll_ends_with_the_last_packet_that_is_waited_for() {
    let [sender, receiver] = logs(Criterion::default());
    let send = |number: u64| {
        // SAFETY: there are no bytes.
        let sent = unsafe {
            sender
                .unit
                .inject_immediate(&sender, 1, 1, 0, number, (std::ptr::null(), 0))
        };
        assert!(sent.unwrap());
    };
    (0..5).for_each(send);
    receiver.receives.set(2);
    let poll = || receiver.unit.poll(&receiver).unwrap();
    assert_eq!(poll(), 2);
    // Nobody waits for any: all of them come.
    assert_eq!(poll(), 3);
    // One that a unit has sent itself comes with it, or after it.
    send(5);
    // SAFETY: as above.
    let own = unsafe {
        receiver
            .unit
            .inject_immediate(&receiver, 1, 1, 0, 6, (std::ptr::null(), 0))
    };
    assert!(own.unwrap());
    receiver.receives.set(1);
    assert_eq!((poll(), poll()), (1, 1));
    let numbers = |log: &Log| {
        log.packets
            .borrow()
            .iter()
            .map(|packet| packet.1)
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&receiver), [0, 1, 2, 3, 4, 5, 6]);
}

/// Lines of each lane's ring.
fn lane_lines(ranks: usize) -> u64 {
    Layout::new(ranks).ring_lines
}

/// As many messages as the lane has lines, of which each takes several.
fn fill_a_lane(criterion: Criterion) -> InjectionStatistics {
    let [sender, receiver] = logs(criterion);
    let text = [0x5A_u8; 300];
    let messages = lane_lines(2);
    for number in 0..messages {
        // SAFETY: `text` lives until the end of the test.
        unsafe {
            let direct = number % 3 == 0
                && sender
                    .unit
                    .inject_immediate(&sender, 1, 1, 0, number, (text.as_ptr(), 300))
                    .unwrap();
            if !direct {
                let descriptor = Descriptor {
                    cookie: number + 1,
                    ..Descriptor::memory_fifo(1, 1, number, text.as_ptr(), 300)
                };
                sender.unit.submit(&sender, descriptor).unwrap();
            }
        }
    }
    assert!(sender.unit.has_backlog());
    while sender.unit.has_backlog() || receiver.unit.any_arrived().unwrap() {
        receiver.unit.poll(&receiver).unwrap();
        sender.unit.step(&sender).unwrap();
        sender.unit.poll(&sender).unwrap();
    }
    let packets = receiver.packets.borrow();
    assert!(packets.iter().map(|packet| packet.1).eq(0..messages));
    assert!(
        packets
            .iter()
            .all(|packet| packet.0 == 0 && packet.2 == text)
    );
    let told: std::collections::BTreeSet<u64> = sender.done.borrow().iter().copied().collect();
    assert_eq!(told.len(), sender.done.borrow().len(), "each is told once");
    assert!(sender.packets.borrow().is_empty());
    sender.unit.injection_statistics(1)
}

#[test]
fn a_full_lane_queues_and_recovers_in_order() {
    for criterion in Criterion::ALL {
        let statistics = fill_a_lane(criterion);
        // Three at a time, as the fourth slot is for the replenish descriptor; a timer that
        // expires while the lane is full moves what fits.
        let at_once = match criterion {
            Criterion::Timer(_) | Criterion::LearnedTimer => 1,
            _ => 3,
        };
        let most = statistics.pended.div_ceil(at_once) + 1;
        assert!(
            statistics.pended > lane_lines(2) / 2 && statistics.replenishments <= most,
            "{criterion:?}: {statistics:?}"
        );
    }
}

#[test]
fn a_put_into_memory_that_interrupts_replenishes() {
    let criterion = Criterion::TouchingPut(Touch::Memory);
    if let Err(error) = crate::injection::touch_notification::TouchNotification::new() {
        let job = Job::create(&JobSpecification::unbound(1));
        let injection = Configuration::new(4, 2, criterion).unwrap();
        let handlers = PacketHandlerTable::new(log_packet);
        let unit = MessagingUnit::<Log>::with_injection(job.unwrap(), 0, handlers, injection);
        assert_eq!(unit.err().unwrap().to_string(), error.to_string());
        return;
    }
    let statistics = fill_a_lane(criterion);
    assert!(statistics.pended > lane_lines(2) / 2, "{statistics:?}");
    // Each interrupt was a page fault.
    assert!(statistics.interrupts <= statistics.pended.div_ceil(3) + 1);
}

#[test]
fn each_of_many_fifos_is_in_order_and_waits_for_nobody() {
    const RANKS: usize = 5;
    let job = Job::create(&JobSpecification::unbound(RANKS)).unwrap();
    let logs: [Log; RANKS] = std::array::from_fn(|rank| {
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        Log::new(
            Job::attach(copy, rank).unwrap(),
            rank,
            Criterion::MemoryFifo,
        )
    });
    let (sender, receivers) = logs.split_first().unwrap();
    let messages = lane_lines(RANKS) + 1000;
    for number in 0..messages {
        for target in 1..RANKS as u32 {
            let descriptor = Descriptor::memory_fifo(target, 1, number, std::ptr::null(), 0);
            // SAFETY: no bytes are read.
            unsafe { sender.unit.submit(sender, descriptor).unwrap() };
        }
    }
    // The first target never looks: the others get all of theirs nevertheless.
    for receiver in receivers.iter().rev() {
        let target = receiver.unit.rank();
        assert!(sender.unit.injection_statistics(target).most_pending > 0);
        while sender.unit.backlog_to(target) > 0 || receiver.unit.any_arrived().unwrap() {
            receiver.unit.poll(receiver).unwrap();
            sender.unit.step(sender).unwrap();
        }
        let packets = receiver.packets.borrow();
        assert!(packets.iter().map(|packet| packet.1).eq(0..messages));
    }
    // And from every origin, in the order of its lane.
    for (number, origin) in (0..1200_u64).zip((1..RANKS).cycle()) {
        // SAFETY: no bytes are read.
        let sent = unsafe {
            let log = &logs[origin];
            log.unit
                .inject_immediate(log, 0, 1, 0, number, (std::ptr::null(), 0))
        };
        assert!(sent.unwrap());
    }
    while sender.unit.any_arrived().unwrap() {
        sender.unit.poll(sender).unwrap();
    }
    for origin in 1..RANKS as u32 {
        let packets = sender.packets.borrow();
        let own = packets.iter().filter(|packet| packet.0 == origin);
        assert!(own.clone().map(|packet| packet.1).is_sorted());
        assert_eq!(own.count(), 300);
    }
}

#[test]
fn a_put_that_finds_no_counter_replenishes_by_touch() {
    let [sender, receiver] = logs(Criterion::CountedPut);
    while sender.unit.counters().dedicate(1, 0) != CounterId::Shared {}
    let descriptor = |number| Descriptor::memory_fifo(1, 1, number, std::ptr::null(), 0);
    let messages = lane_lines(2) + 10_000;
    for number in 0..messages {
        // SAFETY: no bytes are read.
        unsafe { sender.unit.submit(&sender, descriptor(number)).unwrap() };
    }
    assert!(sender.unit.injection_statistics(1).pended > 0);
    while sender.unit.has_backlog() || receiver.unit.any_arrived().unwrap() {
        receiver.unit.poll(&receiver).unwrap();
        sender.unit.step(&sender).unwrap();
    }
    let packets = receiver.packets.borrow();
    assert!(packets.iter().map(|packet| packet.1).eq(0..messages));
    assert_eq!(
        sender.unit.counters().status(),
        0,
        "shared ones never report"
    );
}

#[test]
fn only_a_unit_itself_replenishes() {
    let [sender, receiver] = logs(Criterion::Drained);
    // SAFETY: no bytes are read.
    let sent = unsafe {
        sender
            .unit
            .inject_immediate(&sender, 1, REPLENISH, 0, 0, (std::ptr::null(), 0))
    };
    assert!(sent.unwrap());
    assert!(matches!(
        receiver.unit.poll(&receiver),
        Err(UnitError::Packet { rank: 0, .. })
    ));
}

#[test]
fn long_messages_come_in_packets() {
    let [sender, receiver] = logs(Criterion::Drained);
    let descriptor = Descriptor {
        source: Source::Owner,
        cookie: 9,
        ..Descriptor::memory_fifo(1, 1, 77, std::ptr::null(), 100_000)
    };
    // SAFETY: the data comes from the owner.
    unsafe { sender.unit.submit(&sender, descriptor).unwrap() };
    while sender.done.borrow().is_empty() || receiver.unit.any_arrived().unwrap() {
        receiver.unit.poll(&receiver).unwrap();
        sender.unit.step(&sender).unwrap();
    }
    let packets = receiver.packets.borrow();
    assert_eq!(packets[0].1, 77);
    // Of a long packet the log keeps the aligned data.
    let data: Vec<u8> = packets.iter().flat_map(|packet| packet.2.clone()).collect();
    assert!(
        data.iter().copied().eq((0..100_000).map(|at| at as u8)),
        "{} bytes",
        data.len()
    );
}

/// Submits messages of `bytes` bytes with the cookies 1, 2, ... until `waiting` of them wait; how many that took.
fn fill(sender: &Log, bytes: usize, waiting: usize) -> u64 {
    let mut cookie = 0;
    while sender.unit.backlog_to(1) < waiting {
        cookie += 1;
        let descriptor = Descriptor {
            source: Source::Owner,
            cookie,
            ..Descriptor::memory_fifo(1, 1, cookie, std::ptr::null(), bytes)
        };
        // SAFETY: the data comes from the owner.
        unsafe { sender.unit.submit(sender, descriptor).unwrap() };
    }
    cookie
}

#[test]
fn what_waits_is_counted_as_it_moves_and_told_by_the_status_register() {
    let [sender, receiver] = logs(Criterion::MemoryFifo);
    const BYTES: usize = 2 << 20;
    let waiting = COUNTERS + 6;
    let messages = fill(&sender, BYTES, waiting);
    let at_once = messages - waiting as u64;
    assert!(sender.done.borrow().iter().copied().eq(1..=at_once));
    let counters = sender.unit.counters();
    // The first one may have only a packet to go.
    let second = CounterId::Dedicated(1);
    let mut values = vec![counters.value(second)];
    assert_eq!(values[0], BYTES as u64);
    while sender.unit.has_backlog() {
        receiver.unit.poll(&receiver).unwrap();
        sender.unit.step(&sender).unwrap();
        values.push(counters.value(second));
    }
    values.dedup();
    assert!(
        values.len() > 2 && values.is_sorted_by(|a, b| a > b),
        "{values:?}"
    );
    let mut told = sender.done.borrow().clone();
    told.sort_unstable();
    assert!(told.into_iter().eq(1..=messages));
    let told = counters.statistics();
    // Those that come behind the shared ones may find a counter that is free again.
    assert_eq!((told.hits, told.shared), (COUNTERS as u64, 6));
    assert_eq!(counters.status(), 0);
}

#[test]
fn one_look_tells_of_several_that_went_in_one_step() {
    let [sender, receiver] = logs(Criterion::MemoryFifo);
    fill(&sender, 1000, COUNTERS);
    while sender.unit.has_backlog() {
        receiver.unit.poll(&receiver).unwrap();
        sender.unit.step(&sender).unwrap();
    }
    let told = sender.unit.counters().statistics();
    assert_eq!(told.hits, COUNTERS as u64);
    assert!(told.looks < told.hits / 4, "{told:?}");
}

#[test]
fn a_put_that_waits_has_counted_when_its_target_can_be_told() {
    let [sender, receiver] = logs(Criterion::MemoryFifo);
    let filled = fill(&sender, 0, 1);
    let (source, mut target) = ([7_u8; 64], [0_u8; 64]);
    let put = Descriptor {
        notify: 1,
        cookie: 1_000_000,
        ..Descriptor::direct(
            Operation::DirectPut,
            1,
            source.as_ptr().cast_mut(),
            target.as_mut_ptr() as u64,
            64,
        )
    };
    // SAFETY: both arrays have 64 bytes and live until the end of the test.
    unsafe { sender.unit.submit(&sender, put).unwrap() };
    assert_eq!(sender.unit.counters().value(CounterId::Dedicated(0)), 64);
    while sender.unit.has_backlog() {
        receiver.unit.poll(&receiver).unwrap();
        sender.unit.step(&sender).unwrap();
    }
    assert_eq!(
        (target, sender.done.borrow().last()),
        ([7; 64], Some(&1_000_000))
    );
    assert_eq!(sender.done.borrow().len() as u64, filled + 1);
    assert_eq!(sender.unit.counters().statistics().hits, 1);
}

#[test]
fn a_put_tells_both_ends_and_one_that_the_kernel_refuses_its_owner() {
    let [owner, receiver] = logs(Criterion::Drained);
    let (source, mut target) = ([7_u8; 64], [0_u8; 64]);
    let put = Descriptor::direct(
        Operation::DirectPut,
        1,
        source.as_ptr().cast_mut(),
        target.as_mut_ptr() as u64,
        64,
    );
    let put = Descriptor {
        notify: 1,
        cookie: 4,
        metadata: 11,
        ..put
    };
    // SAFETY: both arrays have 64 bytes and live until the end of the test.
    unsafe { owner.unit.submit(&owner, put).unwrap() };
    // It is complete when it has been processed where it stood: no counter has to say so.
    assert_eq!(
        (target, owner.done.borrow().as_slice()),
        ([7; 64], &[4][..])
    );
    assert_eq!(
        owner.unit.counters().statistics(),
        CounterStatistics::default()
    );
    receiver.unit.poll(&receiver).unwrap();
    assert_eq!(receiver.packets.borrow()[0].1, 11);
    let get = Descriptor::direct(Operation::RemoteGet, 1, target.as_mut_ptr(), 16, 64);
    // SAFETY: as above; the remote address is one that the kernel refuses.
    unsafe {
        owner
            .unit
            .submit(&owner, Descriptor { cookie: 5, ..get })
            .unwrap()
    };
    assert_eq!(
        (owner.refused.get(), owner.done.borrow().as_slice()),
        (1, &[4][..])
    );
}

#[test]
fn a_sleeping_unit_is_woken_by_a_packet() {
    let job = Job::create(&JobSpecification::unbound(2)).unwrap();
    let copy = job.clone();
    let sleeper = std::thread::spawn(move || {
        let log = Log::new(copy, 1, Criterion::Drained);
        while log.unit.poll(&log).unwrap() == 0 {
            log.unit.sleep(None, || false).unwrap();
        }
        log.packets.borrow()[0].1
    });
    let log = Log::new(job, 0, Criterion::Drained);
    std::thread::sleep(std::time::Duration::from_millis(20));
    // SAFETY: no bytes are read.
    let sent = unsafe {
        log.unit
            .inject_immediate(&log, 1, 1, 0, 123, (std::ptr::null(), 0))
    };
    assert!(sent.unwrap());
    assert_eq!(sleeper.join().unwrap(), 123);
}

#[test]
fn a_unit_knows_when_its_rank_is_moved() {
    let [first, second] = logs(Criterion::Drained);
    let oversubscribed = || {
        [
            first.unit.is_oversubscribed(),
            second.unit.is_oversubscribed(),
        ]
    };
    let job = first.unit.job();
    job.move_rank(0, Some(1), 1).unwrap();
    job.move_rank(1, Some(2), 1).unwrap();
    assert_eq!(oversubscribed(), [false, false]);
    job.move_rank(1, Some(2), 3).unwrap();
    assert_eq!(oversubscribed(), [false, true]);
}

#[test]
fn a_unit_knows_who_has_waited_on_its_processor() {
    let [first, second] = logs(Criterion::Drained);
    // The other one has not said where it is.
    let others = |rank| {
        (
            first.unit.waits_beside(rank),
            first.unit.waits_elsewhere(rank),
        )
    };
    assert_eq!(others(1), (false, false));
    let status = |rank| &first.unit.job().block(rank).unwrap().status;
    // This thread may be moved between two looks, so what it says is asked until it stays.
    let seen = |shift: u64| loop {
        second.unit.waits_beside(0);
        let processor = status(1).processor.load(Ordering::Relaxed);
        status(1)
            .processor
            .store(processor + shift, Ordering::Relaxed);
        let seen = others(1);
        if status(0).processor.load(Ordering::Relaxed) == processor {
            return seen;
        }
    };
    assert_eq!(seen(0), (true, false));
    assert_eq!(seen(1), (false, true));
    assert_eq!(others(0), (false, false), "nobody waits for itself");
    assert_eq!(others(7), (false, false), "there is no such rank");
}

/// Pages of all lanes that lead to `rank` which have memory.
fn pages_of_lanes(job: &Job, rank: usize) -> usize {
    let (start, bytes) = job.reception_memory(rank).unwrap();
    let mut pages = vec![0_u8; bytes / pamir_shm::segment::PAGE_BYTES];
    // SAFETY: the array has a byte for each page of the mapping; the kernel only answers.
    let known = unsafe { libc::mincore(start.cast_mut().cast(), bytes, pages.as_mut_ptr()) };
    assert_eq!(known, 0);
    pages.iter().filter(|page| **page & 1 != 0).count()
}

#[test]
fn lanes_that_have_carried_nothing_take_no_memory() {
    let job = Job::create(&JobSpecification::unbound(100)).unwrap();
    let [receiver, sender, other] = [0, 70, 71].map(|rank| {
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        Log::new(Job::attach(copy, rank).unwrap(), rank, Criterion::default())
    });
    let poll = || receiver.unit.poll(&receiver).unwrap();
    (0..200).for_each(|_| assert_eq!(poll(), 0));
    assert!(!receiver.unit.any_arrived().unwrap());
    assert_eq!(pages_of_lanes(&job, 0), 0);
    for (number, log) in [(1, &sender), (2, &other), (3, &sender)] {
        // SAFETY: there are no bytes.
        let sent = unsafe {
            log.unit
                .inject_immediate(log, 0, 1, 0, number, (std::ptr::null(), 0))
        };
        assert!(sent.unwrap());
        assert!(receiver.unit.any_arrived().unwrap());
        assert_eq!(poll(), 1);
    }
    assert!(!receiver.unit.any_arrived().unwrap());
    let packets = receiver.packets.borrow();
    let came = packets.iter().map(|packet| (packet.0, packet.1));
    assert!(came.eq([(70, 1), (71, 2), (70, 3)]));
    assert_eq!(pages_of_lanes(&job, 0), 2);
}
