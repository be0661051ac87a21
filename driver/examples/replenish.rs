//! What replenishing costs, for `scripts/bench replenish`:
//! `replenish [REPETITIONS] [MESSAGES] [BYTES] [CRITERION...]`.
//!
//! What: two units of one job, each on a thread of its own on a processor of its own. The sender
//! submits all messages as fast as it can and steps its engine every few of them; the receiver
//! polls. The same messages go through a FIFO of 8 slots and one of 65,536 slots, in turn, under
//! every interrupt criterion. Then the engine is paused: a full lane that nobody reads, while 100
//! messages are submitted.
//! Prints `@ METRIC SLOTS UNIT VALUE`, one line a sample. The receiver checks number and content
//! of every message, so a sample is also a test of the order.

use std::cell::Cell;
use std::error::Error;
use std::sync::{Arc, Barrier};
use std::time::Instant;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use pamir_driver::injection::criterion::Criterion;
use pamir_driver::injection::descriptor::Descriptor;
use pamir_driver::injection::{Configuration, InjectionStatistics};
use pamir_driver::job::{Job, JobSpecification};
use pamir_driver::memory::kernel_copy::KernelCopyError;
use pamir_driver::unit::packet::{Packet, PacketHandlerTable};
use pamir_driver::unit::{MessagingUnit, Owner, UnitError};
use pamir_shm::lane::room::LaneRoom;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The FIFO that is measured, and the one that it is compared with.
const SLOTS: [usize; 2] = [8, 65_536];

/// Messages between two steps of the sender's engine.
const BURST: u64 = 32;

/// Messages that are submitted while the engine is paused.
const PAUSED_MESSAGES: u64 = 100;

/// The handler of the messages.
const KIND: u8 = 1;

/// One end: counts what arrives, in order.
struct End {
    unit: MessagingUnit<End>,
    arrived: Cell<u64>,
    bytes: usize,
}

impl Owner for End {
    fn fill(&self, _cookie: u64, _at: u64, _room: LaneRoom<'_>, _bytes: usize) {}

    fn unit(&self) -> &MessagingUnit<Self> {
        &self.unit
    }

    fn injected(&self, _cookie: u64) {}

    fn refused(&self, _descriptor: &Descriptor, _error: KernelCopyError) {}
}

fn message_arrived(end: &End, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
    if packet.word(0) != end.arrived.get() || packet.data_bytes(8) != end.bytes {
        return Err(UnitError::Packet {
            rank: origin,
            reason: "a message came out of order",
        });
    }
    end.arrived.set(end.arrived.get() + 1);
    Ok(())
}

/// What both ends agree on.
#[derive(Clone, Copy)]
struct Case {
    criterion: Criterion,
    slots: usize,
    messages: u64,
    bytes: usize,
}

impl Case {
    fn end(&self, job: &Job, rank: usize) -> Outcome<End> {
        let descriptor = job.file_descriptor().try_clone_to_owned()?;
        let job = Job::attach(descriptor, rank)?;
        let handlers = PacketHandlerTable::new(message_arrived);
        let injection = Configuration::new(self.slots, self.slots - 2, self.criterion)?;
        Ok(End {
            unit: MessagingUnit::with_injection(job, rank, handlers, injection)?,
            arrived: Cell::new(0),
            bytes: self.bytes,
        })
    }

    /// Sends and receives all messages: how many a second, and what happened in the FIFO. A
    /// backlog is submitted before the receiver begins, so that all of it passes the FIFO.
    fn run(self, backlog: bool, processors: [usize; 2]) -> Outcome<(f64, InjectionStatistics)> {
        let job = two_ranks()?;
        let (copy, start) = (job.clone(), Arc::new(Barrier::new(2)));
        let ready = Arc::clone(&start);
        let receiver = std::thread::spawn(move || -> Outcome<Instant> {
            pin(processors[1])?;
            let end = self.end(&copy, 1)?;
            ready.wait();
            while end.arrived.get() < self.messages {
                end.unit.poll(&end)?;
            }
            Ok(Instant::now())
        });
        pin(processors[0])?;
        let end = self.end(&job, 0)?;
        let data = vec![0x5A; self.bytes];
        let mut begin = Instant::now();
        if !backlog {
            start.wait();
            begin = Instant::now();
        }
        for number in 0..self.messages {
            // SAFETY: `data` lives until all messages have been received.
            unsafe { end.unit.submit(&end, self.message(number, &data))? };
            if number % BURST == 0 {
                advance(&end)?;
            }
        }
        if backlog {
            start.wait();
            begin = Instant::now();
        }
        while end.unit.has_backlog() {
            advance(&end)?;
        }
        let finish = receiver.join().map_err(|_| "the receiver panicked")??;
        let rate = self.messages as f64 / (finish - begin).as_secs_f64();
        Ok((rate, end.unit.injection_statistics(1)))
    }

    fn message(&self, number: u64, data: &[u8]) -> Descriptor {
        Descriptor::memory_fifo(1, KIND, number, data.as_ptr(), self.bytes)
    }

    /// Interrupts that messages take which were submitted while the engine was paused.
    fn paused(self) -> Outcome<u64> {
        let job = two_ranks()?;
        let (sender, receiver) = (self.end(&job, 0)?, self.end(&job, 1)?);
        let data = vec![0x5A; self.bytes];
        let mut number = 0;
        let full = |number| {
            let data = (data.as_ptr(), self.bytes);
            // SAFETY: there are so many bytes.
            let sent = unsafe { (sender.unit).inject_immediate(&sender, 1, KIND, 0, number, data) };
            sent.map(|sent| !sent)
        };
        while !full(number)? {
            number += 1;
        }
        for number in number..number + PAUSED_MESSAGES {
            // SAFETY: `data` lives until all messages have been received.
            unsafe { sender.unit.submit(&sender, self.message(number, &data))? };
        }
        while sender.unit.has_backlog() || receiver.unit.any_arrived()? {
            receiver.unit.poll(&receiver)?;
            advance(&sender)?;
        }
        let statistics = sender.unit.injection_statistics(1);
        if receiver.arrived.get() != number + PAUSED_MESSAGES {
            return Err("messages are missing".into());
        }
        Ok(statistics.interrupts)
    }
}

fn advance(end: &End) -> Result<(), UnitError> {
    end.unit.poll(end)?;
    end.unit.step(end)
}

fn two_ranks() -> Outcome<Job> {
    Ok(Job::create(&JobSpecification::unbound(2))?)
}

fn pin(processor: usize) -> Outcome<()> {
    let mut set = CpuSet::new();
    set.set(processor)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// The first two processors that this process may use.
fn processors() -> Outcome<[usize; 2]> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let mut found = (0..CpuSet::count()).filter(|at| allowed.is_set(*at).unwrap_or(false));
    match (found.next(), found.next()) {
        (Some(one), Some(other)) => Ok([one, other]),
        _ => Err("two processors are needed".into()),
    }
}

fn compare(case: Case, name: &str, turn: usize, processors: [usize; 2]) -> Outcome<()> {
    compare_with(case, false, &format!("{name}_stream"), turn, processors)?;
    compare_with(case, true, &format!("{name}_backlog"), turn, processors)
}

fn compare_with(
    case: Case,
    backlog: bool,
    name: &str,
    turn: usize,
    processors: [usize; 2],
) -> Outcome<()> {
    let mut rates = [0.0; 2];
    for place in [turn % 2, 1 - turn % 2] {
        let (slots, criterion) =
            [(SLOTS[0], case.criterion), (SLOTS[1], Criterion::Drained)][place];
        let (rate, statistics) = Case {
            slots,
            criterion,
            ..case
        }
        .run(backlog, processors)?;
        rates[place] = rate;
        println!("@ {name}_throughput {slots} messages/s {rate:.0}");
        println!(
            "@ {name}_interrupts {slots} interrupts {}",
            statistics.interrupts
        );
        println!("@ {name}_pended {slots} descriptors {}", statistics.pended);
    }
    println!(
        "@ {name}_share {} % {:.2}",
        SLOTS[0],
        100.0 * rates[0] / rates[1]
    );
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, otherwise: u64| arguments.get(at).map_or(Ok(otherwise), |text| text.parse());
    let (repetitions, messages, bytes) = (number(0, 5)?, number(1, 1_000_000)?, number(2, 8)?);
    let named = arguments.get(3..).unwrap_or_default();
    let all = Criterion::ALL.map(|criterion| criterion.to_string());
    let names = if named.is_empty() { &all[..] } else { named };
    let processors = processors()?;
    for turn in 0..repetitions as usize {
        for name in names {
            let case = Case {
                criterion: name.parse()?,
                slots: SLOTS[0],
                messages,
                bytes: bytes as usize,
            };
            compare(case, name, turn, processors)?;
            println!("@ {name}_paused {} interrupts {}", SLOTS[0], case.paused()?);
        }
    }
    Ok(())
}
