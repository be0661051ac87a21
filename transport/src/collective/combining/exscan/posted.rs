//! Exclusive scan on a board: everybody posts its data, and combines that of the ranks below its own.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::board::rounds::whole_elements;
use crate::collective::combining::exscan::linear;
use crate::collective::combining::scan::posted::combine_up_to;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;

/// Combines `buffer` of the members below each one into its `buffer`; that of member 0 stays.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, buffer).await;
    };
    let below = exchange.rank().checked_sub(1);
    combine_up_to(exchange, reduction, below, segment_bytes, buffer).await
}
