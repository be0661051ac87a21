//! Ring allgather of blocks of one length ([`crate::collective::moving::allgatherv::ring`]).
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | n - 1 | (n - 1) m, m a member's block |

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::allgatherv;

/// Gathers a block of `block_bytes` from each member at every member.
pub async fn ring(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let blocks = Blocks::Uniform { bytes: block_bytes };
    allgatherv::ring::ring(exchange, blocks, buffer).await
}
