//! Alltoall whose blocks are replaced where they are (MPI-5.0, 6.8, `MPI_IN_PLACE`).
//!
//! What a member sends to another has the length of what it receives from it, so one
//! list of blocks describes both.

pub mod copied_linear;
pub mod pairwise_replace;

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to swap blocks in place.
    "alltoall_in_place", Some("bytes of a block");
    run(blocks: Blocks<'_>, buffer: &mut [u8]);
    /// From a copy of the buffer, all partners side by side.
    CopiedLinear = copied_linear, Nothing;
    /// One partner after the other, with room for one block.
    PairwiseReplace = pairwise_replace, Nothing;
    => &[
        Row::new(Algorithm::CopiedLinear).up_to(4 << 10),
        Row::new(Algorithm::PairwiseReplace),
    ];
}

/// Sends each block of `buffer` to its member and replaces it by what that member sends.
///
/// All members pass [`Blocks::Uniform`], or all pass [`Blocks::Listed`].
pub async fn alltoall_in_place(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    // Listed lengths are no two members' same: they cannot decide.
    let known_bytes = match blocks {
        Blocks::Uniform { bytes } => bytes,
        _ => usize::MAX,
    };
    let algorithm = choose(exchange, known_bytes, true)?;
    alltoall_in_place_with(algorithm, exchange, blocks, buffer).await
}

/// [`alltoall_in_place`] with a given algorithm.
pub async fn alltoall_in_place_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    blocks.check(exchange.size(), buffer.len())?;
    algorithm.run(exchange, blocks, buffer).await
}
