//! Linear scatter of blocks of one length: the root sends to everybody.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | n - 1 (root) | (n - 1) m (root), m a member's block |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::FromRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::scatterv;

/// Gives each member its block of `block_bytes`.
pub async fn linear(
    exchange: &impl Exchange,
    root: usize,
    block_bytes: usize,
    buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    let blocks = Blocks::Uniform { bytes: block_bytes };
    scatterv::linear::linear(exchange, root, blocks, buffer).await
}
