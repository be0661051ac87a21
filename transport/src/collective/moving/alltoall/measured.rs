//! Alltoall by posts, or through the kernel, as has been faster among these members
//! (`collective::board::kernel_copy`).
//!
//! One that goes on in the background goes by messages instead of posts, which are copied twice
//! (`docs/decisions/009-collectives.md`).

use std::pin::pin;

use crate::collective::board::kernel_copy::{Kind, Ways};
use crate::collective::board::offers::begin;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::alltoall::linear::linear;
use crate::collective::moving::alltoall::posted::swap_in;
use crate::collective::moving::alltoall::read::swap_by_kernel_copy;

/// Swaps blocks of `block_bytes`.
pub async fn measured(
    exchange: &impl Exchange,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let kind = if exchange.is_blocking() {
        Kind::Alltoall
    } else {
        Kind::AlltoallBehind
    };
    let (rounds, choice) = begin(exchange, kind, block_bytes, Ways::Measured).await?;
    let operation = pin!(async {
        if choice.reads {
            return swap_by_kernel_copy(rounds, &choice, block_bytes, outgoing, incoming).await;
        }
        if exchange.is_blocking() {
            return swap_in(rounds, block_bytes, outgoing, incoming).await;
        }
        rounds.leave();
        linear(exchange, block_bytes, outgoing, incoming).await
    });
    choice.time(exchange, operation).await
}
