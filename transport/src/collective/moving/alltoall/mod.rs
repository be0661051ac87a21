//! Alltoall: every member has a block of one length for every member (MPI-5.0, 6.8).

pub mod bruck;
pub mod linear;
pub mod measured;
pub mod pairwise;
pub mod posted;
pub mod read;

use super::gather::whole_blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to swap blocks of one length.
    "alltoall", Some("bytes of a block");
    run(block_bytes: usize, outgoing: &[u8], incoming: &mut [u8]);
    /// Blocks hop over doubling distances, many in a message.
    Bruck = bruck, Nothing;
    /// One partner after the other.
    Pairwise = pairwise, Nothing;
    /// All partners side by side.
    Linear = linear, Nothing;
    /// Posts on a board, from which all copy their parts.
    Posted = posted, Board;
    /// Through the kernel, from everybody's memory.
    Read = read, Board;
    /// As posted, or through the kernel where that has been faster.
    Measured = measured, Board;
    => &[
        Row::new(Algorithm::Posted).up_to(12 << 10).oversubscribed(),
        Row::new(Algorithm::Linear).up_to(48 << 10).ranks(0, 32).oversubscribed(),
        Row::new(Algorithm::Pairwise).up_to(96 << 10).ranks(0, 32).oversubscribed(),
        Row::new(Algorithm::Linear).ranks(0, 32).oversubscribed(),
        Row::new(Algorithm::Posted).oversubscribed(),
        Row::new(Algorithm::Posted).up_to(16 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Pairwise).up_to(64 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Measured).from(12 << 10),
        Row::new(Algorithm::Posted),
        Row::new(Algorithm::Linear).up_to(2048).oversubscribed(),
        Row::new(Algorithm::Bruck).up_to(256).ranks(8, usize::MAX),
        Row::new(Algorithm::Linear).up_to(32 << 10),
        Row::new(Algorithm::Pairwise),
    ];
}

/// Sends block i of `outgoing` to member i and receives into block i of `incoming` from it; this
/// member's own block is copied.
pub async fn alltoall(
    exchange: &impl Exchange,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let block_bytes = whole_blocks(incoming.len(), exchange.size())?;
    let algorithm = choose(exchange, block_bytes, true)?;
    alltoall_with(algorithm, exchange, outgoing, incoming).await
}

/// [`alltoall`] with a given algorithm.
pub async fn alltoall_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    let block_bytes = whole_blocks(incoming.len(), exchange.size())?;
    if outgoing.len() != incoming.len() {
        return Err(CollectiveError::WrongLength {
            bytes: outgoing.len(),
            expected_bytes: incoming.len(),
        });
    }
    if block_bytes == 0 {
        return Ok(());
    }
    algorithm
        .run(exchange, block_bytes, outgoing, incoming)
        .await
}
