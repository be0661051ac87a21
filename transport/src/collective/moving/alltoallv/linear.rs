//! Linear alltoall: all sends and receives side by side.
//!
//! Empty blocks are not sent. Members send to the one after them first, so that not
//! all send to the same one.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | n - 1 | all blocks but one |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::above;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::{Concurrent, join};
use crate::collective::exchange::step::{receive, send};

/// Swaps blocks with all members.
pub async fn linear(
    exchange: &impl Exchange,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut sends = Concurrent::with_capacity(size)?;
    for distance in 1..size {
        let to = above(rank, distance, size);
        if outgoing_blocks.bytes(to) != 0 {
            sends.push(send(exchange, to, &outgoing[outgoing_blocks.range(to)]));
        }
    }
    let mut receives = Concurrent::with_capacity(size)?;
    let slices = incoming_blocks.split(size, incoming)?;
    for (from, block) in slices.into_iter().enumerate() {
        if from == rank {
            block.copy_from_slice(&outgoing[outgoing_blocks.range(rank)]);
        } else if !block.is_empty() {
            receives.push(receive(exchange, from, block));
        }
    }
    join(sends.finish(), receives.finish()).await?;
    Ok(())
}
