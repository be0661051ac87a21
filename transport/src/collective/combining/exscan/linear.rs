//! Linear exclusive scan: the combination so far goes from each member to the next.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | 1 | m |

use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::Reduction;

/// Replaces `buffer` by the combination of the ranks below this one.
pub async fn linear(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let is_last = rank + 1 == size;
    if rank == 0 {
        return if is_last {
            Ok(())
        } else {
            send(exchange, 1, buffer).await
        };
    }
    if is_last {
        return receive(exchange, rank - 1, buffer).await;
    }
    let mut lower = Scratch::new(buffer.len())?;
    receive(exchange, rank - 1, &mut lower).await?;
    reduction.combine(&lower, buffer);
    send(exchange, rank + 1, buffer).await?;
    buffer.copy_from_slice(&lower);
    Ok(())
}
