//! Bruck's allgather (Bruck, Ho, Kipnis, Upfal and Weathersby, 1997), for any number of members.
//!
//! Every member collects blocks upwards from its own, so that they start at the
//! buffer's start; in round k it sends what it has to the member 2^k below and
//! receives as much from the one 2^k above. At the end the buffer is turned.
//!
//! ```text
//!   rank 2 of 5:   2 . . . .   2 3 . . .   2 3 4 0 .   2 3 4 0 1   turn: 0 1 2 3 4
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n | (n - 1) m, m a member's block |

use crate::collective::data::root::{above, below};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;

/// Gathers a block of `block_bytes` from each member at every member.
pub async fn bruck(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    buffer.copy_within(rank * block_bytes..(rank + 1) * block_bytes, 0);
    let mut collected = 1;
    while collected < size {
        let more = collected.min(size - collected);
        let (have, room) = buffer.split_at_mut(collected * block_bytes);
        send_receive(
            exchange,
            below(rank, collected, size),
            &have[..more * block_bytes],
            above(rank, collected, size),
            &mut room[..more * block_bytes],
        )
        .await?;
        collected += more;
    }
    buffer.rotate_right(rank * block_bytes);
    Ok(())
}
