//! Linear (central) barrier: member 0 hears of everybody, then tells everybody.
//!
//! For more members than cores: every member but the first has to run only once, while the
//! rounds of other algorithms each wait until the scheduler has come around.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 | 1; n - 1 (member 0) | 0 |

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::broadcast;

/// Holds this member until all have come.
pub async fn linear(exchange: &impl Exchange) -> Result<(), CollectiveError> {
    if exchange.rank() == 0 {
        for from in 1..exchange.size() {
            receive(exchange, from, &mut []).await?;
        }
    } else {
        send(exchange, 0, &[]).await?;
    }
    broadcast::linear::linear(exchange, 0, &mut []).await
}
