//! Binary tree broadcast: each member passes the data on to two others.
//!
//! Ranks are counted from the root, breadth first ([`crate::collective::shape::binary_tree`]). No member
//! sends more than twice, where the binomial tree's root sends log n times.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 log n | 2 | 2 m |

use crate::collective::data::root::{above, from_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::shape::binary_tree::{children, parent};

/// Sends the root's `buffer` to every member.
pub async fn binary_tree(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let size = exchange.size();
    let place = from_root(exchange.rank(), root, size);
    if place > 0 {
        receive(exchange, above(root, parent(place), size), buffer).await?;
    }
    for child in children(place, size) {
        send(exchange, above(root, child, size), buffer).await?;
    }
    Ok(())
}
