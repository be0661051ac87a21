//! Inter-communicator alltoall: a block for, and a block from, every member of the other group.
//!
//! All sends and receives go side by side; members start with the partner of their own
//! rank, so that not all send to the same one. Empty blocks are not sent.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | r | all blocks |

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::{Concurrent, join};
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::gather::whole_blocks;

/// Swaps blocks of one length with all members of the other group; the two directions may have
/// different lengths.
pub async fn alltoall(
    remote: &impl Exchange,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let size = remote.size();
    let outgoing_blocks = Blocks::Uniform {
        bytes: whole_blocks(outgoing.len(), size)?,
    };
    let incoming_blocks = Blocks::Uniform {
        bytes: whole_blocks(incoming.len(), size)?,
    };
    alltoallv(remote, outgoing_blocks, outgoing, incoming_blocks, incoming).await
}

/// Swaps blocks of any lengths with all members of the other group.
pub async fn alltoallv(
    remote: &impl Exchange,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (remote.rank(), remote.size());
    outgoing_blocks.check(size, outgoing.len())?;
    incoming_blocks.check(size, incoming.len())?;
    let mut sends = Concurrent::with_capacity(size)?;
    for distance in 0..size {
        let to = (rank + distance) % size;
        if outgoing_blocks.bytes(to) != 0 {
            sends.push(send(remote, to, &outgoing[outgoing_blocks.range(to)]));
        }
    }
    let mut receives = Concurrent::with_capacity(size)?;
    let slices = incoming_blocks.split(size, incoming)?;
    for (from, block) in slices.into_iter().enumerate() {
        if !block.is_empty() {
            receives.push(receive(remote, from, block));
        }
    }
    join(sends.finish(), receives.finish()).await?;
    Ok(())
}
