//! Allgather by posts, or through the kernel, as has been faster among these members
//! (`collective::reading`).
//!
//! One of two members that goes on in the background goes by messages: posts are copied twice, and who reads has to
//! meet the other one (1 MiB, far: 117 us instead of 195).

use crate::collective::allgather::posted::gather_in;
use crate::collective::allgather::read::gather_in_reading;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::join::join;
use crate::collective::reading::{Kind, begin};
use crate::collective::step::send_receive;

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
    if !exchange.is_blocking() && exchange.size() == 2 {
        return swap(exchange, block_bytes, own, buffer).await;
    }
    let (rounds, choice) = begin(exchange, Kind::Allgather, block_bytes, false).await?;
    if choice.reads {
        return gather_in_reading(rounds, &choice, block_bytes, own, buffer).await;
    }
    gather_in(rounds, block_bytes, own, buffer).await?;
    choice.end();
    Ok(())
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
