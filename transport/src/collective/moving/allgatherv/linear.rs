//! Linear allgather: everybody sends its block to everybody, all side by side.
//!
//! Empty blocks are not sent. Members start with the one after them, so that not all
//! send to the same one first.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | n - 1 | n - 1 times its block |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::above;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::{Concurrent, join};
use crate::collective::exchange::step::{receive, send};

/// Gathers a block from each member at every member.
pub async fn linear(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut slices = blocks.split(size, buffer)?;
    let own = std::mem::take(&mut slices[rank]);
    let own: &[u8] = own;
    let mut sends = Concurrent::with_capacity(size)?;
    if !own.is_empty() {
        for distance in 1..size {
            sends.push(send(exchange, above(rank, distance, size), own));
        }
    }
    let mut receives = Concurrent::with_capacity(size)?;
    for (from, block) in slices.into_iter().enumerate() {
        if !block.is_empty() {
            receives.push(receive(exchange, from, block));
        }
    }
    join(sends.finish(), receives.finish()).await?;
    Ok(())
}
