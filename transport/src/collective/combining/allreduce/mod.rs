//! Allreduce: the members' contributions, combined, reach every member (MPI-5.0, 6.9.6).

pub mod halving;
pub mod linear;
pub mod measured;
pub mod posted;
pub mod posted_slices;
pub mod rabenseifner;
pub mod read;
pub mod recursive_doubling;
pub mod reduce_broadcast;
pub mod ring;
pub mod torus;

use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::{Reduction, elements};
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to reduce to all members.
    "allreduce", Some("bytes of the buffer");
    run(reduction: &impl Reduction, data: OutOfPlace<'_>);
    /// Members at doubling distances swap and combine.
    RecursiveDoubling = recursive_doubling, Nothing;
    /// Around a ring, a part of the data from each member at a time.
    Ring = ring, Commutative;
    /// Halves are reduced side by side, then spread.
    Rabenseifner = rabenseifner, Nothing;
    /// Reduce to rank 0 and broadcast.
    ReduceBroadcast = reduce_broadcast, Nothing;
    /// All to rank 0, and back.
    Linear = linear, Nothing;
    /// Posts on a board, which all combine.
    Posted = posted, Board;
    /// Slices on a board, each combined by one member.
    PostedSlices = posted_slices, Board;
    /// Slices through the kernel, each combined by one member.
    Read = read, Board;
    /// As posted slices, or through the kernel where that has been faster.
    Measured = measured, Board;
    /// Around the rings of one dimension of a torus after another, parts of parts of the data.
    Torus = torus, Commutative;
    => &[
        Row::new(Algorithm::Posted).up_to(16 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Posted).up_to((16 << 10) - 1).ranks(0, 2),
        Row::new(Algorithm::Posted).up_to(2 << 10),
        Row::new(Algorithm::PostedSlices).oversubscribed(),
        Row::new(Algorithm::Measured).from(16 << 10).ranks(0, 2),
        Row::new(Algorithm::Measured).from(96 << 10),
        Row::new(Algorithm::PostedSlices),
        Row::new(Algorithm::Linear).up_to(2048).oversubscribed(),
        Row::new(Algorithm::RecursiveDoubling).up_to(16 << 10),
        Row::new(Algorithm::Rabenseifner),
    ];
}

/// Combines `buffer` of all members, in the order of ranks, into `buffer` of every member.
pub async fn allreduce(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    allreduce_out_of_place(exchange, reduction, buffer.into()).await
}

/// [`allreduce`] of data that may lie apart from the result.
pub async fn allreduce_out_of_place(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, data.result.len(), reduction.commutative())?;
    allreduce_out_of_place_with(algorithm, exchange, reduction, data).await
}

/// [`allreduce`] with a given algorithm.
pub async fn allreduce_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    allreduce_out_of_place_with(algorithm, exchange, reduction, buffer.into()).await
}

/// [`allreduce_out_of_place`] with a given algorithm.
pub async fn allreduce_out_of_place_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, reduction.commutative())?;
    if elements(reduction, data.result.len())? == 0 {
        return Ok(());
    }
    algorithm.run(exchange, reduction, data).await
}
