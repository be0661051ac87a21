//! Alltoall on a board: everybody posts what it has for all others side by side, and copies from
//! each post the part that is for itself.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m (n - 1) / segment | m (n - 1) / segment posts | m (n - 1), m a block |

use pamir_shm::board::mapped::SLOT_BYTES;

use crate::collective::board::rounds::{Readers, Rounds, posts_for};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;

/// How many bytes of a block for each of `others` members share a post: whole lines, where there
/// is room for them.
pub(in crate::collective) fn part_bytes(block_bytes: usize, others: usize) -> usize {
    let room = SLOT_BYTES / others.max(1);
    let lines = if room >= 64 { room & !63 } else { room };
    block_bytes.min(lines)
}

/// Which part of a post of `of` is for `member`, another one.
pub(in crate::collective) fn part_among_others(member: usize, of: usize) -> usize {
    member - usize::from(member > of)
}

/// Swaps blocks of `block_bytes`.
pub async fn posted(
    exchange: &impl Exchange,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let rounds = Rounds::begin(exchange, 0).await?;
    swap_in(rounds, block_bytes, outgoing, incoming).await
}

/// The same, in more rounds of an operation.
pub(super) async fn swap_in<E: Exchange>(
    rounds: Rounds<'_, E>,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (rounds.exchange().rank(), rounds.exchange().size());
    let own = rank * block_bytes..(rank + 1) * block_bytes;
    incoming[own.clone()].copy_from_slice(&outgoing[own]);
    let others = size - 1;
    let each = part_bytes(block_bytes, others);
    let count = posts_for(block_bytes, each);
    let mut rounds = rounds.more(count);
    // One post ahead, as in the allgather.
    for step in 0..=count {
        if step < count {
            let start = step * each;
            let bytes = each.min(block_bytes - start);
            let mut draft = rounds.draft(step, bytes * others).await;
            for member in (0..size).filter(|member| *member != rank) {
                let part = &outgoing[member * block_bytes + start..][..bytes];
                draft.write(part_among_others(member, rank) * bytes, part);
            }
            rounds.show(draft, block_bytes, Readers::All);
        }
        let Some(index) = step.checked_sub(1) else {
            continue;
        };
        let start = index * each;
        let bytes = each.min(block_bytes - start);
        for member in (0..size).filter(|member| *member != rank) {
            let part = (bytes * others, bytes);
            let seen = rounds
                .take_part_of(index, member, part, block_bytes)
                .await?;
            let target = &mut incoming[member * block_bytes + start..][..bytes];
            seen.copy_to(part_among_others(rank, member) * bytes, target);
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
