//! Linear gather: everybody sends to the root, which receives all blocks side by side.
//!
//! Empty blocks are not sent.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | 1 | a member's block |

use crate::collective::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::join::Concurrent;
use crate::collective::root::ToRoot;
use crate::collective::step::{receive, send};

/// Gathers a block from each member.
pub async fn linear(
    exchange: &impl Exchange,
    root: usize,
    blocks: Blocks<'_>,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let all = match buffer {
        ToRoot::Member([]) => return Ok(()),
        ToRoot::Member(block) => return send(exchange, root, block).await,
        ToRoot::Root(all) => all,
    };
    let size = exchange.size();
    let mut receives = Concurrent::with_capacity(size)?;
    for (from, block) in blocks.split(size, all)?.into_iter().enumerate() {
        if from != root && !block.is_empty() {
            receives.push(receive(exchange, from, block));
        }
    }
    receives.finish().await
}
