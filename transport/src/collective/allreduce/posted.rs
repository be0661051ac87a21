//! Allreduce on a board: everybody posts its data, and combines that of all.
//!
//! All members combine in the same order, so all have the same result to the last bit.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::allreduce::linear;
use crate::collective::apart::Apart;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;
use crate::collective::rounds::{Readers, Rounds, posts_for, whole_elements};

/// Combines the data of all members into the result of every member.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: Apart<'_>,
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, data).await;
    };
    let Apart { own, result } = data;
    let total = result.len();
    let mut rounds = Rounds::begin(exchange, posts_for(total, segment_bytes)).await?;
    for (index, segment) in result.chunks_mut(segment_bytes).enumerate() {
        let start = index * segment_bytes;
        let own = own.map(|own| &own[start..start + segment.len()]);
        let posted = own.unwrap_or(segment);
        rounds.post(index, posted, total, Readers::All).await;
        let data = Apart {
            own,
            result: segment,
        };
        rounds.combine_all(reduction, index, data, total).await?;
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
