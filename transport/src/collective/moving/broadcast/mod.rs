//! Broadcast: the root's bytes reach every member (MPI-5.0, 6.4).

pub mod binary_tree;
pub mod binomial;
pub mod linear;
pub mod pipelined_chain;
pub mod posted;
pub mod scatter_ring_allgather;
pub mod torus;

use crate::collective::data::root::check_root;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to broadcast.
    "broadcast", Some("bytes of the buffer");
    run(root: usize, buffer: &mut [u8]);
    /// The root sends to everybody.
    Linear = linear, Nothing;
    /// Down a binomial tree.
    Binomial = binomial, Nothing;
    /// Down a binary tree, numbered breadth first.
    BinaryTree = binary_tree, Nothing;
    /// A chunk for everybody, then around a ring.
    ScatterRingAllgather = scatter_ring_allgather, Nothing;
    /// Segment after segment along a chain.
    PipelinedChain = pipelined_chain, Nothing;
    /// Segments on the root's board, which all copy.
    Posted = posted, Board;
    /// Both ways along the dimensions of a torus, one after another.
    Torus = torus, Nothing;
    => &[
        Row::new(Algorithm::Posted).up_to(64 << 10).oversubscribed(),
        Row::new(Algorithm::Posted).up_to(128 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Posted).up_to((12 << 10) - 1).ranks(0, 2),
        Row::new(Algorithm::Posted).up_to(64 << 10).ranks(3, usize::MAX),
        Row::new(Algorithm::Linear).up_to(2048).oversubscribed(),
        Row::new(Algorithm::Binomial).up_to(64 << 10).ranks(3, usize::MAX),
        Row::new(Algorithm::ScatterRingAllgather).up_to(1 << 20).ranks(8, usize::MAX),
        Row::new(Algorithm::PipelinedChain).ranks(3, usize::MAX),
        Row::new(Algorithm::Linear),
    ];
}

/// Copies `buffer` of member `root` into `buffer` of every member.
pub async fn broadcast(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, buffer.len(), true)?;
    broadcast_with(algorithm, exchange, root, buffer).await
}

/// [`broadcast`] with a given algorithm.
pub async fn broadcast_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, true)?;
    check_root(root, exchange.size())?;
    algorithm.run(exchange, root, buffer).await
}
