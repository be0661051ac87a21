//! Linear reduce: the root takes the contributions in, from the highest rank to the lowest.
//!
//! Right to left is the order in which `incoming op inout` needs no second copy,
//! and it makes the result the same for every root. Of two members whose operands may change places the
//! result is the same in either order.
//!
//! | the root's own contribution | the first one is received | then |
//! |---|---|---|
//! | apart from the result | straight into the result | the others above, the own, those below are combined with it |
//! | in place, the highest or one of two | beside it | it is combined with the own |
//! | in place, another | into an accumulator | the others above, the own, those below; then it is copied |
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | 1 | m |

use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::root::ToRoot;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::Reduction;

/// Combines all contributions into the root's buffer.
pub async fn linear(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    match buffer {
        ToRoot::Member(contribution) => send(exchange, root, contribution).await,
        ToRoot::Root(result) => collect(exchange, reduction, result.into()).await,
    }
}

/// [`linear`] at the root, whose own contribution may lie apart from the result.
pub async fn collect(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let size = exchange.size();
    let any_order = size == 2 && reduction.commutative();
    let own_first = exchange.rank() == size - 1;
    match data {
        OutOfPlace {
            own: Some(own),
            result,
        } if any_order || !own_first => accumulate(exchange, reduction, own, result).await,
        data if any_order || own_first => {
            combine_others(exchange, reduction, data.in_place()).await
        }
        OutOfPlace { result, .. } => {
            let mut accumulated = Scratch::new(result.len())?;
            accumulate(exchange, reduction, result, &mut accumulated).await?;
            result.copy_from_slice(&accumulated);
            Ok(())
        }
    }
}

/// Takes the others' contributions in after the own one, which is in `result`.
async fn combine_others(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    result: &mut [u8],
) -> Result<(), CollectiveError> {
    let mut received = Scratch::new(result.len())?;
    let root = exchange.rank();
    for from in (0..exchange.size()).rev().filter(|from| *from != root) {
        receive(exchange, from, &mut received).await?;
        reduction.combine(&received, result);
    }
    Ok(())
}

/// Receives the first of the others' contributions into `result`, and combines the rest with it, the own one
/// in its turn, or right behind the first.
async fn accumulate(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    own: &[u8],
    result: &mut [u8],
) -> Result<(), CollectiveError> {
    let (root, size) = (exchange.rank(), exchange.size());
    let others = if size > 2 { result.len() } else { 0 };
    let mut received = Scratch::new(others)?;
    let first = if root == size - 1 { 0 } else { size - 1 };
    receive(exchange, first, result).await?;
    for from in (0..size).rev().filter(|from| *from != first) {
        if from == root {
            reduction.combine(own, result);
        } else {
            receive(exchange, from, &mut received).await?;
            reduction.combine(&received, result);
        }
    }
    Ok(())
}
