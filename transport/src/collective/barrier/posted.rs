//! Barrier on a board: everybody raises a flag and looks at those of all others.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 1 | 1 post | 0 |

use crate::collective::board::rounds::{Readers, Rounds};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;

/// Holds this member until all have come.
pub async fn posted(exchange: &impl Exchange) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let rounds = Rounds::begin(exchange, 1).await?;
    rounds.post(0, &[], 0, Readers::All).await;
    for member in (0..size).filter(|member| *member != rank) {
        rounds.see(0, member).await?;
        exchange.has_taken(member, 0);
    }
    rounds.end();
    Ok(())
}
