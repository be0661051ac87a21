//! Allgather on a board: everybody posts its block, and copies those of all others.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m, a member's block |

use std::ops::Range;

use pamir_shm::board::mapped::SLOT_BYTES;

use crate::collective::board::rounds::{Readers, Rounds, posts_for};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;

/// Gathers blocks of `block_bytes` at every member.
pub async fn posted(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    gather(exchange, block_bytes, None, buffer).await
}

/// The same of a block that may lie apart from its place in `buffer`.
pub async fn gather(
    exchange: &impl Exchange,
    block_bytes: usize,
    own: Option<&[u8]>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let rounds = Rounds::begin(exchange, 0).await?;
    gather_in(rounds, block_bytes, own, buffer).await
}

/// The same, in more rounds of an operation.
pub(super) async fn gather_in<E: Exchange>(
    rounds: Rounds<'_, E>,
    block_bytes: usize,
    own: Option<&[u8]>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (rounds.exchange().rank(), rounds.exchange().size());
    let count = posts_for(block_bytes, SLOT_BYTES);
    let mut rounds = rounds.more(count);
    let part = |index: usize| {
        let start = index * SLOT_BYTES;
        start..block_bytes.min(start + SLOT_BYTES)
    };
    let place = |member: usize, part: Range<usize>| {
        let start = member * block_bytes;
        start + part.start..start + part.end
    };
    // One post ahead, so that nobody waits for a copy that could go on beside another.
    for step in 0..=count {
        if step < count {
            let inside = place(rank, part(step));
            let posted = own.map_or(&buffer[inside.clone()], |own| &own[part(step)]);
            rounds.post(step, posted, block_bytes, Readers::All).await;
            if let Some(own) = own {
                buffer[inside].copy_from_slice(&own[part(step)]);
            }
        }
        let Some(index) = step.checked_sub(1) else {
            continue;
        };
        for member in (0..size).filter(|member| *member != rank) {
            let range = place(member, part(index));
            let seen = rounds
                .take_of(index, member, range.len(), block_bytes)
                .await?;
            seen.copy_to(0, &mut buffer[range]);
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
