//! Linear gather of blocks of one length: everybody sends to the root.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | 1 | m, a member's block |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::ToRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::gatherv;

/// Gathers a block of `block_bytes` from each member.
pub async fn linear(
    exchange: &impl Exchange,
    root: usize,
    block_bytes: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let blocks = Blocks::Uniform { bytes: block_bytes };
    gatherv::linear::linear(exchange, root, blocks, buffer).await
}
