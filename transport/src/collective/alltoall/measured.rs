//! Alltoall by posts, or through the kernel, as has been faster among these members
//! (`collective::reading`).
//!
//! One that goes on in the background goes by messages: posts are copied twice, and who reads has to meet the others
//! (two members, 256 KiB, far: 15 us instead of 38).

use crate::collective::alltoall::linear::linear;
use crate::collective::alltoall::posted::swap_in;
use crate::collective::alltoall::read::swap_in_reading;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reading::{Kind, begin};

/// Swaps blocks of `block_bytes`.
pub async fn measured(
    exchange: &impl Exchange,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    if !exchange.is_blocking() {
        return linear(exchange, block_bytes, outgoing, incoming).await;
    }
    let (rounds, choice) = begin(exchange, Kind::Alltoall, block_bytes, false).await?;
    if choice.reads {
        return swap_in_reading(rounds, &choice, block_bytes, outgoing, incoming).await;
    }
    swap_in(rounds, block_bytes, outgoing, incoming).await?;
    choice.end();
    Ok(())
}
