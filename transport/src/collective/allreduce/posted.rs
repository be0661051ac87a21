//! Allreduce on a board: everybody posts its data, and combines that of all.
//!
//! All members combine in the same order, so all have the same result to the last bit.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::allreduce::linear;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;
use crate::collective::rounds::{Readers, Rounds, posts_for, whole_elements};

/// Combines `buffer` of all members into `buffer` of every member.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, buffer).await;
    };
    let total = buffer.len();
    let mut rounds = Rounds::begin(exchange, posts_for(total, segment_bytes)).await?;
    for (index, segment) in buffer.chunks_mut(segment_bytes).enumerate() {
        rounds.post(index, segment, total, Readers::All).await;
        rounds.combine_all(reduction, index, segment, total).await?;
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
