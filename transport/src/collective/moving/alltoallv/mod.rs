//! Alltoall of blocks of any lengths (MPI-5.0, 6.8, `MPI_Alltoallv` and `MPI_Alltoallw`).
//!
//! No member knows the lengths of others' blocks, so the choice of algorithm depends
//! on the number of members only.

pub mod linear;
pub mod pairwise;

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to swap blocks of any lengths.
    "alltoallv", None;
    run(
        outgoing_blocks: Blocks<'_>,
        outgoing: &[u8],
        incoming_blocks: Blocks<'_>,
        incoming: &mut [u8],
    );
    /// All partners side by side.
    Linear = linear, Nothing;
    /// One partner after the other.
    Pairwise = pairwise, Nothing;
    => &[
        Row::new(Algorithm::Linear).ranks(0, 32),
        Row::new(Algorithm::Pairwise).ranks(33, usize::MAX),
    ];
}

/// Sends a block of `outgoing` to each member and receives a block of `incoming` from each; this
/// member's own block is copied. The length sent to a member is the one it expects.
pub async fn alltoallv(
    exchange: &impl Exchange,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    alltoallv_with(
        choose(exchange, 0, true)?,
        exchange,
        outgoing_blocks,
        outgoing,
        incoming_blocks,
        incoming,
    )
    .await
}

/// [`alltoallv`] with a given algorithm.
pub async fn alltoallv_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    outgoing_blocks: Blocks<'_>,
    outgoing: &[u8],
    incoming_blocks: Blocks<'_>,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    check(algorithm, exchange, true)?;
    outgoing_blocks.check(size, outgoing.len())?;
    incoming_blocks.check(size, incoming.len())?;
    let (sent, expected) = (outgoing_blocks.bytes(rank), incoming_blocks.bytes(rank));
    if sent != expected {
        return Err(CollectiveError::WrongLength {
            bytes: sent,
            expected_bytes: expected,
        });
    }
    algorithm
        .run(
            exchange,
            outgoing_blocks,
            outgoing,
            incoming_blocks,
            incoming,
        )
        .await
}
