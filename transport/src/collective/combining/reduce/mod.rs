//! Reduce: the members' contributions, combined, reach the root (MPI-5.0, 6.9.1).

pub mod binary_tree;
pub mod binomial;
pub mod linear;
pub mod ordered_binomial;
pub mod posted;
pub mod reduce_scatter_gather;
pub mod torus;

use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::root::{ToRoot, check_role, check_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::{Reduction, elements};
use crate::collective::select::{Row, algorithms, check, choose};

algorithms! {
    /// Ways to reduce to a root.
    "reduce", Some("bytes of the buffer");
    run(reduction: &impl Reduction, root: usize, buffer: ToRoot<'_>);
    /// The root takes in one contribution after the other, in the order of ranks.
    Linear = linear, Nothing;
    /// Up a binomial tree whose root is the operation's.
    Binomial = binomial, Commutative;
    /// Up a binomial tree whose root is rank 0, in the order of ranks.
    OrderedBinomial = ordered_binomial, Nothing;
    /// Up a binary tree, numbered breadth first.
    BinaryTree = binary_tree, Commutative;
    /// Rabenseifner's: halves are reduced side by side, then gathered.
    ReduceScatterGather = reduce_scatter_gather, Nothing;
    /// Posts on a board, which the root combines.
    Posted = posted, Board;
    /// From the ends of the dimensions of a torus to the root.
    Torus = torus, Commutative;
    => &[
        Row::new(Algorithm::Posted).oversubscribed(),
        Row::new(Algorithm::Posted).up_to(128 << 10).ranks(0, 2).taking_over(),
        Row::new(Algorithm::Linear).from(16 << 10).ranks(0, 2),
        Row::new(Algorithm::Posted),
        Row::new(Algorithm::Binomial).up_to(32 << 10),
        Row::new(Algorithm::OrderedBinomial).up_to(32 << 10),
        Row::new(Algorithm::ReduceScatterGather),
    ];
}

/// Combines the contributions of all members, in the order of ranks, into the root's buffer.
pub async fn reduce(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let algorithm = choose(exchange, buffer.bytes(), reduction.commutative())?;
    reduce_with(algorithm, exchange, reduction, root, buffer).await
}

/// [`reduce`] at the root, whose own contribution may lie apart from the result.
pub async fn reduce_here(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let (bytes, root) = (data.result.len(), exchange.rank());
    let algorithm = choose(exchange, bytes, reduction.commutative())?;
    if elements(reduction, bytes)? > 0 {
        match algorithm {
            Algorithm::Posted => return posted::collect(exchange, reduction, data).await,
            Algorithm::Linear => return linear::collect(exchange, reduction, data).await,
            _ => {}
        }
    }
    let buffer = ToRoot::Root(data.in_place());
    reduce_with(algorithm, exchange, reduction, root, buffer).await
}

/// [`reduce`] with a given algorithm.
pub async fn reduce_with(
    algorithm: Algorithm,
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    check(algorithm, exchange, reduction.commutative())?;
    check_root(root, exchange.size())?;
    let is_root = matches!(buffer, ToRoot::Root(_));
    check_role(exchange.rank(), root, is_root)?;
    if elements(reduction, buffer.bytes())? == 0 {
        return Ok(());
    }
    algorithm.run(exchange, reduction, root, buffer).await
}
