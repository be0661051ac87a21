//! Allreduce on a board: everybody posts its data, and combines that of all.
//!
//! All members combine in the same order, so all have the same result to the last bit.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::board::rounds::{Readers, Rounds, posts_for, whole_elements};
use crate::collective::combining::allreduce::linear;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;

/// Combines the data of all members into the result of every member.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, data).await;
    };
    let rounds = Rounds::begin(exchange, 0).await?;
    combine_in(rounds, reduction, data, segment_bytes).await
}

/// The same, in more rounds of an operation, so many bytes in each.
pub(super) async fn combine_in<E: Exchange>(
    rounds: Rounds<'_, E>,
    reduction: &impl Reduction,
    mut data: OutOfPlace<'_>,
    segment_bytes: usize,
) -> Result<(), CollectiveError> {
    let total = data.result.len();
    let count = posts_for(total, segment_bytes);
    let mut rounds = rounds.more(count);
    let part = |index: usize| {
        let start = index * segment_bytes;
        start..total.min(start + segment_bytes)
    };
    // One post ahead, so that nobody waits for a copy that could go on beside another.
    for step in 0..=count {
        if step < count {
            let posted = &data.own()[part(step)];
            rounds.post(step, posted, total, Readers::All).await;
        }
        if let Some(index) = step.checked_sub(1) {
            let data = data.part(part(index));
            rounds.combine_all(reduction, index, data, total).await?;
            rounds.finish(index);
        }
    }
    rounds.end();
    Ok(())
}
