//! Dissemination barrier (Hensgen, Finkel and Manber, 1988).
//!
//! In round k every member tells the one 2^k above it and hears from the one 2^k
//! below it; what it hears stands for 2^(k+1) members.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n | 0 |

use crate::collective::data::root::{above, below};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;

/// Holds this member until all have come.
pub async fn dissemination(exchange: &impl Exchange) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut distance = 1;
    while distance < size {
        let to = above(rank, distance, size);
        let from = below(rank, distance, size);
        send_receive(exchange, to, &[], from, &mut []).await?;
        distance *= 2;
    }
    Ok(())
}
