//! Alltoall in place, one partner after the other, with temporary memory for one block.
//!
//! In round k the members whose ranks add up to k (modulo n) are partners: every two
//! members meet once, and nobody has two partners in a round.
//!
//! ```text
//!   4 members   k=0: 1-3      k=1: 0-1 2-3      k=2: 0-2      k=3: 0-3 1-2
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n | n - 1 | all blocks but one |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::below;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;

/// Swaps the blocks of `buffer` with all members.
pub async fn pairwise_replace(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    blocks.check_disjoint(size)?;
    let longest = (0..size).map(|index| blocks.bytes(index)).max();
    let mut received = Scratch::new(longest.unwrap_or(0))?;
    for round in 0..size {
        let partner = below(round, rank, size);
        let block = &mut buffer[blocks.range(partner)];
        if partner == rank || block.is_empty() {
            continue;
        }
        let received = &mut received[..block.len()];
        send_receive(exchange, partner, block, partner, received).await?;
        block.copy_from_slice(received);
    }
    Ok(())
}
