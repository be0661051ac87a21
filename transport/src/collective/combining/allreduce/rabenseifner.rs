//! Rabenseifner's allreduce: reduce-scatter by vector halving, then an allgather that runs back.
//!
//! For large data: 2 m bytes a member instead of m log n. Keeps the order of ranks
//! ([`super::halving`]).
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 log n (+ 2 unless n is a power of two) | 2 log n + 1 | about 2 m (3 m) |

use super::halving::{Halving, allgather, reduce_scatter};
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::{Reduction, combine_ordered, elements};
use crate::collective::shape::power_of_two::{Fold, Folding};

/// Combines `buffer` of all members into `buffer` of every member.
pub async fn rabenseifner(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let buffer = data.in_place();
    let rank = exchange.rank();
    let folding = Folding::new(exchange.size(), 1);
    let fold = folding.fold(rank);
    match fold {
        Fold::Hands { partner } => {
            send(exchange, partner, buffer).await?;
            return receive(exchange, partner, buffer).await;
        }
        Fold::Takes { partner } => {
            let mut received = Scratch::new(buffer.len())?;
            receive(exchange, partner, &mut received).await?;
            combine_ordered(reduction, (rank, buffer), (partner, &mut received));
        }
        Fold::Alone => {}
    }
    let halving = Halving {
        elements: elements(reduction, buffer.len())?,
        element_bytes: reduction.element_bytes(),
        index: folding.index_of(rank),
    };
    reduce_scatter(exchange, reduction, &folding, &halving, buffer).await?;
    allgather(exchange, &folding, &halving, buffer).await?;
    if let Fold::Takes { partner } = fold {
        send(exchange, partner, buffer).await?;
    }
    Ok(())
}
