//! Binomial tree reduce in the order of ranks, for operators that do not commute.
//!
//! The tree always stands on rank 0, so that each member combines its own range of
//! ranks with the next higher one. Another root gets the result in one more message.
//!
//! ```text
//!   0 1 2 3 4 5 6        (01) (23) (45) 6        (0123) (456)        (0123456)
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n, + 1 where the root is not rank 0 | 1 | m |

use crate::collective::data::root::ToRoot;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::{Reduction, combine_higher};

/// Combines all contributions into the root's buffer.
pub async fn ordered_binomial(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    match buffer {
        ToRoot::Root(result) => {
            climb(exchange, reduction, result).await?;
            if root != 0 {
                receive(exchange, 0, result).await?;
            }
        }
        ToRoot::Member(contribution) => {
            let rank = exchange.rank();
            if rank % 2 == 1 {
                return send(exchange, rank - 1, contribution).await;
            }
            let mut accumulated = Scratch::copy_of(contribution)?;
            climb(exchange, reduction, &mut accumulated).await?;
            if rank == 0 {
                send(exchange, root, &accumulated).await?;
            }
        }
    }
    Ok(())
}

/// Takes the ranges of ranks above this member into `accumulated` and, unless this is rank 0,
/// sends them on.
async fn climb(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    accumulated: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut received = Scratch::new(accumulated.len())?;
    let mut mask = 1;
    while mask < size {
        if rank & mask != 0 {
            return send(exchange, rank - mask, accumulated).await;
        }
        if rank + mask < size {
            receive(exchange, rank + mask, &mut received).await?;
            combine_higher(reduction, accumulated, &mut received);
        }
        mask *= 2;
    }
    Ok(())
}
