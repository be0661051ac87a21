//! Reduce-scatter as a reduce to rank 0 in the order of ranks, and a scatter from it.
//!
//! For operators that do not commute.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n + 1 | n - 1 (rank 0) | m |

use crate::collective::combining::reduce::ordered_binomial::ordered_binomial;
use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::{FromRoot, ToRoot};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::scatterv::linear::linear;
use crate::collective::reduction::Reduction;

/// Combines `input` of all members and puts this member's block of it into `output`.
pub async fn reduce_scatterv(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    blocks: Blocks<'_>,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    if exchange.rank() != 0 {
        ordered_binomial(exchange, reduction, 0, ToRoot::Member(input)).await?;
        return linear(exchange, 0, blocks, FromRoot::Member(output)).await;
    }
    let mut result = Scratch::copy_of(input)?;
    ordered_binomial(exchange, reduction, 0, ToRoot::Root(&mut result)).await?;
    linear(exchange, 0, blocks, FromRoot::Root(&result)).await?;
    output.copy_from_slice(&result[blocks.range(0)]);
    Ok(())
}
