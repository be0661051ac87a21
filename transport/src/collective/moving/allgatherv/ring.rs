//! Ring allgather: each member sends on to the next what came last, at first its own block.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | n - 1 | all blocks but one |

use crate::collective::data::blocks::{Blocks, send_and_receive_parts};
use crate::collective::data::root::{above, below};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;

/// Gathers a block from each member at every member.
pub async fn ring(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    blocks.check_disjoint(size)?;
    let (next, previous) = (above(rank, 1, size), below(rank, 1, size));
    for step in 1..size {
        let (outgoing, incoming) = send_and_receive_parts(
            buffer,
            blocks.range(below(rank, step - 1, size)),
            blocks.range(below(rank, step, size)),
        );
        send_receive(exchange, next, outgoing, previous, incoming).await?;
    }
    Ok(())
}
