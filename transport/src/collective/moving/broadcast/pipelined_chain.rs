//! Pipelined chain broadcast: segment after segment from each member to the next.
//!
//! For large data on few members: all members copy at the same time, each segment
//! once. While a segment comes, the one before it goes on.
//!
//! ```text
//!   root      s0 s1 s2 s3
//!   next         s0 s1 s2 s3
//!   last            s0 s1 s2 s3
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 2 + m / segment | m / segment | m |

use crate::collective::data::root::{above, below, from_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::join;
use crate::collective::exchange::step::{receive, send};

/// Length of a segment in bytes: half of a usual first-level data cache stays free for the next one.
pub const SEGMENT_BYTES: usize = 32 << 10;

/// Sends the root's `buffer` to every member.
pub async fn pipelined_chain(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    if size == 1 {
        return Ok(());
    }
    let place = from_root(rank, root, size);
    let next = above(rank, 1, size);
    let previous = below(rank, 1, size);
    if place == 0 {
        for segment in buffer.chunks(SEGMENT_BYTES) {
            send(exchange, next, segment).await?;
        }
        return Ok(());
    }
    let is_last = place == size - 1;
    let mut before: &[u8] = &[];
    for segment in buffer.chunks_mut(SEGMENT_BYTES) {
        if is_last || before.is_empty() {
            receive(exchange, previous, segment).await?;
        } else {
            join(
                receive(exchange, previous, segment),
                send(exchange, next, before),
            )
            .await?;
        }
        before = segment;
    }
    if !is_last && !before.is_empty() {
        send(exchange, next, before).await?;
    }
    Ok(())
}
