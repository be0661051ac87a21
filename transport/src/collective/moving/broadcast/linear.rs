//! Linear (flat) broadcast: the root sends to everybody, all sends side by side.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | n - 1 (root) | (n - 1) m (root) |

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::Concurrent;
use crate::collective::exchange::step::{receive, send};

/// Sends the root's `buffer` to every member.
pub async fn linear(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    if exchange.rank() != root {
        return receive(exchange, root, buffer).await;
    }
    let mut sends = Concurrent::with_capacity(exchange.size() - 1)?;
    for to in (0..exchange.size()).filter(|&to| to != root) {
        sends.push(send(exchange, to, buffer));
    }
    sends.finish().await
}
