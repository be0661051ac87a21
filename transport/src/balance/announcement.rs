//! Announcing synchronisation calls to all ranks, and reading what others have announced.
//!
//! Before: a rank calls a synchronisation. After: its call lies in the job's memory
//! ([`pamir_shm::call_record`]), from where every rank's [`crate::balance::decision::controller`] and the launcher
//! take it.
//!
//! ```text
//! computing ─▶ arrive: group, cycle, started, arrived, load ─▶ the synchronisation ─▶ leave
//!     ▲                                                                                 │
//!     └──────────────────────── the next computation starts ◀───────────────────────────┘
//! ```
//!
//! `PAMIR_BALANCE` says which calls announce themselves, as a list: `barrier`, `allreduce`,
//! `allgather`, `alltoall`, `reduce-scatter`; `on` means `barrier`, `all` all of them, and `off`,
//! or no such variable, none; mpiexec adds [`WATCHED`] where it looks at them. `PAMIR_BALANCE_CLOCK` says what their load is: the time since the
//! rank left its last announced call (`monotonic`), the same without what it waited for a processor
//! (`undelayed`), or its processor time since then (`processor`). Where ranks share processors,
//! the last two tell what a rank has to do.
//!
//! Invariants: a call that does not announce itself costs one look at a flag that never changes;
//! an announced one waits for nobody.

use std::cell::Cell;

use pamir_driver::job::{Job, JobError};
use pamir_driver::waiting::clock::Clock;
use pamir_settings::{BALANCE, BALANCE_CLOCK};
use pamir_shm::call_record::{Call, CallId, CallRecord};
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::shareable::LinePadded;

use super::history::{Arrival, Cycle};

/// What is left of a wait before it ends, at least: a slice of housekeeping may take longer than
/// it was allowed to, and the processor's caches are cold after it.
const LEAST_MARGIN_NS: u64 = 100_000;

/// A kind of call in which every member waits for all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronization {
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Allreduce`.
    Allreduce,
    /// `MPI_Allgather` and `MPI_Allgatherv`.
    Allgather,
    /// `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw`.
    Alltoall,
    /// `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`.
    ReduceScatter,
}

impl Synchronization {
    /// All there are.
    pub const ALL: [Self; 5] = [
        Self::Barrier,
        Self::Allreduce,
        Self::Allgather,
        Self::Alltoall,
        Self::ReduceScatter,
    ];

    /// Its name in `PAMIR_BALANCE`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Allreduce => "allreduce",
            Self::Allgather => "allgather",
            Self::Alltoall => "alltoall",
            Self::ReduceScatter => "reduce-scatter",
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The word of `PAMIR_BALANCE` by which the launcher says that it looks at what is announced.
pub const WATCHED: &str = "watched";

/// Why the variables make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnnouncementError {
    /// There is no such kind of call.
    #[error(
        "PAMIR_BALANCE names {name:?}: it is a list of barrier, allreduce, allgather, alltoall and reduce-scatter, or all, on (barrier), or off"
    )]
    Kind {
        /// What was found.
        name: String,
    },
    /// There is no such clock.
    #[error("PAMIR_BALANCE_CLOCK is {name:?}: it is monotonic, undelayed or processor")]
    Clock {
        /// What was found.
        name: String,
    },
}

/// Which calls announce themselves, and by which clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    kinds: u32,
    clock: Clock,
    watched: bool,
}

impl Announced {
    /// What the environment says.
    ///
    /// # Errors
    ///
    /// [`AnnouncementError`] if a variable makes no sense.
    pub fn from_environment() -> Result<Self, AnnouncementError> {
        Self::parse(&BALANCE.text(), BALANCE_CLOCK.value())
    }

    /// What the values of both variables say.
    ///
    /// # Errors
    ///
    /// As for [`Self::from_environment`].
    pub fn parse(kinds: &str, clock: &str) -> Result<Self, AnnouncementError> {
        let all = Synchronization::ALL;
        let (mut bits, mut watched) = (0, false);
        for name in kinds.split(',').map(str::trim) {
            bits |= match name {
                "" | "off" | "0" => 0,
                WATCHED => {
                    watched = true;
                    0
                }
                "on" | "1" => Synchronization::Barrier.bit(),
                "all" => all.iter().fold(0, |bits, kind| bits | kind.bit()),
                _ => {
                    let named = all.iter().find(|kind| kind.name() == name);
                    let name = name.to_owned();
                    named.ok_or(AnnouncementError::Kind { name })?.bit()
                }
            };
        }
        let clock = match clock {
            "" => Clock::default(),
            name => Clock::named(name).ok_or_else(|| {
                let name = name.to_owned();
                AnnouncementError::Clock { name }
            })?,
        };
        Ok(Self {
            kinds: bits,
            clock,
            watched,
        })
    }
}

impl Announced {
    /// Whether the launcher looks at what is announced, since it balances the job.
    pub fn is_watched(&self) -> bool {
        self.watched
    }
}

/// Announces a rank's calls.
#[derive(Debug)]
pub struct Announcer {
    announced: Announced,
    record: Mapped<LinePadded<CallRecord>>,
    /// Somebody here reads what is announced, or acts upon it.
    used: Cell<bool>,
    /// How many calls were announced.
    position: Cell<usize>,
    /// When the last announced call was left, on the monotonic clock and on the load's.
    left_ns: Cell<[u64; 2]>,
    /// When the call was announced that is not left yet; 0 outside of one.
    announced_ns: Cell<u64>,
    /// How long the last two announced calls were waited in, in nanoseconds.
    waits_ns: Cell<[u64; 2]>,
}

impl Announcer {
    /// The announcer of `rank`, which this process is.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the job has no record of that rank.
    pub fn new(job: &Job, rank: usize, announced: Announced) -> Result<Self, JobError> {
        let announcer = Self {
            announced,
            record: job.call_record(rank)?,
            used: Cell::new(false),
            position: Cell::new(0),
            left_ns: Cell::new([0; 2]),
            announced_ns: Cell::new(0),
            waits_ns: Cell::new([0; 2]),
        };
        announcer.leave();
        Ok(announcer)
    }

    /// How many calls announced themselves because `PAMIR_BALANCE` names them, where nobody has made
    /// anything of that: neither the launcher nor this program.
    pub fn announced_in_vain(&self) -> usize {
        if self.announced.watched || self.used.get() {
            return 0;
        }
        self.position.get()
    }

    /// The program makes something of what is announced.
    pub fn use_announcements(&self) {
        self.used.set(true);
    }

    /// Whether calls of this kind announce themselves.
    #[inline(always)]
    pub fn announces(&self, kind: Synchronization) -> bool {
        self.announced.kinds & kind.bit() != 0
    }

    /// Announces a call whose load is the time since the last one was left.
    pub fn arrive(&self, id: CallId) {
        let [started_ns, load_started] = self.left_ns.get();
        let arrived_ns = Clock::Monotonic.now_ns();
        let load = self.load_clock(arrived_ns).saturating_sub(load_started);
        self.announce(Call {
            id,
            started_ns,
            arrived_ns,
            load,
        });
    }

    /// How long the rank will probably wait in the call that it announces next, in nanoseconds:
    /// no longer than in either of the last two.
    pub fn expected_wait_ns(&self) -> u64 {
        let [one, other] = self.waits_ns.get();
        one.min(other)
    }

    /// How much of the wait in the call that was announced last may be used for something else, in
    /// nanoseconds: what is expected, less twice what the last two differed by.
    pub fn spare_ns(&self) -> u64 {
        let [one, other] = self.waits_ns.get();
        let margin_ns = one.abs_diff(other).saturating_mul(2).max(LEAST_MARGIN_NS);
        one.min(other).saturating_sub(margin_ns)
    }

    /// Announces a call.
    pub fn announce(&self, call: Call) {
        self.announced_ns.set(call.arrived_ns);
        let position = self.position.get();
        self.record.publish(position, call);
        self.position.set(position.wrapping_add(1));
    }

    /// The announced call has returned: the next computation starts.
    pub fn leave(&self) {
        let now_ns = Clock::Monotonic.now_ns();
        let announced_ns = self.announced_ns.replace(0);
        if announced_ns > 0 {
            let [last, _] = self.waits_ns.get();
            self.waits_ns
                .set([now_ns.saturating_sub(announced_ns), last]);
        }
        self.left_ns.set([now_ns, self.load_clock(now_ns)]);
    }

    /// The group has ended, and another may get its number.
    pub fn forget(&self, group: u32) {
        self.record.forget(group);
    }

    /// What the load's clock shows; the system is not asked twice for one time.
    fn load_clock(&self, now_ns: u64) -> u64 {
        match self.announced.clock {
            Clock::Monotonic => now_ns,
            clock => clock.now_ns(),
        }
    }
}

/// The records of a group's members: the history that all of them share.
#[derive(Debug)]
pub struct SharedHistory {
    group: u32,
    records: Vec<Mapped<LinePadded<CallRecord>>>,
}

impl SharedHistory {
    /// The history of group `group`, whose member m is rank `ranks[m]` of the job.
    ///
    /// # Errors
    ///
    /// [`JobError`] if a rank is not in the job, or they are not all on one node.
    pub fn new(
        job: &Job,
        group: u32,
        ranks: impl IntoIterator<Item = usize>,
    ) -> Result<Self, JobError> {
        let mut first = None;
        let records = ranks.into_iter().map(|rank| {
            let record = job.call_record(rank)?;
            let one = *first.get_or_insert(rank);
            if !job.shares_memory(one, rank) {
                return Err(JobError::NodesApart { one, other: rank });
            }
            Ok(record)
        });
        let records = records.collect::<Result<_, _>>()?;
        Ok(Self { group, records })
    }

    /// What is known now of the group's synchronisation `number`: a member that has gone on to
    /// other calls since may be missing.
    pub fn cycle(&self, number: u32) -> Cycle {
        let mut cycle = Cycle::new(number.into(), self.records.len());
        for member in 0..self.records.len() {
            if let Some(arrival) = self.arrival(member, number) {
                cycle.note(arrival);
            }
        }
        cycle
    }

    /// The call of `member` in synchronisation `number`, if it has made it.
    pub fn arrival(&self, member: usize, number: u32) -> Option<Arrival> {
        let id = CallId {
            group: self.group,
            cycle: number,
        };
        let call = self.records.get(member)?.find(id)?;
        Some(Arrival {
            member,
            started_ns: call.started_ns,
            arrived_ns: call.arrived_ns,
            load: call.load,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_driver::job::JobSpecification;

    fn job(ranks: usize) -> Job {
        let processing_units = vec![None; ranks];
        let specification = JobSpecification {
            ranks,
            processing_units,
        };
        Job::create(&specification).unwrap()
    }

    #[test]
    fn waits_are_expected_to_be_as_the_last_two() {
        let announcer = Announcer::new(&job(1), 0, Announced::default()).unwrap();
        let wait = |cycle: u32, ms: u64| {
            announcer.arrive(CallId { group: 0, cycle });
            std::thread::sleep(std::time::Duration::from_millis(ms));
            announcer.leave();
        };
        wait(1, 5);
        assert_eq!(announcer.expected_wait_ns(), 0);
        wait(2, 3);
        assert!((3_000_000..1_000_000_000).contains(&announcer.expected_wait_ns()));
        // A call that is left without having been announced is none.
        announcer.leave();
        assert!(announcer.expected_wait_ns() >= 3_000_000);
    }

    #[test]
    fn what_is_spare_is_less_where_waits_differ() {
        let announcer = Announcer::new(&job(1), 0, Announced::default()).unwrap();
        let spare = |waits_us: [u64; 2]| {
            announcer.waits_ns.set(waits_us.map(|us| us * 1000));
            announcer.spare_ns() / 1000
        };
        assert_eq!(spare([0, 0]), 0);
        assert_eq!(spare([90, 90]), 0);
        assert_eq!(spare([1000, 1000]), 900);
        assert_eq!(spare([1000, 1200]), 600);
        assert_eq!(spare([5000, 1000]), 0);
    }

    #[test]
    fn variables_say_which_calls_announce_themselves() {
        let kinds = |text: &str| {
            let announced = Announced::parse(text, "").unwrap();
            let bits = Synchronization::ALL.map(|kind| announced.kinds & kind.bit() != 0);
            bits.map(u8::from)
        };
        assert_eq!(kinds(""), [0; 5]);
        assert_eq!(kinds("off"), [0; 5]);
        assert_eq!(kinds("on"), [1, 0, 0, 0, 0]);
        assert_eq!(kinds("allreduce, reduce-scatter"), [0, 1, 0, 0, 1]);
        assert_eq!(kinds("all"), [1; 5]);
        let refused = Announced::parse("barrier,bcast", "").unwrap_err();
        assert!(refused.to_string().contains("\"bcast\""), "{refused}");
        let refused = Announced::parse("on", "sundial").unwrap_err();
        assert!(refused.to_string().contains("processor"), "{refused}");
        let clock = Announced::parse("on", "processor").unwrap().clock;
        assert_eq!(clock, Clock::Processor);
    }

    #[test]
    fn what_one_rank_announces_every_rank_reads() {
        let job = job(3);
        let announced = Announced::parse("barrier", "").unwrap();
        let announcers = [0, 1, 2].map(|rank| Announcer::new(&job, rank, announced).unwrap());
        // A group of two: member 0 is rank 2, member 1 rank 0.
        let history = || SharedHistory::new(&job, 8, [2, 0]).unwrap();
        let views = [history(), history()];
        let id = CallId { group: 8, cycle: 1 };
        announcers[2].arrive(id);
        announcers[1].arrive(id);
        for view in &views {
            let cycle = view.cycle(1);
            assert_eq!(cycle.missing().collect::<Vec<_>>(), [1]);
        }
        announcers[0].arrive(id);
        let order = views.each_ref().map(|view| view.cycle(1).order());
        assert_eq!(order[0], order[1]);
        let members: Vec<usize> = order[0].iter().map(|arrival| arrival.member).collect();
        assert_eq!(members, [0, 1]);
        assert!(order[0].iter().all(|call| call.load == call.busy_ns()));
        announcers[0].forget(8);
        assert_eq!(views[1].cycle(1).missing().collect::<Vec<_>>(), [1]);
        assert!(SharedHistory::new(&job, 8, [3]).is_err());
        job.set_nodes(&[0, 0, 1]).unwrap();
        assert!(SharedHistory::new(&job, 8, [0, 1]).is_ok());
        let apart = SharedHistory::new(&job, 8, [0, 1, 2]).unwrap_err();
        assert!(apart.to_string().contains("ranks 0 and 2"), "{apart}");
    }

    #[test]
    fn a_rank_that_computes_for_itself_between_calls_starts_when_it_left_the_last_one() {
        let job = job(1);
        let announcer = Announcer::new(&job, 0, Announced::default()).unwrap();
        assert!(!announcer.announces(Synchronization::Barrier));
        let history = SharedHistory::new(&job, 4, [0]).unwrap();
        let mut last_ns = 0;
        for cycle in 1..=3 {
            announcer.arrive(CallId { group: 4, cycle });
            let call = history.arrival(0, cycle).unwrap();
            assert!(last_ns <= call.started_ns && call.started_ns <= call.arrived_ns);
            last_ns = call.arrived_ns;
            announcer.leave();
        }
    }
}
