//! Binomial tree broadcast.
//!
//! Ranks are counted from the root. In round k (from the top) each member that has
//! the data sends it 2^k further; the farthest child, whose subtree is the deepest,
//! is served first.
//!
//! ```text
//!   8 members:   0 -> 4,  0 -> 2  4 -> 6,  0 -> 1  2 -> 3  4 -> 5  6 -> 7
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n (root) | m log n (root) |

use crate::collective::data::root::{above, from_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};

/// Sends the root's `buffer` to every member.
pub async fn binomial(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let size = exchange.size();
    let place = from_root(exchange.rank(), root, size);
    // The lowest set bit leads to the parent; the root stands above all bits.
    let mut mask = if place == 0 {
        size.next_power_of_two()
    } else {
        let bit = 1 << place.trailing_zeros();
        receive(exchange, above(root, place - bit, size), buffer).await?;
        bit
    };
    while mask > 1 {
        mask /= 2;
        if place + mask < size {
            send(exchange, above(root, place + mask, size), buffer).await?;
        }
    }
    Ok(())
}
