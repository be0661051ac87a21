//! Binomial tree scatter of blocks of one length: the binomial gather backwards.
//!
//! Ranks are counted from the root. The run of blocks for a subtree may wrap around
//! from the last rank to rank 0; the root puts such a run together in temporary
//! memory.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n (root) | (n - 1) m (root), m a member's block |

use crate::collective::data::root::{FromRoot, above, from_root};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};

/// Gives each member its block of `block_bytes`.
pub async fn binomial(
    exchange: &impl Exchange,
    root: usize,
    block_bytes: usize,
    buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let place = from_root(rank, root, size);
    match buffer {
        FromRoot::Root(all) => {
            let mut mask = size.next_power_of_two();
            while mask > 1 {
                mask /= 2;
                let members = mask.min(size - mask);
                let child = above(root, mask, size);
                if child + members <= size {
                    let run = child * block_bytes..(child + members) * block_bytes;
                    send(exchange, child, &all[run]).await?;
                } else {
                    let mut run = Scratch::new(members * block_bytes)?;
                    let (before, wrapped) = run.split_at_mut((size - child) * block_bytes);
                    before.copy_from_slice(&all[child * block_bytes..]);
                    wrapped.copy_from_slice(&all[..wrapped.len()]);
                    send(exchange, child, &run).await?;
                }
            }
            Ok(())
        }
        FromRoot::Member(block) => {
            let subtree = 1 << place.trailing_zeros();
            let parent = above(root, place - subtree, size);
            let members = subtree.min(size - place);
            if members == 1 {
                return receive(exchange, parent, block).await;
            }
            let mut run = Scratch::new(members * block_bytes)?;
            receive(exchange, parent, &mut run).await?;
            block.copy_from_slice(&run[..block_bytes]);
            let mut mask = subtree;
            while mask > 1 {
                mask /= 2;
                if mask < members {
                    let end = (2 * mask).min(members);
                    let child = above(rank, mask, size);
                    send(exchange, child, &run[mask * block_bytes..end * block_bytes]).await?;
                }
            }
            Ok(())
        }
    }
}
