//! Inter-communicator allgather: each member gets the blocks of the other group.
//!
//! Equal blocks go to the other group's leader, which spreads them. Where lengths
//! differ every member sends to every member: what lies between the blocks in the
//! receive buffers is not the operation's to write.
//!
//! | | rounds | messages | bytes |
//! |---|---|---|---|
//! | equal | 1 + those of a broadcast of r blocks among l | 1 + log l (leader) | |
//! | listed | 1 | r | r times a member's block |

use super::LEADER;
use super::alltoall::alltoallv;
use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::{Concurrent, join};
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::gather::whole_blocks;

/// Gathers `block` of each member of the remote group in `incoming`, in the order of ranks; the
/// two groups may pass different lengths.
pub async fn allgather(
    local: &impl Exchange,
    remote: &impl Exchange,
    block: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let size = remote.size();
    let block_bytes = whole_blocks(incoming.len(), size)?;
    let mut receives = Concurrent::with_capacity(size)?;
    if block_bytes != 0 && local.rank() == LEADER {
        for (from, room) in incoming.chunks_exact_mut(block_bytes).enumerate() {
            receives.push(receive(remote, from, room));
        }
    }
    let sending = async {
        if block.is_empty() {
            Ok(())
        } else {
            send(remote, LEADER, block).await
        }
    };
    join(sending, receives.finish()).await?;
    if incoming.is_empty() {
        return Ok(());
    }
    crate::collective::moving::broadcast::broadcast(local, LEADER, incoming).await
}

/// Gathers `block` of each member of the remote group where `blocks` says.
pub async fn allgatherv(
    remote: &impl Exchange,
    block: &[u8],
    blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let outgoing = Blocks::Repeated { bytes: block.len() };
    alltoallv(remote, outgoing, block, blocks, incoming).await
}
