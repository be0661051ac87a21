//! Bruck's alltoall (Bruck, Ho, Kipnis, Upfal and Weathersby, 1997).
//!
//! For small blocks: log n messages of about n / 2 blocks instead of n - 1 of one.
//! A block that has to go `d` members up hops over the distances whose bits are set
//! in `d`. Position `d` of the temporary memory holds the block on its way
//! with `d` in all to go.
//!
//! ```text
//!   start    position d: block for the member d above
//!   round k  positions with bit k set go 2^k up, into the same positions there
//!   end      position d: block from the member d below; put in the order of ranks
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n | (m n / 2) log n, m a block |

use crate::collective::data::root::{above, below};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;

/// Swaps blocks of `block_bytes` with all members.
pub async fn bruck(
    exchange: &impl Exchange,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut travelling = Scratch::new(size * block_bytes)?;
    let (lower_ranks, own_and_higher) = outgoing.split_at(rank * block_bytes);
    travelling[..own_and_higher.len()].copy_from_slice(own_and_higher);
    travelling[own_and_higher.len()..].copy_from_slice(lower_ranks);

    // Of any numbers below n, at most as many as the next power of two's half have a bit set.
    let most = size.next_power_of_two() / 2 * block_bytes;
    let mut departing = Scratch::new(most)?;
    let mut arriving = Scratch::new(most)?;
    let mut distance = 1;
    while distance < size {
        let moved = || (0..size).filter(|position| position & distance != 0);
        let bytes = moved().count() * block_bytes;
        for (packed, position) in departing.chunks_exact_mut(block_bytes).zip(moved()) {
            let block = position * block_bytes..(position + 1) * block_bytes;
            packed.copy_from_slice(&travelling[block]);
        }
        send_receive(
            exchange,
            above(rank, distance, size),
            &departing[..bytes],
            below(rank, distance, size),
            &mut arriving[..bytes],
        )
        .await?;
        for (packed, position) in arriving.chunks_exact(block_bytes).zip(moved()) {
            let block = position * block_bytes..(position + 1) * block_bytes;
            travelling[block].copy_from_slice(packed);
        }
        distance *= 2;
    }
    for (position, block) in travelling.chunks_exact(block_bytes).enumerate() {
        let from = below(rank, position, size);
        incoming[from * block_bytes..(from + 1) * block_bytes].copy_from_slice(block);
    }
    Ok(())
}
