//! Allgather: blocks of one length from all members reach every member (MPI-5.0, 6.7).

pub mod bruck;
pub mod measured;
pub mod posted;
pub mod read;
pub mod recursive_doubling;
pub mod ring;
pub mod torus;

use super::gather::whole_blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to gather blocks of one length at all members.
    "allgather", Some("bytes of all blocks");
    run(block_bytes: usize, buffer: &mut [u8]);
    /// Blocks go around a ring.
    Ring = ring, Nothing;
    /// Members at doubling distances swap all they have.
    RecursiveDoubling = recursive_doubling, PowerOfTwo;
    /// As recursive doubling, in one direction, for any number of members.
    Bruck = bruck, Nothing;
    /// Posts on a board, which all copy.
    Posted = posted, Board;
    /// Through the kernel, from everybody's memory.
    Read = read, Board;
    /// As posted, or through the kernel where that has been faster.
    Measured = measured, Board;
    /// Around the rings of one dimension of a torus after another.
    Torus = torus, Nothing;
    => &[
        Row::new(Algorithm::Posted).oversubscribed(),
        Row::new(Algorithm::Posted).up_to(32 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::RecursiveDoubling).up_to(128 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Measured).from(32 << 10),
        Row::new(Algorithm::Posted),
        Row::new(Algorithm::RecursiveDoubling).up_to(64 << 10),
        Row::new(Algorithm::Bruck).up_to(64 << 10),
        Row::new(Algorithm::Ring),
    ];
}

/// Gathers a block from each member at every member. `buffer` has room for all blocks, in the
/// order of ranks, and holds this member's block in place.
pub async fn allgather(exchange: &impl Exchange, buffer: &mut [u8]) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, buffer.len(), true)?;
    allgather_with(algorithm, exchange, buffer).await
}

/// [`allgather`] of a block that lies apart from its place in `buffer`, and is as long.
pub async fn allgather_out_of_place(
    exchange: &impl Exchange,
    own: &[u8],
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, buffer.len(), true)?;
    let block_bytes = whole_blocks(buffer.len(), exchange.size())?;
    if own.len() != block_bytes {
        return Err(CollectiveError::WrongLength {
            bytes: own.len(),
            expected_bytes: block_bytes,
        });
    }
    match algorithm {
        Algorithm::Posted if block_bytes > 0 => {
            return posted::gather(exchange, block_bytes, Some(own), buffer).await;
        }
        Algorithm::Measured if block_bytes > 0 => {
            return measured::gather(exchange, block_bytes, Some(own), buffer).await;
        }
        _ => {}
    }
    buffer[exchange.rank() * block_bytes..][..block_bytes].copy_from_slice(own);
    allgather_with(algorithm, exchange, buffer).await
}

/// [`allgather`] with a given algorithm.
pub async fn allgather_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    let block_bytes = whole_blocks(buffer.len(), exchange.size())?;
    if block_bytes == 0 {
        return Ok(());
    }
    algorithm.run(exchange, block_bytes, buffer).await
}
