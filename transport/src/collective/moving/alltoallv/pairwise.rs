//! Pairwise alltoall: in round k every member sends k up and receives from k below.
//!
//! For large blocks: each member serves one partner at a time, so that blocks stay
//! in the caches they pass. Empty blocks are not sent.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | n - 1 | all blocks but one |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::{above, below};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send, send_receive};

/// Swaps blocks with all members.
pub async fn pairwise(
    exchange: &impl Exchange,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    incoming[incoming_blocks.range(rank)].copy_from_slice(&outgoing[outgoing_blocks.range(rank)]);
    for distance in 1..size {
        let (to, from) = (above(rank, distance, size), below(rank, distance, size));
        let block = &outgoing[outgoing_blocks.range(to)];
        let room = &mut incoming[incoming_blocks.range(from)];
        match (block.is_empty(), room.is_empty()) {
            (true, true) => {}
            (false, true) => send(exchange, to, block).await?,
            (true, false) => receive(exchange, from, room).await?,
            (false, false) => send_receive(exchange, to, block, from, room).await?,
        }
    }
    Ok(())
}
