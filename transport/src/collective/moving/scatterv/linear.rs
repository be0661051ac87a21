//! Linear scatter: the root sends to everybody, all sends side by side.
//!
//! Empty blocks are not sent.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | n - 1 (root) | all blocks but the root's |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::FromRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::Concurrent;
use crate::collective::exchange::step::{receive, send};

/// Gives each member its block.
pub async fn linear(
    exchange: &impl Exchange,
    root: usize,
    blocks: Blocks<'_>,
    buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    let all = match buffer {
        FromRoot::Member([]) => return Ok(()),
        FromRoot::Member(block) => return receive(exchange, root, block).await,
        FromRoot::Root(all) => all,
    };
    let size = exchange.size();
    let mut sends = Concurrent::with_capacity(size)?;
    for to in (0..size).filter(|&to| to != root && blocks.bytes(to) != 0) {
        sends.push(send(exchange, to, &all[blocks.range(to)]));
    }
    sends.finish().await
}
