//! Linear gather: everybody sends to the root, which receives all blocks side by side.
//!
//! Empty blocks are not sent.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | 1 | a member's block |

use crate::collective::data::blocks::Blocks;
use crate::collective::data::out_of_place::copy_meanwhile;
use crate::collective::data::root::ToRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::{Concurrent, join};
use crate::collective::exchange::step::{receive, send};

/// Gathers a block from each member.
pub async fn linear(
    exchange: &impl Exchange,
    root: usize,
    blocks: Blocks<'_>,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    match buffer {
        ToRoot::Member([]) => Ok(()),
        ToRoot::Member(block) => send(exchange, root, block).await,
        ToRoot::Root(all) => collect(exchange, blocks, None, all).await,
    }
}

/// Receives all others' blocks at the root, and copies its own meanwhile, where that lies apart.
pub(in crate::collective) async fn collect(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    own: Option<&[u8]>,
    all: &mut [u8],
) -> Result<(), CollectiveError> {
    let (root, size) = (exchange.rank(), exchange.size());
    let mut receives = Concurrent::with_capacity(size)?;
    let mut kept = None;
    for (from, block) in blocks.split(size, all)?.into_iter().enumerate() {
        if from == root {
            kept = own.map(|own| (own, block));
        } else if !block.is_empty() {
            receives.push(receive(exchange, from, block));
        }
    }
    let Some((own, block)) = kept else {
        return receives.finish().await;
    };
    let keeps = async {
        let block = &mut block[..own.len()];
        if exchange.is_blocking() {
            copy_meanwhile(own, block).await;
        } else {
            // Whoever advances what goes on in the background may sleep between two pieces, until a message comes.
            block.copy_from_slice(own);
        }
        Ok(())
    };
    join(receives.finish(), keeps).await.map(|_| ())
}
