//! Binomial tree reduce, for commutative operators.
//!
//! The mirror image of the binomial broadcast: ranks are counted from the root, so
//! operands meet in an order that starts at the root.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | 1 | m |

use crate::collective::data::root::{ToRoot, above, from_root};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::Reduction;

/// Combines all contributions into the root's buffer.
pub async fn binomial(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let size = exchange.size();
    let place = from_root(exchange.rank(), root, size);
    let mut copy;
    let accumulated: &mut [u8] = match buffer {
        ToRoot::Root(result) => result,
        ToRoot::Member(contribution) if place % 2 == 1 || place + 1 == size => {
            // A leaf sends what it was given: nothing is to be taken in.
            let parent = place & (place - 1);
            return send(exchange, above(root, parent, size), contribution).await;
        }
        ToRoot::Member(contribution) => {
            copy = Scratch::copy_of(contribution)?;
            &mut copy
        }
    };
    let mut received = Scratch::new(accumulated.len())?;
    let mut mask = 1;
    while mask < size {
        if place & mask != 0 {
            return send(exchange, above(root, place - mask, size), accumulated).await;
        }
        if place + mask < size {
            receive(exchange, above(root, place + mask, size), &mut received).await?;
            reduction.combine(&received, accumulated);
        }
        mask *= 2;
    }
    Ok(())
}
