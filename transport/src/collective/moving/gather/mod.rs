//! Gather: blocks of one length from all members reach the root (MPI-5.0, 6.5).

pub mod binomial;
pub mod linear;
pub mod posted;

use super::gatherv;
use crate::collective::data::blocks::{Blocks, check_fits};
use crate::collective::data::root::{ToRoot, check_role, check_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to gather blocks of one length.
    "gather", Some("bytes of a block");
    run(root: usize, block_bytes: usize, buffer: ToRoot<'_>);
    /// Everybody sends to the root.
    Linear = linear, Nothing;
    /// Up a binomial tree, blocks piling up.
    Binomial = binomial, Nothing;
    /// Posts on a board, which the root copies.
    Posted = posted, Board;
    => &[
        Row::new(Algorithm::Posted).oversubscribed(),
        Row::new(Algorithm::Posted).up_to(128 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Posted).up_to((16 << 10) - 1).ranks(0, 2),
        Row::new(Algorithm::Posted).ranks(3, usize::MAX),
        Row::new(Algorithm::Binomial).up_to(1 << 10).ranks(8, usize::MAX),
        Row::new(Algorithm::Linear),
    ];
}

/// Gathers a block from each member. The root's buffer has room for all blocks, in the order of
/// ranks, and holds its own block in place; the other members pass their block.
pub async fn gather(
    exchange: &impl Exchange,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, block_bytes(exchange, &buffer)?, true)?;
    gather_with(algorithm, exchange, root, buffer).await
}

/// [`gather`] at the root, whose own block lies apart from its place in `buffer`, and is no longer than that.
pub async fn gather_out_of_place(
    exchange: &impl Exchange,
    own: &[u8],
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let rank = exchange.rank();
    let bytes = whole_blocks(buffer.len(), exchange.size())?;
    check_fits(own.len(), bytes)?;
    let algorithm = choose(exchange, bytes, true)?;
    if algorithm == Algorithm::Linear {
        let blocks = Blocks::Uniform { bytes };
        return gatherv::linear::collect(exchange, blocks, Some(own), buffer).await;
    }
    buffer[rank * bytes..][..own.len()].copy_from_slice(own);
    gather_with(algorithm, exchange, rank, ToRoot::Root(buffer)).await
}

/// [`gather`] with a given algorithm.
pub async fn gather_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    check_root(root, exchange.size())?;
    check_role(exchange.rank(), root, matches!(buffer, ToRoot::Root(_)))?;
    let block_bytes = block_bytes(exchange, &buffer)?;
    if block_bytes == 0 {
        return Ok(());
    }
    algorithm.run(exchange, root, block_bytes, buffer).await
}

fn block_bytes(exchange: &impl Exchange, buffer: &ToRoot<'_>) -> Result<usize, CollectiveError> {
    match buffer {
        ToRoot::Member(block) => Ok(block.len()),
        ToRoot::Root(all) => whole_blocks(all.len(), exchange.size()),
    }
}

/// The length of each of `size` equal blocks that fill `bytes`.
pub(in crate::collective) fn whole_blocks(
    bytes: usize,
    size: usize,
) -> Result<usize, CollectiveError> {
    if bytes.is_multiple_of(size) {
        Ok(bytes / size)
    } else {
        Err(CollectiveError::WrongLength {
            bytes,
            expected_bytes: bytes / size * size,
        })
    }
}
