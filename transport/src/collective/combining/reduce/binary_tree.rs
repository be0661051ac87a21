//! Binary tree reduce, for commutative operators: each member takes in what two others have.
//!
//! The mirror image of the binary tree broadcast: ranks are counted from the root, breadth first
//! ([`crate::collective::shape::binary_tree`]), so operands meet in an order of the tree's.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 log n | 1 | m |

use crate::collective::data::root::{ToRoot, above, from_root};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::Reduction;
use crate::collective::shape::binary_tree::{children, parent};

/// Combines all contributions into the root's buffer.
pub async fn binary_tree(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let size = exchange.size();
    let place = from_root(exchange.rank(), root, size);
    let below = children(place, size);
    let mut copy;
    let accumulated: &mut [u8] = match buffer {
        ToRoot::Root(result) => result,
        ToRoot::Member(contribution) if below.is_empty() => {
            // A leaf sends what it was given: nothing is to be taken in.
            return send(exchange, above(root, parent(place), size), contribution).await;
        }
        ToRoot::Member(contribution) => {
            copy = Scratch::copy_of(contribution)?;
            &mut copy
        }
    };
    let mut received = Scratch::new(accumulated.len())?;
    for child in below {
        receive(exchange, above(root, child, size), &mut received).await?;
        reduction.combine(&received, accumulated);
    }
    if place > 0 {
        send(exchange, above(root, parent(place), size), accumulated).await?;
    }
    Ok(())
}
