//! Tree barrier: member 0 hears of everybody up a binomial tree, then tells everybody down it.
//!
//! Fewer messages than [`super::dissemination`] in all (2n - 2 instead of n log n),
//! but twice the rounds: for more members than cores.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 log n | log n | 0 |

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::broadcast::binomial::binomial;

/// Holds this member until all have come.
pub async fn tree(exchange: &impl Exchange) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut mask = 1;
    while mask < size {
        if rank & mask != 0 {
            send(exchange, rank - mask, &[]).await?;
            break;
        }
        if rank + mask < size {
            receive(exchange, rank + mask, &mut []).await?;
        }
        mask *= 2;
    }
    binomial(exchange, 0, &mut []).await
}
