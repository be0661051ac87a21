//! A job: the ranks that a launcher started together, and their shared memory.
//!
//! The launcher calls [`Job::create`] and lets its children inherit the segment;
//! each rank calls [`Job::attach`] with what it finds in its environment:
//!
//! | variable         | meaning |
//! |------------------|---------|
//! | `PAMIR_RANK`     | this process's rank |
//! | `PAMIR_SIZE`     | number of ranks |
//! | `PAMIR_JOB_FD`   | the segment's descriptor, inherited |
//! | `PAMIR_LAUNCHER` | the launcher's process id: the segment is also found under `/proc` there |
//!
//! States of a rank, in its block; nothing else is allowed:
//!
//! | from       | to         | by |
//! |------------|------------|----|
//! | `Absent`   | `Attached` | the rank, in `attach` |
//! | `Attached` | `Finalized`| the rank, when it has left |
//! | any        | `Aborted`  | the rank, when it gives up the whole job |

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};

use pamir_settings::Setting;
use pamir_settings::kind::OptionalWhole;
use pamir_shm::atomic::Ordering;
use pamir_shm::call_record::CallRecord;
use pamir_shm::lane::mapped::MappedLane;
use pamir_shm::segment::header::{HEADER_BYTES, HeaderError, SegmentHeader};
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::segment::{HUGE_PAGE_BYTES, Segment, SegmentError, inherited};
use pamir_shm::shareable::LinePadded;
use pamir_shm::sleep::bells::Bells;

use crate::job::client::table::ClientTableError;
use crate::job::layout::{Layout, MAXIMUM_RANKS, RankBlock};
use crate::memory::{huge_pages, own_heap};

mod agreement;
pub mod board_table;
pub mod client;
pub mod counters;
pub mod layout;
mod nodes;
mod peers;
pub mod process_end;
pub mod process_name;
mod rank_state;
mod renewal;
mod window_memory;

pub use rank_state::RankState;
pub use window_memory::FileRange;

/// Why a job could not be made or attached to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// Too many ranks, or none.
    #[error("a job has 1 to {MAXIMUM_RANKS} ranks, not {ranks}")]
    Ranks {
        /// Ranks asked for.
        ranks: usize,
    },
    /// An environment variable of the launcher is missing or makes no sense.
    #[error(
        "environment variable {name} is {value:?}, which is not what Pamir's mpiexec sets: start the program with Pamir's mpiexec, or unset every PAMIR_ variable to run it alone"
    )]
    Environment {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The rank was attached before: two processes claim to be the same rank.
    #[error(
        "rank {rank} is already running as process {process}: a rank may initialise MPI in one process at a time, and again only when that has called MPI_Finalize"
    )]
    Claimed {
        /// The rank.
        rank: usize,
        /// The process that has it.
        process: u64,
    },
    /// The rank's last program has left, and no other one can follow.
    #[error(
        "this rank cannot run a second program of MPI: {reason}; start each with an mpiexec of its own"
    )]
    NotAgain {
        /// Why.
        reason: &'static str,
    },
    /// The segment describes a job that this build would not make.
    #[error(
        "the job's segment has a layout for {ranks} ranks with rings of {ring_lines} lines, which this library does not make: use mpiexec and library of one installation"
    )]
    Geometry {
        /// Ranks by the header.
        ranks: u64,
        /// Ring lines by the header.
        ring_lines: u64,
    },
    /// A client of several that share the job was refused.
    #[error(transparent)]
    Client(#[from] ClientTableError),
    /// There is no such rank.
    #[error("rank {rank} is not in this job of {ranks} ranks")]
    NoRank {
        /// The rank asked for.
        rank: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// Something needs the memory of both ranks, and they are on different nodes.
    #[error(
        "ranks {one} and {other} are on different nodes and share no memory, in which balancing reads the calls of all: give it a communicator of one node (MPI_COMM_TYPE_SHARED), or run mpiexec without --nodes"
    )]
    NodesApart {
        /// A rank.
        one: usize,
        /// Another one.
        other: usize,
    },
    /// A client of some tasks only is asked for, and the job has several nodes, whose bridges join all tasks.
    #[error(
        "a client of some tasks only needs a job of one node: run mpiexec without --nodes, or give the client all tasks"
    )]
    MembersOnNodes,
    /// A setting that all ranks need alike has another value here than in a rank before.
    #[error(
        "{name} has another value in this rank than in others, and all ranks need the same one: set it for all of them, as in mpiexec -genv {name} VALUE"
    )]
    Disagreement {
        /// The variable.
        name: &'static str,
    },
    /// The job's file has no room for so much memory of a window.
    #[error(
        "there is no room for {bytes} bytes: the job's file, in which windows and MPI_Alloc_mem have their memory, has {file_bytes} (raise ulimit -f for mpiexec where that is less than 2^60)"
    )]
    WindowMemory {
        /// Size asked for.
        bytes: u64,
        /// The file's size.
        file_bytes: u64,
    },
    /// The segment could not be opened.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// The segment's header was refused.
    #[error(transparent)]
    Header(#[from] HeaderError),
}

/// What a launcher knows of a job before it starts.
#[derive(Clone, Debug)]
pub struct JobSpecification {
    /// Number of ranks.
    pub ranks: usize,
    /// For each rank the processing unit (operating system's index) it is bound to, if any.
    pub processing_units: Vec<Option<u32>>,
}

impl JobSpecification {
    /// A job of so many ranks, which are bound to nothing.
    pub fn unbound(ranks: usize) -> Self {
        Self {
            ranks,
            processing_units: Vec::new(),
        }
    }
}

/// The shared memory of a job.
#[derive(Clone, Debug)]
pub struct Job {
    segment: Arc<Segment>,
    layout: Layout,
}

/// A job that may have gone.
#[derive(Clone, Debug)]
pub struct WeakJob {
    segment: Weak<Segment>,
    layout: Layout,
}

impl WeakJob {
    /// The job, while somebody has it.
    pub fn upgrade(&self) -> Option<Job> {
        let (segment, layout) = (self.segment.upgrade()?, self.layout);
        Some(Job { segment, layout })
    }
}

impl PartialEq for WeakJob {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.segment, &other.segment)
    }
}

impl Job {
    /// The job, without keeping its memory.
    pub fn downgrade(&self) -> WeakJob {
        WeakJob {
            segment: Arc::downgrade(&self.segment),
            layout: self.layout,
        }
    }

    /// Makes the memory for a job, in the launcher.
    pub fn create(specification: &JobSpecification) -> Result<Self, JobError> {
        let ranks = specification.ranks;
        if !(1..=MAXIMUM_RANKS).contains(&ranks) {
            return Err(JobError::Ranks { ranks });
        }
        let layout = Layout::new(ranks);
        let lengths = [layout::FILE_BYTES, client::table::file_bytes(layout)];
        let segment = Arc::new(Segment::create_with_room(layout.bytes(), &lengths)?);
        let job = Self { segment, layout };
        job.write_binding(specification)?;
        SegmentHeader::publish(&job.segment, &layout.to_geometry())?;
        Ok(job)
    }

    fn write_binding(&self, specification: &JobSpecification) -> Result<(), JobError> {
        let units = &specification.processing_units;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let unbound = specification.ranks.div_ceil(processors);
        for rank in 0..specification.ranks {
            let unit = units.get(rank).copied().flatten();
            let same = units
                .iter()
                .filter(|other| unit.is_some() && **other == unit)
                .count();
            let sharers = if unit.is_some() { same } else { unbound };
            let status = &self.block(rank)?.status;
            status.processing_unit.store(
                unit.map_or(0, |unit| u64::from(unit) + 1),
                Ordering::Relaxed,
            );
            status.sharers.store(sharers as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The job that this process was started in, and its rank there; a job of one rank
    /// if no launcher started it. The rank's own lanes are this process's from now on.
    pub fn from_environment() -> Result<(Self, usize), JobError> {
        let (job, rank) = Self::visit_environment()?;
        job.take_lanes(rank)?;
        Ok((job, rank))
    }

    /// The same without the rank's own lanes, for who only opens clients
    /// ([`Self::open_client`]): another library of this process may use those lanes.
    pub fn visit_environment() -> Result<(Self, usize), JobError> {
        if pamir_settings::RANK.raw().is_none() {
            return Ok((Self::create(&JobSpecification::unbound(1))?, 0));
        }
        let rank = number(&pamir_settings::RANK)?;
        let descriptor = open_segment()?;
        let job = Self::visit(descriptor, rank)?;
        if job.ranks() != number(&pamir_settings::SIZE)? {
            return Err(refused(&pamir_settings::SIZE));
        }
        Ok((job, rank))
    }

    /// Lets one rank of the job that this process was started in `tell` what all find wrong before they
    /// join it; on several nodes, one a node. Where no launcher started it, this process tells.
    pub fn told_by_one(tell: impl Fn()) {
        let segment = pamir_settings::RANK.raw().and_then(|_| {
            let segment = Segment::attach_part(open_segment().ok()?, 0, HEADER_BYTES).ok()?;
            SegmentHeader::check(&segment).ok()?;
            Some(segment)
        });
        let told = segment.map(|segment| SegmentHeader::told_by_one(&segment, &tell));
        if !matches!(told, Some(Ok(()))) {
            tell();
        }
    }

    /// Joins the job behind `descriptor` as `rank`.
    pub fn attach(descriptor: OwnedFd, rank: usize) -> Result<Self, JobError> {
        let job = Self::visit(descriptor, rank)?;
        job.take_lanes(rank)?;
        Ok(job)
    }

    /// The job behind `descriptor`, which has a `rank`; the rank's lanes are not taken.
    fn visit(descriptor: OwnedFd, rank: usize) -> Result<Self, JobError> {
        let copy = descriptor.try_clone().map_err(|source| SegmentError::Map {
            bytes: HEADER_BYTES,
            source,
        })?;
        let geometry = SegmentHeader::check(&Segment::attach_part(copy, 0, HEADER_BYTES)?)?;
        let Some(layout) = Layout::from_geometry(&geometry) else {
            return Err(JobError::Geometry {
                ranks: geometry[0],
                ring_lines: geometry[1],
            });
        };
        if rank >= layout.ranks as usize {
            return Err(JobError::Environment {
                name: pamir_settings::RANK.name(),
                value: rank.to_string(),
            });
        }
        let segment = as_wanted(Segment::attach_part(descriptor, 0, layout.bytes())?);
        Ok(Self { segment, layout })
    }

    /// Makes the lanes of `rank` this process's, after a visit. Where the rank's last program has left, waits until those
    /// of all ranks have, and begins the memory anew.
    ///
    /// # Errors
    ///
    /// [`JobError::Claimed`] if they are somebody's already; [`JobError::NotAgain`].
    pub fn take_lanes(&self, rank: usize) -> Result<(), JobError> {
        while let Err(claimed) = self.claim(rank) {
            if !self.renew(rank)? {
                return Err(claimed);
            }
        }
        let (rings, bytes) = self.layout.rings();
        // A huge page would hold many short rings, of which most may never carry anything.
        if bytes >= HUGE_PAGE_BYTES as u64 && self.layout.has_long_rings() {
            self.segment.advise_huge_pages(rings, bytes);
        }
        Ok(())
    }

    /// The memory of all lanes that lead to `rank`: its first byte here, and its length in
    /// bytes. A multiple of the page size, so that it can be placed on the rank's NUMA node.
    pub fn reception_memory(&self, rank: usize) -> Result<(*const u8, usize), JobError> {
        let (offset, bytes) = self.layout.rings_of_target(rank);
        let address = self.segment.bytes_at(offset, bytes)?;
        Ok((address.cast_const(), bytes as usize))
    }

    /// The processing unit that a rank keeps to, if it is bound to one.
    pub fn processing_unit(&self, rank: usize) -> Result<Option<u32>, JobError> {
        let stored = &self.block(rank)?.status.processing_unit;
        let number = stored.load(Ordering::Relaxed).checked_sub(1);
        Ok(number.and_then(|number| u32::try_from(number).ok()))
    }

    /// How many ranks share the processing unit of `rank`.
    pub fn sharers(&self, rank: usize) -> Result<u64, JobError> {
        Ok(self.block(rank)?.status.sharers.load(Ordering::Relaxed))
    }

    /// Says anew which processing unit `rank` keeps to, if it keeps to one, and how many ranks share
    /// what it may use; the launcher does, when it moves ranks. Further clients know of it only
    /// if they open later.
    ///
    /// # Errors
    ///
    /// [`JobError::NoRank`] if the job has no such rank.
    pub fn move_rank(&self, rank: usize, unit: Option<u32>, sharers: u64) -> Result<(), JobError> {
        let ranks = self.ranks();
        if rank >= ranks {
            return Err(JobError::NoRank { rank, ranks });
        }
        let status = &self.block(rank)?.status;
        let unit = unit.map_or(0, |unit| u64::from(unit) + 1);
        status.processing_unit.store(unit, Ordering::Relaxed);
        status.sharers.store(sharers, Ordering::Relaxed);
        Ok(())
    }

    /// Whether any ranks share a processing unit.
    pub fn is_oversubscribed(&self) -> Result<bool, JobError> {
        let sharers = (0..self.ranks()).map(|rank| self.sharers(rank));
        let most = sharers.reduce(|one, other| Ok(one?.max(other?)));
        Ok(most.transpose()?.is_some_and(|sharers| sharers > 1))
    }

    fn claim(&self, rank: usize) -> Result<(), JobError> {
        let status = &self.block(rank)?.status;
        let own = process_name::own();
        let claimed = status
            .process
            .compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire);
        if let Err(word) = claimed {
            let process = process_name::number(word);
            return Err(JobError::Claimed { rank, process });
        }
        // Before anybody can be sent an address of it.
        own_heap::publish(&status.heap);
        status
            .state
            .store(RankState::Attached.to_word(), Ordering::Release);
        Ok(())
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.layout.ranks as usize
    }

    /// Where things lie in the segment.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The shared memory itself.
    pub fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }

    /// The descriptor that ranks inherit.
    pub fn file_descriptor(&self) -> BorrowedFd<'_> {
        self.segment.descriptor()
    }

    /// The block of rank `rank`.
    pub fn block(&self, rank: usize) -> Result<&RankBlock, JobError> {
        Ok(self.segment.get(self.layout.rank_block(rank))?)
    }

    /// What rank `rank` tells of its synchronisation calls; the launcher may read it as well.
    pub fn call_record(&self, rank: usize) -> Result<Mapped<LinePadded<CallRecord>>, JobError> {
        let ranks = self.ranks();
        if rank >= ranks {
            return Err(JobError::NoRank { rank, ranks });
        }
        Ok(Mapped::new(&self.segment, self.layout.call_record(rank))?)
    }

    /// The lane from `origin` to `target`.
    pub(crate) fn lane(&self, origin: usize, target: usize) -> Result<MappedLane, SegmentError> {
        let layout = self.layout;
        let (ring, cursor) = (layout.ring(origin, target), layout.cursor(origin, target));
        let lane = MappedLane::new(&self.segment, ring, layout.ring_lines, cursor)?;
        Ok(lane.with_bell(self.bells(target)?, origin))
    }

    /// The bells of the lanes that lead to `target`.
    pub(crate) fn bells(&self, target: usize) -> Result<Mapped<LinePadded<Bells>>, SegmentError> {
        Mapped::new(&self.segment, self.layout.bells(target))
    }
}

fn number(setting: &Setting<OptionalWhole>) -> Result<usize, JobError> {
    setting.value().ok_or_else(|| refused(setting))
}

/// What the launcher has set makes no sense.
fn refused(setting: &Setting<OptionalWhole>) -> JobError {
    JobError::Environment {
        name: setting.name(),
        value: setting.text(),
    }
}

/// The inherited descriptor, or the launcher's own where a program between closed it.
fn open_segment() -> Result<OwnedFd, JobError> {
    let descriptor = number(&pamir_settings::JOB_FD)?;
    if let Ok(own) = inherited(descriptor as i32)
        && Segment::attach_part(
            own.try_clone()
                .map_err(|source| SegmentError::Map { bytes: 0, source })?,
            0,
            HEADER_BYTES,
        )
        .is_ok()
    {
        return Ok(own);
    }
    let launcher = number(&pamir_settings::LAUNCHER)?;
    let path = format!("/proc/{launcher}/fd/{descriptor}");
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path);
    file.map(OwnedFd::from).map_err(|error| {
        let reason = format!("it is closed here, and {path} cannot be opened: {error}");
        SegmentError::NotASegment {
            descriptor: descriptor as i32,
            reason,
        }
        .into()
    })
}

/// A rank's mapping, in small pages only where the user or the system wants that.
fn as_wanted(segment: Segment) -> Arc<Segment> {
    if !huge_pages::is_wanted() {
        segment.stay_small();
    }
    Arc::new(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> JobSpecification {
        JobSpecification {
            ranks: 3,
            processing_units: vec![Some(4), Some(4), Some(5)],
        }
    }

    #[test]
    fn ranks_attach_once() {
        let job = Job::create(&pair()).unwrap();
        assert_eq!(job.rank_state(1), RankState::Absent);
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        let rank = Job::attach(copy, 1).unwrap();
        assert_eq!(job.rank_state(1), RankState::Attached);
        assert!(!job.has_ended(0) && !job.has_ended(1));
        assert_eq!(job.process(1), Some(std::process::id() as i32));
        assert!(!job.is_nameless(0) && !job.is_nameless(1));
        let word = &job.block(1).unwrap().status.process;
        let own = word.load(Ordering::Relaxed);
        // A process that is not there in this namespace, and may be in its own.
        word.store(own ^ 1 << 32 | 0x7FFF_FFFF, Ordering::Relaxed);
        assert!(job.process(1).is_none() && job.is_nameless(1) && !job.has_ended(1));
        word.store(own, Ordering::Relaxed);
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        assert!(matches!(
            Job::attach(copy, 1),
            Err(JobError::Claimed { rank: 1, .. })
        ));
        rank.set_rank_state(1, RankState::Aborted { code: -3 });
        assert_eq!(job.rank_state(1), RankState::Aborted { code: -3 });
        assert!(job.has_ended(1));
        let copy = job.file_descriptor().try_clone_to_owned().unwrap();
        assert!(matches!(
            Job::attach(copy, 3),
            Err(JobError::Environment { .. })
        ));
    }

    #[test]
    fn sharers_are_counted() {
        let job = Job::create(&pair()).unwrap();
        let sharers = |rank| {
            job.block(rank)
                .unwrap()
                .status
                .sharers
                .load(Ordering::Relaxed)
        };
        assert_eq!([sharers(0), sharers(1), sharers(2)], [2, 2, 1]);
        let unit = |rank| job.processing_unit(rank).unwrap();
        assert_eq!([unit(0), unit(1), unit(2)], [Some(4), Some(4), Some(5)]);
        for (rank, unit, sharers) in [(0, Some(4), 1), (1, Some(5), 2), (2, None, 2)] {
            job.move_rank(rank, unit, sharers).unwrap();
        }
        assert_eq!([sharers(0), sharers(1), sharers(2)], [1, 2, 2]);
        assert_eq!([unit(0), unit(1), unit(2)], [Some(4), Some(5), None]);
        assert!(job.move_rank(3, None, 1).is_err());
        assert!(matches!(
            Job::create(&JobSpecification::unbound(0)),
            Err(JobError::Ranks { .. })
        ));
    }
}
