//! Pairwise alltoall of blocks of one length ([`crate::collective::moving::alltoallv::pairwise`]).
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | n - 1 | (n - 1) m, m a block |

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::alltoallv;

/// Swaps blocks of `block_bytes` with all members.
pub async fn pairwise(
    exchange: &impl Exchange,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let blocks = Blocks::Uniform { bytes: block_bytes };
    alltoallv::pairwise::pairwise(exchange, blocks, outgoing, blocks, incoming).await
}
