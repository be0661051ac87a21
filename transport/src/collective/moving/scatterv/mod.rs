//! Scatter of blocks of any lengths from the root (MPI-5.0, 6.6, `MPI_Scatterv`).
//!
//! Only the root knows all lengths, so the choice of algorithm cannot depend on them.

pub mod linear;

use crate::collective::data::blocks::Blocks;
use crate::collective::data::root::{FromRoot, check_role, check_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to scatter blocks of any lengths.
    "scatterv", None;
    run(root: usize, blocks: Blocks<'_>, buffer: FromRoot<'_>);
    /// The root sends to everybody.
    Linear = linear, Nothing;
    => &[Row::new(Algorithm::Linear)];
}

/// Gives each member its block. The root passes a buffer with the blocks where `blocks` says, and
/// its own stays there; the other members pass room for their block, and any `blocks`.
pub async fn scatterv(
    exchange: &impl Exchange,
    root: usize,
    blocks: Blocks<'_>,
    buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, 0, true)?;
    scatterv_with(algorithm, exchange, root, blocks, buffer).await
}

/// [`scatterv`] with a given algorithm.
pub async fn scatterv_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    root: usize,
    blocks: Blocks<'_>,
    buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    check_root(root, exchange.size())?;
    let is_root = matches!(buffer, FromRoot::Root(_));
    check_role(exchange.rank(), root, is_root)?;
    if is_root {
        blocks.check(exchange.size(), buffer.bytes())?;
    }
    algorithm.run(exchange, root, blocks, buffer).await
}
