//! Exclusive scan on a board: everybody posts its data, and combines that of the ranks below its own.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exscan::linear;
use crate::collective::reduction::Reduction;
use crate::collective::rounds::{Readers, Rounds, posts_for, whole_elements};

/// Combines `buffer` of the members below each one into its `buffer`; that of member 0 stays.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, buffer).await;
    };
    let (below, total) = (exchange.rank().checked_sub(1), buffer.len());
    let mut rounds = Rounds::begin(exchange, posts_for(total, segment_bytes)).await?;
    for (index, segment) in buffer.chunks_mut(segment_bytes).enumerate() {
        rounds.post(index, segment, total, Readers::All).await;
        if let Some(last) = below {
            rounds
                .combine_below(reduction, index, last, segment, total)
                .await?;
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
