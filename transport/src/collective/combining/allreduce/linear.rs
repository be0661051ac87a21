//! Allreduce as a linear reduce to rank 0 and a linear broadcast from it.
//!
//! For more members than cores and little data: every member but the first has to run only
//! once, while the rounds of other algorithms each wait until the scheduler has come around.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 | 1; n - 1 (rank 0) | m; m (n - 1) (rank 0) |

use crate::collective::combining::reduce;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::root::ToRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::broadcast;
use crate::collective::reduction::Reduction;

/// Combines `buffer` of all members into `buffer` of every member.
pub async fn linear(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let buffer = data.in_place();
    let contribution = if exchange.rank() == 0 {
        ToRoot::Root(buffer)
    } else {
        ToRoot::Member(buffer)
    };
    reduce::linear::linear(exchange, reduction, 0, contribution).await?;
    broadcast::linear::linear(exchange, 0, buffer).await
}
