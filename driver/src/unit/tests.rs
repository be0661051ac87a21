//! Two units of one job in one process, driven by hand.

use super::*;
use crate::job::JobSpecification;

/// Collects what arrives and what is done.
#[derive(Default)]
struct Log {
    packets: RefCell<Vec<(u32, u64, Vec<u8>)>>,
    done: RefCell<Vec<u64>>,
    refused: Cell<u32>,
}

impl Owner for Log {
    fn fill(&self, _cookie: u64, at: u64, target: *mut u8, bytes: usize) {
        for index in 0..bytes {
            // SAFETY: the engine gives room for `bytes` bytes.
            unsafe { target.add(index).write((at as usize + index) as u8) };
        }
    }

    fn injected(&self, descriptor: &Descriptor) {
        self.done.borrow_mut().push(descriptor.cookie);
    }

    fn refused(&self, _descriptor: &Descriptor, _error: KernelCopyError) {
        self.refused.set(self.refused.get() + 1);
    }
}

fn log_packet(log: &Log, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    log.packets
        .borrow_mut()
        .push((origin, packet.word(0), packet.to_vec(packet.data_at(8))));
    Ok(())
}

fn units(ranks: usize) -> Vec<MessagingUnit<Log>> {
    let job = Job::create(&JobSpecification {
        ranks,
        processing_units: vec![],
    })
    .unwrap();
    let unit = |rank| {
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        let job = Job::attach(copy, rank).unwrap_or_else(|_| job.clone());
        MessagingUnit::new(job, rank, PacketHandlerTable::new(log_packet)).unwrap()
    };
    (0..ranks).map(unit).collect()
}

#[test]
fn a_full_lane_queues_and_recovers_in_order() {
    let units = units(2);
    let (sender, receiver) = (Log::default(), Log::default());
    let text = [0x5A_u8; 300];
    for number in 0..5000_u64 {
        // SAFETY: `text` lives until the end of the test.
        unsafe {
            let direct = number % 3 == 0
                && units[0]
                    .inject_immediate(1, 1, 0, number, text.as_ptr(), 300)
                    .unwrap();
            if !direct {
                let descriptor = Descriptor::memory_fifo(1, 1, number, text.as_ptr(), 300);
                units[0]
                    .submit(
                        &sender,
                        Descriptor {
                            cookie: number + 1,
                            ..descriptor
                        },
                    )
                    .unwrap();
            }
        }
    }
    assert!(units[0].has_backlog());
    while units[0].has_backlog() || units[1].any_arrived().unwrap() {
        units[1].poll(&receiver).unwrap();
        units[0].step(&sender).unwrap();
    }
    let packets = receiver.packets.borrow();
    assert!(packets.iter().map(|packet| packet.1).eq(0..5000));
    assert!(
        packets
            .iter()
            .all(|packet| packet.0 == 0 && packet.2 == text)
    );
    assert!(sender.done.borrow().is_sorted());
}

#[test]
fn long_messages_come_in_packets() {
    let units = units(2);
    let (sender, receiver) = (Log::default(), Log::default());
    let descriptor = Descriptor {
        source: Source::Owner,
        cookie: 9,
        ..Descriptor::memory_fifo(1, 1, 77, std::ptr::null(), 100_000)
    };
    // SAFETY: the data comes from the owner.
    unsafe { units[0].submit(&sender, descriptor).unwrap() };
    while sender.done.borrow().is_empty() || units[1].any_arrived().unwrap() {
        units[1].poll(&receiver).unwrap();
        units[0].step(&sender).unwrap();
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

#[test]
fn puts_and_gets_count_down() {
    let units = units(2);
    let (owner, receiver) = (Log::default(), Log::default());
    let (source, mut target) = ([7_u8; 64], [0_u8; 64]);
    let counter = units[0].counters().dedicate(64);
    let put = Descriptor::direct(
        Operation::DirectPut,
        1,
        source.as_ptr().cast_mut(),
        target.as_mut_ptr() as u64,
        64,
    );
    let put = Descriptor {
        counter: counter.to_field(),
        notify: 1,
        cookie: 4,
        metadata: 11,
        ..put
    };
    // SAFETY: both arrays have 64 bytes and live until the end of the test.
    unsafe { units[0].submit(&owner, put).unwrap() };
    assert_eq!((target, units[0].counters().status()), ([7; 64], 1));
    units[1].poll(&receiver).unwrap();
    assert_eq!(receiver.packets.borrow()[0].1, 11);
    let get = Descriptor::direct(Operation::RemoteGet, 1, target.as_mut_ptr(), 16, 64);
    // SAFETY: as above; the remote address is one that the kernel refuses.
    unsafe {
        units[0]
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
    let job = Job::create(&JobSpecification {
        ranks: 2,
        processing_units: vec![],
    })
    .unwrap();
    let copy = job.clone();
    let sleeper = std::thread::spawn(move || {
        let unit = MessagingUnit::<Log>::new(copy, 1, PacketHandlerTable::new(log_packet)).unwrap();
        let log = Log::default();
        while unit.poll(&log).unwrap() == 0 {
            unit.sleep(None, || false).unwrap();
        }
        log.packets.borrow()[0].1
    });
    let unit = MessagingUnit::<Log>::new(job, 0, PacketHandlerTable::new(log_packet)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    // SAFETY: no bytes are read.
    let sent = unsafe { unit.inject_immediate(1, 1, 0, 123, std::ptr::null(), 0) };
    assert!(sent.unwrap());
    assert_eq!(sleeper.join().unwrap(), 123);
}
