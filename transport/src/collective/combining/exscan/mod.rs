//! Exclusive scan: each member gets the combination of the ranks below its own (MPI-5.0, 6.11.2).

pub mod linear;
pub mod posted;
pub mod recursive_doubling;

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::{Reduction, elements};
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to combine the ranks below each member's own.
    "exscan", Some("bytes of the buffer");
    run(reduction: &impl Reduction, buffer: &mut [u8]);
    /// From each member to the next.
    Linear = linear, Nothing;
    /// Members at doubling distances swap and combine.
    RecursiveDoubling = recursive_doubling, Nothing;
    /// Posts on a board, of which each combines those below.
    Posted = posted, Board;
    => &[
        Row::new(Algorithm::Posted),
        Row::new(Algorithm::Linear).ranks(0, 2),
        Row::new(Algorithm::RecursiveDoubling),
    ];
}

/// Replaces `buffer` by the combination, in the order of ranks, of `buffer` of the ranks below this
/// one; at rank 0 `buffer` stays as it is.
pub async fn exscan(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, buffer.len(), reduction.commutative())?;
    exscan_with(algorithm, exchange, reduction, buffer).await
}

/// [`exscan`] with a given algorithm.
pub async fn exscan_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, reduction.commutative())?;
    if elements(reduction, buffer.len())? == 0 {
        return Ok(());
    }
    algorithm.run(exchange, reduction, buffer).await
}
