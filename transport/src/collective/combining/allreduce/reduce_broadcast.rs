//! Allreduce as a binomial reduce to rank 0 and a binomial broadcast from it.
//!
//! 2 (n - 1) messages in all instead of n log n: for more members than cores, where
//! a message costs more than a round.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 log n | log n | m log n (rank 0) |

use crate::collective::combining::reduce::ordered_binomial::ordered_binomial;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::root::ToRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::broadcast::binomial::binomial;
use crate::collective::reduction::Reduction;

/// Combines `buffer` of all members into `buffer` of every member.
pub async fn reduce_broadcast(
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
    ordered_binomial(exchange, reduction, 0, contribution).await?;
    binomial(exchange, 0, buffer).await
}
