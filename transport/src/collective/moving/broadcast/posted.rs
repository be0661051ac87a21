//! Broadcast on a board: the root posts segment after segment, and everybody else copies them.
//!
//! A segment is as long as a slot, so that members copy one while the root writes the next.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use pamir_shm::board::mapped::SLOT_BYTES;

use crate::collective::board::rounds::{Readers, Rounds, posts_for};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;

/// Copies the root's `buffer` to every member.
pub async fn posted(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let total = buffer.len();
    let count = posts_for(total, SLOT_BYTES).max(1);
    let mut rounds = Rounds::begin(exchange, count).await?;
    for index in 0..count {
        let start = index * SLOT_BYTES;
        let segment = &mut buffer[start..total.min(start + SLOT_BYTES)];
        if exchange.rank() == root {
            rounds.post(index, segment, total, Readers::All).await;
        } else {
            let seen = rounds.take_of(index, root, segment.len(), total).await?;
            seen.copy_to(0, segment);
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
