//! Allgather by posts, or through the kernel, as has been faster among these members
//! (`collective::board::kernel_copy`).
//!
//! One of two members that goes on in the background goes by messages instead of posts, which are copied twice
//! (`docs/decisions/009-collectives.md`).

use std::pin::pin;

use crate::collective::board::kernel_copy::{Kind, Ways};
use crate::collective::board::offers::begin;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::join;
use crate::collective::exchange::step::send_receive;
use crate::collective::moving::allgather::posted::gather_in;
use crate::collective::moving::allgather::read::gather_by_kernel_copy;

/// Gathers blocks of `block_bytes` at every member.
pub async fn measured(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    gather(exchange, block_bytes, None, buffer).await
}

/// The same of a block that may lie apart from its place in `buffer`.
pub async fn gather(
    exchange: &impl Exchange,
    block_bytes: usize,
    own: Option<&[u8]>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let swaps = !exchange.is_blocking() && exchange.size() == 2;
    let kind = if swaps {
        Kind::AllgatherBehind
    } else {
        Kind::Allgather
    };
    let (rounds, choice) = begin(exchange, kind, block_bytes, Ways::Measured).await?;
    let operation = pin!(async {
        if choice.reads {
            return gather_by_kernel_copy(rounds, &choice, block_bytes, own, buffer).await;
        }
        if !swaps {
            return gather_in(rounds, block_bytes, own, buffer).await;
        }
        rounds.leave();
        swap(exchange, block_bytes, own, buffer).await
    });
    choice.time(exchange, operation).await
}

/// Two members swap their blocks, each from where it lies: a copy would have been written just now.
async fn swap(
    exchange: &impl Exchange,
    block_bytes: usize,
    own: Option<&[u8]>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (first, second) = buffer.split_at_mut(block_bytes);
    let (other, place, theirs) = match exchange.rank() {
        0 => (1, first, second),
        _ => (0, second, first),
    };
    let Some(own) = own else {
        return send_receive(exchange, other, place, other, theirs).await;
    };
    let swapped = send_receive(exchange, other, own, other, theirs);
    let copied = async {
        place.copy_from_slice(own);
        Ok(())
    };
    join(swapped, copied).await?;
    Ok(())
}
