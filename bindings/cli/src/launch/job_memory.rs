//! What the launcher needs of the job's memory.
//!
//! What: [`JobMemory`], the two questions the launcher asks.
//! Why: supervising ranks is tested without shared memory.
//! Step before: the job's memory is created. Step after: [`super::supervise`] asks it about ranks
//! that have ended.

use std::os::fd::BorrowedFd;

/// How far a rank came with MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankState {
    /// It never initialised MPI.
    Absent,
    /// It initialised MPI and did not finalize it.
    Attached,
    /// It finalized MPI.
    Finalized,
    /// It called MPI_Abort.
    Aborted {
        /// With this error code.
        code: i32,
    },
}

/// A job's memory, as the launcher sees it.
pub trait JobMemory {
    /// The descriptor that ranks inherit.
    fn descriptor(&self) -> Option<BorrowedFd<'_>>;

    /// How far this rank came.
    fn rank_state(&self, rank: usize) -> RankState;
}

/// A job of programs which share no memory.
#[derive(Debug)]
pub struct NoMemory;

impl JobMemory for NoMemory {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn rank_state(&self, _rank: usize) -> RankState {
        RankState::Absent
    }
}
