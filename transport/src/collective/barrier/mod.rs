//! Barrier: nobody leaves before everybody has come (MPI-5.0, 6.3).

pub mod dissemination;
pub mod linear;
pub mod posted;
pub mod torus;
pub mod tree;

use super::error::CollectiveError;
use super::exchange::Exchange;
use super::select::{Row, algorithms, choose};

algorithms! {
    /// Ways to hold members until all have come.
    "barrier", None;
    run();
    /// Everybody tells members at doubling distances.
    Dissemination = dissemination, Nothing;
    /// Up a binomial tree and down again.
    Tree = tree, Nothing;
    /// All to member 0, and back.
    Linear = linear, Nothing;
    /// Flags on a board, which all look at.
    Posted = posted, Board;
    /// Neighbours in a torus tell each other, along one dimension after another.
    Torus = torus, Nothing;
    => &[
        Row::new(Algorithm::Posted),
        Row::new(Algorithm::Linear).oversubscribed(),
        Row::new(Algorithm::Dissemination),
    ];
}

/// Returns once all members have called it.
pub async fn barrier(exchange: &impl Exchange) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, 0, true)?;
    barrier_with(algorithm, exchange).await
}

/// [`barrier`] with a given algorithm.
pub async fn barrier_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
) -> Result<(), CollectiveError> {
    algorithm.run(exchange).await
}
