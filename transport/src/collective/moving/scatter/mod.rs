//! Scatter: blocks of one length from the root, one for each member (MPI-5.0, 6.6).

pub mod binomial;
pub mod linear;
pub mod posted;

use super::gather::whole_blocks;
use crate::collective::data::root::{FromRoot, check_role, check_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to scatter blocks of one length.
    "scatter", Some("bytes of a block");
    run(root: usize, block_bytes: usize, buffer: FromRoot<'_>);
    /// The root sends to everybody.
    Linear = linear, Nothing;
    /// Down a binomial tree, blocks parting.
    Binomial = binomial, Nothing;
    /// The root's posts on a board, from which all copy their parts.
    Posted = posted, Board;
    => &[
        Row::new(Algorithm::Posted).up_to(128 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Posted).up_to((12 << 10) - 1).ranks(0, 2),
        Row::new(Algorithm::Posted).up_to(4 << 10),
        Row::new(Algorithm::Binomial).up_to(1 << 10).ranks(8, usize::MAX),
        Row::new(Algorithm::Linear),
    ];
}

/// Gives each member its block. The root passes all blocks, in the order of ranks, and its own
/// stays where it is; the other members pass room for their block.
pub async fn scatter(
    exchange: &impl Exchange,
    root: usize,
    buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, block_bytes(exchange, &buffer)?, true)?;
    scatter_with(algorithm, exchange, root, buffer).await
}

/// [`scatter`] with a given algorithm.
pub async fn scatter_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    root: usize,
    buffer: FromRoot<'_>,
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    check_root(root, exchange.size())?;
    check_role(exchange.rank(), root, matches!(buffer, FromRoot::Root(_)))?;
    let block_bytes = block_bytes(exchange, &buffer)?;
    if block_bytes == 0 {
        return Ok(());
    }
    algorithm.run(exchange, root, block_bytes, buffer).await
}

fn block_bytes(exchange: &impl Exchange, buffer: &FromRoot<'_>) -> Result<usize, CollectiveError> {
    match buffer {
        FromRoot::Member(block) => Ok(block.len()),
        FromRoot::Root(all) => whole_blocks(all.len(), exchange.size()),
    }
}
