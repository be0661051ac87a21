//! Collectives of an inter-communicator: between two groups (MPI-5.0, 6.2.3).
//!
//! Every function takes two exchanges: `local` between the members of this member's
//! own group, and `remote` to the other group. [`Exchange::size`] of `remote` is the
//! other group's size and its ranks are the other group's; [`Exchange::rank`] is
//! that of this member in its own group, for both.
//!
//! ```text
//!   group A                 group B
//!   0 1 2   -- local        0 1     -- local
//!   |  remote of A: to 0 1  |  remote of B: to 0 1 2
//! ```
//!
//! Where all members take part, rank 0 of each group is its leader: data is combined
//! or collected within the group, swapped between the leaders, and spread.
//!
//! Each file's table counts for groups of l (local) and r (remote) members.

pub mod allgather;
pub mod allreduce;
pub mod alltoall;
pub mod barrier;
pub mod broadcast;
pub mod gather;
pub mod reduce;
pub mod reduce_scatter;
pub mod scatter;

pub use allgather::{allgather, allgatherv};
pub use allreduce::allreduce;
pub use alltoall::{alltoall, alltoallv};
pub use barrier::barrier;
pub use broadcast::broadcast;
pub use gather::{gather, gatherv};
pub use reduce::reduce;
pub use reduce_scatter::reduce_scatter;
pub use scatter::{scatter, scatterv};

use super::error::CollectiveError;
use super::exchange::Exchange;
use super::reduction::Reduction;
use crate::collective::data::root::{ToRoot, check_root};
use crate::collective::data::scratch::Scratch;

/// The rank that acts for its group.
pub const LEADER: usize = 0;

/// A member's part in an operation with a root: the root is in one group, the data's other end is
/// the whole other group.
#[derive(Debug)]
pub enum Role<Own, Theirs> {
    /// This member is the root (`MPI_ROOT`).
    Root(Own),
    /// The root is another member of this group (`MPI_PROC_NULL`): nothing to do.
    Idle,
    /// The root is in the remote group.
    Remote {
        /// The root's rank in the remote group.
        root: usize,
        /// This member's buffer.
        data: Theirs,
    },
}

/// Combines `input` of the local group at its leader; gives the leader the result.
async fn reduce_to_leader(
    local: &impl Exchange,
    reduction: &impl Reduction,
    input: &[u8],
) -> Result<Option<Scratch>, CollectiveError> {
    if local.rank() != LEADER {
        crate::collective::combining::reduce::reduce(
            local,
            reduction,
            LEADER,
            ToRoot::Member(input),
        )
        .await?;
        return Ok(None);
    }
    let mut result = Scratch::copy_of(input)?;
    crate::collective::combining::reduce::reduce(
        local,
        reduction,
        LEADER,
        ToRoot::Root(&mut result),
    )
    .await?;
    Ok(Some(result))
}

/// The root of the remote group, checked.
fn remote_root(remote: &impl Exchange, root: usize) -> Result<usize, CollectiveError> {
    check_root(root, remote.size())?;
    Ok(root)
}
