//! Alltoall by posts, or through the kernel, as has been faster among these members
//! (`collective::reading`).

use crate::collective::alltoall::posted::swap_in;
use crate::collective::alltoall::read::swap_in_reading;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::{Exchange, ExchangeError};
use crate::collective::reading::Kind;
use crate::collective::rounds::Rounds;

/// Swaps blocks of `block_bytes`.
pub async fn measured(
    exchange: &impl Exchange,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let rounds = Rounds::begin(exchange, 0).await?;
    let board = exchange.board().ok_or(ExchangeError::Disturbed)?;
    let choice = board
        .readings
        .choose(Kind::Alltoall, block_bytes, exchange.is_blocking());
    if choice.reads {
        return swap_in_reading(rounds, &choice, block_bytes, outgoing, incoming).await;
    }
    swap_in(rounds, block_bytes, outgoing, incoming).await?;
    choice.end();
    Ok(())
}
