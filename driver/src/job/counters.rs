//! What a job's memory tells of its ranks to who only looks: the launcher, for its status.
//!
//! Before: ranks work, and write some words for each other and for reports. After: [`Job::counters`] and [`Job::sleeps`] read
//! them, whenever somebody asks.
//!
//! | figure | who writes it, and when |
//! |---|---|
//! | interrupts, descriptors moved in them | the rank's service thread, as often as it moves something |
//! | bytes through lanes | the lane's target publishes a cursor a quarter of the ring at a time: at least so many |
//! | asleep | the rank, before it sleeps in a call |
//!
//! Invariant: nothing here is written for this alone on the path of a message.

use pamir_shm::atomic::Ordering;
use pamir_shm::lane::record::LINE_BYTES;
use pamir_shm::sleep;

use super::{Job, JobError};
use crate::job::client::table;
use crate::job::layout::RankBlock;

/// The most ranks whose lanes are counted: to look at those of more would make pages of memory that nobody uses.
const MOST_COUNTED: usize = 64;

/// Figures of one rank since its program began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankCounters {
    /// Interrupts in which the service thread moved something while the program computed.
    pub interrupts: u64,
    /// Descriptors that were done in them.
    pub descriptors_moved: u64,
    /// What went through its lanes; nothing in a job of so many ranks that nobody looks.
    pub lanes: Option<LaneBytes>,
}

/// Bytes of packets that went through lanes, headers included: at least so many. Large messages that the kernel copies are
/// not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneBytes {
    /// From the rank.
    pub sent: u64,
    /// To the rank.
    pub received: u64,
}

impl Job {
    /// The figures of rank `rank`, as the memory of its node has them.
    ///
    /// # Errors
    ///
    /// [`JobError`] if there is no such rank.
    pub fn counters(&self, rank: usize) -> Result<RankCounters, JobError> {
        let status = &self.told_by(rank)?.status;
        Ok(RankCounters {
            interrupts: status.interrupts.load(Ordering::Relaxed),
            descriptors_moved: status.descriptors_moved.load(Ordering::Relaxed),
            lanes: (self.ranks() <= MOST_COUNTED)
                .then(|| self.lane_bytes(rank))
                .transpose()?,
        })
    }

    /// What a rank tells, if the job has that rank.
    fn told_by(&self, rank: usize) -> Result<&RankBlock, JobError> {
        let ranks = self.ranks();
        if rank >= ranks {
            return Err(JobError::NoRank { rank, ranks });
        }
        self.block(rank)
    }

    fn lane_bytes(&self, rank: usize) -> Result<LaneBytes, JobError> {
        let mut bytes = LaneBytes::default();
        for other in 0..self.ranks() {
            bytes.sent = bytes.sent.saturating_add(self.consumed_bytes(rank, other)?);
            let received = self.consumed_bytes(other, rank)?;
            bytes.received = bytes.received.saturating_add(received);
        }
        Ok(bytes)
    }

    fn consumed_bytes(&self, origin: usize, target: usize) -> Result<u64, JobError> {
        let cursor = self.segment.get(self.layout.cursor(origin, target))?;
        let lines = cursor.load(Ordering::Relaxed);
        Ok(lines.saturating_mul(LINE_BYTES as u64))
    }

    /// Whether rank `rank` has announced that it sleeps until a packet comes.
    ///
    /// # Errors
    ///
    /// [`JobError`] if there is no such rank.
    pub fn sleeps(&self, rank: usize) -> Result<bool, JobError> {
        Ok(self.told_by(rank)?.sleep.load(Ordering::Relaxed) == sleep::ASLEEP)
    }

    /// Whether clients beside MPI were opened, whose tasks need not attach to the job itself.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the memory has no table of them.
    pub fn has_clients(&self) -> Result<bool, JobError> {
        Ok(table::is_used(&self.segment)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobSpecification;

    #[test]
    fn lines_that_were_taken_count_for_both_ends() {
        let job = Job::create(&JobSpecification::unbound(3)).unwrap();
        let none = LaneBytes::default();
        assert_eq!(job.counters(0).unwrap().lanes, Some(none));
        let cursor = job.layout.cursor(0, 2);
        job.segment
            .get(cursor)
            .unwrap()
            .store(10, Ordering::Relaxed);
        let lanes = |rank| job.counters(rank).unwrap().lanes.unwrap();
        assert_eq!((lanes(0).sent, lanes(0).received), (640, 0));
        assert_eq!((lanes(2).sent, lanes(2).received), (0, 640));
        assert_eq!(lanes(1), none);
        // What a rank wrote may be anything.
        let cursor = job.segment.get(cursor).unwrap();
        cursor.store(u64::MAX, Ordering::Relaxed);
        assert_eq!(lanes(0).sent, u64::MAX);
        assert!(job.counters(3).is_err() && job.sleeps(3).is_err());
    }

    #[test]
    fn a_large_job_keeps_its_pages_empty() {
        let job = Job::create(&JobSpecification::unbound(MOST_COUNTED + 1)).unwrap();
        assert_eq!(job.counters(0).unwrap().lanes, None);
    }

    #[test]
    fn a_rank_that_sleeps_has_said_so() {
        let job = Job::create(&JobSpecification::unbound(2)).unwrap();
        assert!(!job.sleeps(1).unwrap() && !job.has_clients().unwrap());
        sleep::announce(&job.block(1).unwrap().sleep);
        assert!(job.sleeps(1).unwrap() && !job.sleeps(0).unwrap());
    }
}
