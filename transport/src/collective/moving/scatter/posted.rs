//! Scatter on a board: the root posts the blocks of all members side by side, and each copies its own.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m (n - 1) / segment | m (n - 1) / segment posts | m (n - 1), m a member's block |

use crate::collective::board::rounds::{Readers, Rounds, posts_for};
use crate::collective::data::root::FromRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::alltoall::posted::{part_among_others, part_bytes};

/// Gives each member its block of `block_bytes`.
pub async fn posted(
    exchange: &impl Exchange,
    root: usize,
    block_bytes: usize,
    mut buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    let (rank, others) = (exchange.rank(), exchange.size() - 1);
    let each = part_bytes(block_bytes, others);
    let mut rounds = Rounds::begin(exchange, posts_for(block_bytes, each)).await?;
    for (index, start) in (0..block_bytes).step_by(each).enumerate() {
        let bytes = each.min(block_bytes - start);
        match &mut buffer {
            FromRoot::Root(all) => {
                let mut draft = rounds.draft(index, bytes * others).await;
                for member in (0..exchange.size()).filter(|member| *member != root) {
                    let part = &all[member * block_bytes + start..][..bytes];
                    draft.write(part_among_others(member, root) * bytes, part);
                }
                rounds.show(draft, block_bytes, Readers::All);
            }
            FromRoot::Member(block) => {
                let part = (bytes * others, bytes);
                let seen = rounds.take_part_of(index, root, part, block_bytes).await?;
                let at = part_among_others(rank, root) * bytes;
                seen.copy_to(at, &mut block[start..start + bytes]);
            }
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
