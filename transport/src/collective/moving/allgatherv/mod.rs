//! Allgather of blocks of any lengths (MPI-5.0, 6.7, `MPI_Allgatherv`).

pub mod linear;
pub mod ring;

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to gather blocks of any lengths at all members.
    "allgatherv", Some("bytes of all blocks");
    run(blocks: Blocks<'_>, buffer: &mut [u8]);
    /// Everybody sends to everybody.
    Linear = linear, Nothing;
    /// Blocks go around a ring.
    Ring = ring, Nothing;
    => &[
        Row::new(Algorithm::Linear).up_to(32 << 10).ranks(0, 16),
        Row::new(Algorithm::Ring),
    ];
}

/// Gathers a block from each member at every member. `buffer` holds the blocks where `blocks`
/// says, this member's in place. All members pass the same lengths; displacements may differ.
pub async fn allgatherv(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let size = exchange.size();
    blocks.check(size, buffer.len())?;
    let algorithm = choose(exchange, blocks.total_bytes(size), true)?;
    allgatherv_with(algorithm, exchange, blocks, buffer).await
}

/// [`allgatherv`] with a given algorithm.
pub async fn allgatherv_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    blocks.check(exchange.size(), buffer.len())?;
    algorithm.run(exchange, blocks, buffer).await
}
