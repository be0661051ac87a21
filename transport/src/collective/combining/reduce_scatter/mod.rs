//! Reduce-scatter: contributions are combined, and each member gets a block of the result (MPI-5.0, 6.10).

pub mod pairwise;
pub mod posted;
pub mod recursive_halving;
pub mod reduce_scatterv;

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::{Reduction, elements};
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to reduce and scatter the result.
    "reduce_scatter", Some("bytes of the input");
    run(
        reduction: &impl Reduction,
        blocks: Blocks<'_>,
        input: &[u8],
        output: &mut [u8],
    );
    /// Members at halving distances swap halves of what they still need.
    RecursiveHalving = recursive_halving, Commutative;
    /// Each block goes straight to the member it is for.
    Pairwise = pairwise, Commutative;
    /// Reduce to rank 0, which scatters.
    ReduceScatterv = reduce_scatterv, Nothing;
    /// Posts on a board, of which each combines its block.
    Posted = posted, Board;
    => &[
        Row::new(Algorithm::Posted).up_to(64 << 10),
        Row::new(Algorithm::RecursiveHalving).up_to(512 << 10),
        Row::new(Algorithm::Pairwise),
        Row::new(Algorithm::ReduceScatterv),
    ];
}

/// Combines `input` of all members, in the order of ranks, and puts block `rank` of the result
/// into `output`. The blocks are equal, or listed one after the other without gaps; all members
/// pass the same.
pub async fn reduce_scatter(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    blocks: Blocks<'_>,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, input.len(), reduction.commutative())?;
    reduce_scatter_with(algorithm, exchange, reduction, blocks, input, output).await
}

/// [`reduce_scatter`] with a given algorithm.
pub async fn reduce_scatter_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    blocks: Blocks<'_>,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    check(algorithm, exchange, reduction.commutative())?;
    blocks.check(size, input.len())?;
    blocks.check_packed(size)?;
    let total = blocks.total_bytes(size);
    for (bytes, expected_bytes) in [(input.len(), total), (output.len(), blocks.bytes(rank))] {
        if bytes != expected_bytes {
            return Err(CollectiveError::WrongLength {
                bytes,
                expected_bytes,
            });
        }
    }
    for index in 0..size {
        elements(reduction, blocks.bytes(index))?;
    }
    if total == 0 {
        return Ok(());
    }
    algorithm
        .run(exchange, reduction, blocks, input, output)
        .await
}
