//! Allreduce on a board, every member reducing a slice of the data (reduce-scatter, then
//! allgather), pipelined.
//!
//! The data goes in chunks with a slice for each member. Of a chunk everybody posts the slices
//! that are for the others, combines its own, and posts the result; copying the results of one
//! chunk, combining the next and posting the one after it go on side by side.
//!
//! ```text
//! step     0        1              2                   3
//! posts    data 0   data 1         data 2              ...
//! combines          results of 0   results of 1
//! copies                           results of chunk 0
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 m / chunk | 2 m / chunk posts | 2 m (n - 1) / n, chunk n / (n - 1) slots |

use std::ops::Range;

use crate::collective::board::rounds::{Readers, Rounds, whole_elements};
use crate::collective::combining::allreduce::rabenseifner;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::{Reduction, elements, part_of};

/// Combines the data of all members into the result of every member.
pub async fn posted_slices(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    mut data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let Some(most_bytes) = most_bytes(exchange, reduction) else {
        return rabenseifner::rabenseifner(exchange, reduction, data).await;
    };
    let rounds = Rounds::begin(exchange, 0).await?;
    combine_in(rounds, reduction, &mut data, most_bytes).await
}

/// The most bytes of a slice that a post has room for; none if not one element fits.
pub(super) fn most_bytes(exchange: &impl Exchange, reduction: &impl Reduction) -> Option<usize> {
    whole_elements(reduction.element_bytes(), exchange.size().max(2) - 1)
}

/// The same, in more rounds of an operation.
pub(super) async fn combine_in<E: Exchange>(
    rounds: Rounds<'_, E>,
    reduction: &impl Reduction,
    data: &mut OutOfPlace<'_>,
    most_bytes: usize,
) -> Result<(), CollectiveError> {
    let (rank, size) = (rounds.exchange().rank(), rounds.exchange().size());
    let element_bytes = reduction.element_bytes();
    let total = data.result.len();
    let chunks = Chunks {
        elements: elements(reduction, total)?,
        element_bytes,
        most: most_bytes / element_bytes * size,
        size,
    };
    let count = chunks.count();
    let mut rounds = rounds.more(2 * count);
    for step in 0..count + 2 {
        if step < count {
            let round = chunks.data_round(step);
            let bytes: usize = chunks
                .others(step, rank)
                .map(|(_, slice)| slice.len())
                .sum();
            let mut draft = rounds.draft(round, bytes).await;
            let mut at = 0;
            for (_, slice) in chunks.others(step, rank) {
                draft.write(at, &data.own()[slice.clone()]);
                at += slice.len();
            }
            rounds.show(draft, total, Readers::All);
        }
        if let Some(chunk) = step.checked_sub(1).filter(|chunk| *chunk < count) {
            let own = chunks.slice(chunk, rank);
            let round = chunks.data_round(chunk);
            let place = |member| chunks.place(chunk, rank, member);
            let slice = data.part(own.clone());
            rounds
                .combine_others(reduction, round, place, slice, total)
                .await?;
            let result = &data.result[own];
            let round = chunks.result_round(chunk);
            rounds.post(round, result, total, Readers::All).await;
        }
        if let Some(chunk) = step.checked_sub(2) {
            let round = chunks.result_round(chunk);
            for (member, slice) in chunks.others(chunk, rank) {
                let seen = rounds.take_of(round, member, slice.len(), total).await?;
                seen.copy_to(0, &mut data.result[slice]);
            }
            // To be seen are the data of chunk + 2 and the results of chunk + 1, of later rounds.
            rounds.finish(round);
        }
    }
    rounds.end();
    Ok(())
}

/// How the data is cut.
struct Chunks {
    elements: usize,
    element_bytes: usize,
    /// Elements of a chunk.
    most: usize,
    size: usize,
}

impl Chunks {
    fn count(&self) -> usize {
        self.elements.div_ceil(self.most)
    }

    /// The bytes of a member's slice of a chunk.
    fn slice(&self, chunk: usize, member: usize) -> Range<usize> {
        let start = chunk * self.most;
        let elements = self.most.min(self.elements - start);
        let part = part_of(elements, self.element_bytes, self.size, member);
        let base = start * self.element_bytes;
        base + part.start..base + part.end
    }

    /// The slices of a chunk that are other members', with whose they are.
    fn others(&self, chunk: usize, rank: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        let members = (0..self.size).filter(move |member| *member != rank);
        members.map(move |member| (member, self.slice(chunk, member)))
    }

    /// The round in which a chunk's data is posted: data 0, data 1, results 0, data 2, results 1...
    fn data_round(&self, chunk: usize) -> usize {
        (2 * chunk).saturating_sub(1)
    }

    /// The round in which the results of a chunk are posted.
    fn result_round(&self, chunk: usize) -> usize {
        (2 * chunk + 2).min(2 * self.count() - 1)
    }

    /// Where the slice of `rank` lies in the post of `member`, and how long that post is.
    fn place(&self, chunk: usize, rank: usize, member: usize) -> (usize, usize) {
        let (first, own) = (self.slice(chunk, 0), self.slice(chunk, rank));
        let left_out = self.slice(chunk, member).len();
        let before = own.start - first.start - if member < rank { left_out } else { 0 };
        let all = self.slice(chunk, self.size - 1).end - first.start;
        (before, all - left_out)
    }
}
