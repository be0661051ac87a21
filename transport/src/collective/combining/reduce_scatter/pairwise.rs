//! Pairwise reduce-scatter, for commutative operators: each block goes straight to its member.
//!
//! Needs room for one block only. In round k every member sends the block of the
//! one k above and takes in what the one k below has for it.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | n - 1 | m (n - 1) / n |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::{above, below};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send, send_receive};
use crate::collective::reduction::Reduction;

/// Combines `input` of all members and puts this member's block of it into `output`.
pub async fn pairwise(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    blocks: Blocks<'_>,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    output.copy_from_slice(&input[blocks.range(rank)]);
    let mut received = Scratch::new(output.len())?;
    for distance in 1..size {
        let (to, from) = (above(rank, distance, size), below(rank, distance, size));
        let block = &input[blocks.range(to)];
        match (block.is_empty(), output.is_empty()) {
            (true, true) => continue,
            (false, true) => {
                send(exchange, to, block).await?;
                continue;
            }
            (true, false) => receive(exchange, from, &mut received).await?,
            (false, false) => send_receive(exchange, to, block, from, &mut received).await?,
        }
        reduction.combine(&received, output);
    }
    Ok(())
}
