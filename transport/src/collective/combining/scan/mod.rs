//! Scan: each member gets the combination of the ranks up to its own (MPI-5.0, 6.11.1).

pub mod linear;
pub mod posted;
pub mod recursive_doubling;

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::{Reduction, elements};
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to combine the ranks up to each member's own.
    "scan", Some("bytes of the buffer");
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

/// Replaces `buffer` by the combination, in the order of ranks, of `buffer` of ranks 0 to this one.
pub async fn scan(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, buffer.len(), reduction.commutative())?;
    scan_with(algorithm, exchange, reduction, buffer).await
}

/// [`scan`] with a given algorithm.
pub async fn scan_with(
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
