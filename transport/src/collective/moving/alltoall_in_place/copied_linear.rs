//! Alltoall in place from a copy of the whole buffer, all partners side by side.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | n - 1 | all blocks but one |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::alltoallv::linear::linear;

/// Swaps the blocks of `buffer` with all members.
pub async fn copied_linear(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let outgoing = Scratch::copy_of(buffer)?;
    linear(exchange, blocks, &outgoing, blocks, buffer).await
}
