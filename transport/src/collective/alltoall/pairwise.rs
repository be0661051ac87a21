//! Pairwise alltoall of blocks of one length ([`crate::collective::alltoallv::pairwise`]).
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | n - 1 | (n - 1) m, m a block |

use crate::collective::alltoallv;
use crate::collective::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;

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
