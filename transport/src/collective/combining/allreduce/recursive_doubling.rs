//! Recursive doubling allreduce.
//!
//! In round k each member swaps all its data with the one whose index differs in
//! bit k: each then holds the combination of 2^(k+1) neighbouring members. Members
//! above a power of two are folded in ([`crate::collective::shape::power_of_two`]).
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n, n a power of two; else log n + 1 | log n | m log n |

use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send, send_receive};
use crate::collective::reduction::{Reduction, combine_ordered};
use crate::collective::shape::power_of_two::{Fold, Folding};

/// Combines `buffer` of all members into `buffer` of every member.
pub async fn recursive_doubling(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let buffer = data.in_place();
    let rank = exchange.rank();
    let folding = Folding::new(exchange.size(), 1);
    let fold = folding.fold(rank);
    if let Fold::Hands { partner } = fold {
        send(exchange, partner, buffer).await?;
        return receive(exchange, partner, buffer).await;
    }
    let mut received = Scratch::new(buffer.len())?;
    if let Fold::Takes { partner } = fold {
        receive(exchange, partner, &mut received).await?;
        combine_ordered(reduction, (rank, buffer), (partner, &mut received));
    }
    let index = folding.index_of(rank);
    let mut bit = 1;
    while bit < folding.power {
        let partner = folding.rank_of(index ^ bit);
        send_receive(exchange, partner, buffer, partner, &mut received).await?;
        combine_ordered(reduction, (rank, buffer), (partner, &mut received));
        bit *= 2;
    }
    if let Fold::Takes { partner } = fold {
        send(exchange, partner, buffer).await?;
    }
    Ok(())
}
