//! What goes wrong with a window.
//!
//! Before: a call on a window that cannot be done. After: the layer above gives it the standard's class.

use pamir_driver::job::JobError;
use pamir_driver::unit::UnitError;

use crate::communicator::ConstructError;

/// A synchronisation call, or an access, that the open epochs do not allow (`MPI_ERR_RMA_SYNC`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EpochError {
    /// The access epoch does not allow it.
    #[error("{state}")]
    Access {
        /// What is open, and what ends it.
        state: &'static str,
    },
    /// The memory is exposed.
    #[error("this rank's memory is exposed by MPI_Win_post: call MPI_Win_wait first")]
    Posted,
    /// The memory is not exposed.
    #[error("this rank's memory is not exposed: call MPI_Win_post first")]
    NotPosted,
    /// The target is locked.
    #[error("rank {target} is locked by this rank already: unlock it first")]
    LockedTwice {
        /// The target.
        target: usize,
    },
    /// The target is not locked.
    #[error(
        "rank {target} is not locked by MPI_Win_lock: call that first; what MPI_Win_lock_all has locked MPI_Win_unlock_all unlocks, and a fence completes all before it"
    )]
    NotLocked {
        /// The target.
        target: usize,
    },
}

/// Why a window could not be made or freed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindowConstructError {
    /// The members are on several nodes.
    #[error(
        "ranks {one} and {other} of the communicator are on different nodes and share no memory: make windows of a communicator of one node (MPI_Comm_split_type with MPI_COMM_TYPE_SHARED), or run mpiexec without --nodes"
    )]
    NodesApart {
        /// A rank.
        one: usize,
        /// Another one.
        other: usize,
    },
    /// The parts are too long together.
    #[error("the parts of the window have more than 2^63 bytes together")]
    TooLong,
    /// There is no memory at some member.
    #[error("there is no memory for the window: {0}")]
    Memory(JobError),
    /// The same, as another member has found.
    #[error("there is no memory for the window at rank {rank}, which says why")]
    MemoryElsewhere {
        /// The member.
        rank: usize,
    },
    /// Its communicator could not be made, or its members not talk to each other.
    #[error(transparent)]
    Construct(#[from] ConstructError),
    /// The messaging unit failed.
    #[error(transparent)]
    Unit(#[from] UnitError),
}
