//! Allgather by posts, or through the kernel, as has been faster among these members
//! (`collective::reading`).

use crate::collective::allgather::posted::gather_in;
use crate::collective::allgather::read::gather_in_reading;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reading::{Kind, begin};

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
    let (rounds, choice) = begin(exchange, Kind::Allgather, block_bytes, false).await?;
    if choice.reads {
        return gather_in_reading(rounds, &choice, block_bytes, own, buffer).await;
    }
    gather_in(rounds, block_bytes, own, buffer).await?;
    choice.end();
    Ok(())
}
