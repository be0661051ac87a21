//! Allgather on a board: everybody posts its block, and copies those of all others.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m, a member's block |

use pamir_shm::mapped_board::SLOT_BYTES;

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::rounds::{Readers, Rounds, posts_for};

/// Gathers blocks of `block_bytes` at every member.
pub async fn posted(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let count = posts_for(block_bytes, SLOT_BYTES);
    let mut rounds = Rounds::begin(exchange, count).await?;
    let part = |member: usize, index: usize| {
        let start = index * SLOT_BYTES;
        let end = block_bytes.min(start + SLOT_BYTES);
        member * block_bytes + start..member * block_bytes + end
    };
    // One post ahead, so that nobody waits for a copy that could go on beside another.
    let own = &buffer[part(rank, 0)];
    rounds.post(0, own, block_bytes, Readers::All).await;
    for index in 0..count {
        if index + 1 < count {
            let own = &buffer[part(rank, index + 1)];
            rounds.post(index + 1, own, block_bytes, Readers::All).await;
        }
        for member in (0..size).filter(|member| *member != rank) {
            let range = part(member, index);
            let seen = rounds
                .see_of(index, member, range.len(), block_bytes)
                .await?;
            seen.copy_to(0, &mut buffer[range]);
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
