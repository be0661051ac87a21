//! The steps algorithms are made of: one message to, from, or to and from a member.
//!
//! Every algorithm knows how many bytes each of its messages has, so a message of
//! another length means that members passed counts that do not match: [`receive`]
//! turns that into an error instead of going on with half the data.
//!
//! Step before: an algorithm. Step after: [`Exchange`].

use super::join::join;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;

/// Sends `bytes` to member `to`.
pub async fn send(
    exchange: &impl Exchange,
    to: usize,
    bytes: &[u8],
) -> Result<(), CollectiveError> {
    Ok(exchange.send(to, bytes).await?)
}

/// Receives exactly `bytes.len()` bytes from member `from`.
pub async fn receive(
    exchange: &impl Exchange,
    from: usize,
    bytes: &mut [u8],
) -> Result<(), CollectiveError> {
    let expected_bytes = bytes.len();
    let received_bytes = exchange.receive(from, bytes).await?;
    if received_bytes == expected_bytes {
        Ok(())
    } else {
        Err(CollectiveError::Shorter {
            from: exchange.name(from),
            received_bytes,
            expected_bytes,
        })
    }
}

/// Sends `outgoing` to member `to` while `incoming` is received from member `from`.
///
/// The send is begun first: the partner waits for it, while nobody waits for the receive to
/// be posted.
pub async fn send_receive(
    exchange: &impl Exchange,
    to: usize,
    outgoing: &[u8],
    from: usize,
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    join(
        send(exchange, to, outgoing),
        receive(exchange, from, incoming),
    )
    .await?;
    Ok(())
}
