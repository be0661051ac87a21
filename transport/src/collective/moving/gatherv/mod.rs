//! Gather of blocks of any lengths: they reach the root (MPI-5.0, 6.5, `MPI_Gatherv`).
//!
//! Only the root knows all lengths, so the choice of algorithm cannot depend on them.

pub mod linear;

use crate::collective::data::blocks::{Blocks, check_fits};
use crate::collective::data::root::{ToRoot, check_role, check_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to gather blocks of any lengths.
    "gatherv", None;
    run(root: usize, blocks: Blocks<'_>, buffer: ToRoot<'_>);
    /// Everybody sends to the root.
    Linear = linear, Nothing;
    => &[Row::new(Algorithm::Linear)];
}

/// Gathers a block from each member. The root's buffer holds the blocks where `blocks` says, its
/// own block in place; the other members pass their block, and any `blocks`.
pub async fn gatherv(
    exchange: &impl Exchange,
    root: usize,
    blocks: Blocks<'_>,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, 0, true)?;
    gatherv_with(algorithm, exchange, root, blocks, buffer).await
}

/// [`gatherv`] at the root, whose own block lies apart from its place in `buffer`, and is no longer than that.
pub async fn gatherv_out_of_place(
    exchange: &impl Exchange,
    blocks: Blocks<'_>,
    own: &[u8],
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let rank = exchange.rank();
    blocks.check(exchange.size(), buffer.len())?;
    check_fits(own.len(), blocks.bytes(rank))?;
    match choose(exchange, 0, true)? {
        Algorithm::Linear => linear::collect(exchange, blocks, Some(own), buffer).await,
    }
}

/// [`gatherv`] with a given algorithm.
pub async fn gatherv_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    root: usize,
    blocks: Blocks<'_>,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    check_root(root, exchange.size())?;
    let is_root = matches!(buffer, ToRoot::Root(_));
    check_role(exchange.rank(), root, is_root)?;
    if is_root {
        blocks.check(exchange.size(), buffer.bytes())?;
    }
    algorithm.run(exchange, root, blocks, buffer).await
}
