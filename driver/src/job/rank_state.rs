//! How far each rank has come, and what its process is called.
//!
//! Before: a rank has claimed its place, or has not. After: its peers, its bridges and the launcher know whether anything more
//! can come from it.

use pamir_shm::atomic::Ordering;

use super::Job;
use crate::{process_end, process_name};

/// How far a rank has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankState {
    /// It has not initialised.
    Absent,
    /// It takes part.
    Attached,
    /// It has left in good order.
    Finalized,
    /// It gave up the job.
    Aborted {
        /// The code it gave.
        code: i32,
    },
}

impl RankState {
    pub(crate) fn to_word(self) -> u64 {
        match self {
            Self::Absent => 0,
            Self::Attached => 1,
            Self::Finalized => 2,
            Self::Aborted { code } => 3 | u64::from(code as u32) << 32,
        }
    }

    pub(crate) fn from_word(word: u64) -> Self {
        match word as u32 {
            0 => Self::Absent,
            1 => Self::Attached,
            2 => Self::Finalized,
            _ => Self::Aborted {
                code: (word >> 32) as i32,
            },
        }
    }
}

impl Job {
    /// How far rank `rank` has come.
    pub fn rank_state(&self, rank: usize) -> RankState {
        let block = self.block(rank).expect("a rank of this job has a block");
        RankState::from_word(block.status.state.load(Ordering::Acquire))
    }

    /// Whether nothing more comes from rank `rank`: it has left, given up, or its process has ended
    /// in the middle. A rank that has not attached yet may still come, and nobody asks about a process of another PID
    /// namespace. Takes two system calls
    /// where the rank is there.
    pub fn has_departed(&self, rank: usize) -> bool {
        match self.rank_state(rank) {
            RankState::Absent => false,
            RankState::Attached => self.process(rank).is_some_and(process_end::has_ended),
            RankState::Finalized | RankState::Aborted { .. } => true,
        }
    }

    /// Says how far this rank has come.
    pub fn set_rank_state(&self, rank: usize, state: RankState) {
        let block = self.block(rank).expect("a rank of this job has a block");
        block.status.state.store(state.to_word(), Ordering::Release);
        self.rouse_other_nodes(rank);
    }

    /// The process of rank `rank`, once it has attached, if it has a number that means the same here
    /// ([`crate::process_name`]).
    pub fn process(&self, rank: usize) -> Option<i32> {
        process_name::number_here(self.process_word(rank))
    }

    /// Whether a rank that has attached has no number here: it is in another PID namespace.
    pub fn is_nameless(&self, rank: usize) -> bool {
        let word = self.process_word(rank);
        word != 0 && !process_name::is_known_here(word)
    }

    fn process_word(&self, rank: usize) -> u64 {
        let block = self.block(rank).expect("a rank of this job has a block");
        block.status.process.load(Ordering::Acquire)
    }
}
