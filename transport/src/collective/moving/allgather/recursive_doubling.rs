//! Recursive doubling allgather, for a power of two of members.
//!
//! In round k each member swaps the 2^k neighbouring blocks it has for those of the
//! member whose rank differs in bit k; blocks never move.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n | (n - 1) m, m a member's block |

use crate::collective::data::blocks::send_and_receive_parts;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;

/// Gathers a block of `block_bytes` from each member at every member.
pub async fn recursive_doubling(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut bit = 1;
    while bit < size {
        let partner = rank ^ bit;
        // The 2^k blocks with the same higher bits as `member`.
        let run = |member: usize| {
            let first = member & !(bit - 1);
            first * block_bytes..(first + bit) * block_bytes
        };
        let (outgoing, incoming) = send_and_receive_parts(buffer, run(rank), run(partner));
        send_receive(exchange, partner, outgoing, partner, incoming).await?;
        bit *= 2;
    }
    Ok(())
}
