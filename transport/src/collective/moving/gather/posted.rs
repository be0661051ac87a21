//! Gather on a board: everybody posts its block, and the root copies all of them.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m, a member's block |

use pamir_shm::board::mapped::SLOT_BYTES;

use crate::collective::board::rounds::{Readers, Rounds, posts_for};
use crate::collective::data::root::ToRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;

/// Gathers a block of `block_bytes` from each member.
pub async fn posted(
    exchange: &impl Exchange,
    root: usize,
    block_bytes: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let mut rounds = Rounds::begin(exchange, posts_for(block_bytes, SLOT_BYTES)).await?;
    match buffer {
        ToRoot::Member(block) => {
            for (index, segment) in block.chunks(SLOT_BYTES).enumerate() {
                let readers = Readers::One(root);
                rounds.post(index, segment, block_bytes, readers).await;
                rounds.finish(index);
            }
        }
        ToRoot::Root(all) => {
            for (index, start) in (0..block_bytes).step_by(SLOT_BYTES).enumerate() {
                let bytes = SLOT_BYTES.min(block_bytes - start);
                for member in (0..exchange.size()).filter(|member| *member != root) {
                    let seen = rounds.take_of(index, member, bytes, block_bytes).await?;
                    seen.copy_to(0, &mut all[member * block_bytes + start..][..bytes]);
                }
                rounds.finish(index);
            }
        }
    }
    rounds.end();
    Ok(())
}
