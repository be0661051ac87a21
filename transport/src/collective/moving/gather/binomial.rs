//! Binomial tree gather of blocks of one length.
//!
//! Ranks are counted from the root, so each subtree is a run of ranks that may wrap
//! around from the last rank to rank 0. The root receives runs that do not wrap
//! where they belong, and the one that may wrap through temporary memory.
//!
//! ```text
//!   5 members, root 3, places 0 1 2 3 4 = ranks 3 4 0 1 2
//!   1 -> 0 {4}     3 -> 2 {1}     2 -> 0 {0 1}     4 -> 0 {2}
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | 1 | m n / 2 |

use crate::collective::data::root::{ToRoot, above, from_root};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};

/// Gathers a block of `block_bytes` from each member.
pub async fn binomial(
    exchange: &impl Exchange,
    root: usize,
    block_bytes: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let place = from_root(rank, root, size);
    match buffer {
        ToRoot::Root(all) => {
            let mut mask = 1;
            while mask < size {
                let members = mask.min(size - mask);
                let child = above(root, mask, size);
                if child + members <= size {
                    let run = child * block_bytes..(child + members) * block_bytes;
                    receive(exchange, child, &mut all[run]).await?;
                } else {
                    let mut run = Scratch::new(members * block_bytes)?;
                    receive(exchange, child, &mut run).await?;
                    let (before, wrapped) = run.split_at((size - child) * block_bytes);
                    all[child * block_bytes..].copy_from_slice(before);
                    all[..wrapped.len()].copy_from_slice(wrapped);
                }
                mask *= 2;
            }
            Ok(())
        }
        ToRoot::Member(block) => {
            let subtree = 1 << place.trailing_zeros();
            let parent = above(root, place - subtree, size);
            let members = subtree.min(size - place);
            if members == 1 {
                return send(exchange, parent, block).await;
            }
            let mut run = Scratch::new(members * block_bytes)?;
            run[..block_bytes].copy_from_slice(block);
            let mut mask = 1;
            while mask < members {
                let end = (2 * mask).min(members);
                let child = above(rank, mask, size);
                let part = mask * block_bytes..end * block_bytes;
                receive(exchange, child, &mut run[part]).await?;
                mask *= 2;
            }
            send(exchange, parent, &run).await
        }
    }
}
