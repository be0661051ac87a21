//! Scan on a board: everybody posts its data, and combines that of the ranks up to its own.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::board::rounds::{Readers, Rounds, posts_for, whole_elements};
use crate::collective::combining::scan::linear;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;

/// Combines `buffer` of the members up to each one into its `buffer`.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, buffer).await;
    };
    combine_up_to(
        exchange,
        reduction,
        Some(exchange.rank()),
        segment_bytes,
        buffer,
    )
    .await
}

/// Everybody posts its `buffer`, a segment a round, and combines those of the members up to `last`
/// into it; without one it stays.
pub(in crate::collective) async fn combine_up_to(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    last: Option<usize>,
    segment_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let total = buffer.len();
    let mut rounds = Rounds::begin(exchange, posts_for(total, segment_bytes)).await?;
    for (index, segment) in buffer.chunks_mut(segment_bytes).enumerate() {
        rounds.post(index, segment, total, Readers::All).await;
        if let Some(last) = last {
            rounds
                .combine_below(reduction, index, last, segment.into(), total)
                .await?;
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
