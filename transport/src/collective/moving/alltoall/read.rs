//! Alltoall through the kernel: everybody offers what it has for all others, and reads its block of each.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 | 2 posts | m (n - 1), m a block, by n - 1 copies |

use pamir_driver::memory::sweep::Sweep;

use crate::collective::board::kernel_copy::{Choice, Kind, Ways};
use crate::collective::board::offers::{Offers, begin, from_own_on};
use crate::collective::board::rounds::Rounds;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::alltoall::posted::swap_in;

/// Swaps blocks of `block_bytes`.
pub async fn read(
    exchange: &impl Exchange,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rounds, choice) = begin(exchange, Kind::Alltoall, block_bytes, Ways::Read).await?;
    swap_by_kernel_copy(rounds, &choice, block_bytes, outgoing, incoming).await
}

/// The same, in rounds of an operation.
pub(super) async fn swap_by_kernel_copy<E: Exchange>(
    rounds: Rounds<'_, E>,
    choice: &Choice<'_>,
    block_bytes: usize,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let exchange = rounds.exchange();
    let (rank, size) = (exchange.rank(), exchange.size());
    let place = |member: usize| member * block_bytes..(member + 1) * block_bytes;
    let offered = [outgoing.as_ptr()];
    let mut offers = Offers::open(rounds, choice, (offered, 1), block_bytes).await;
    let sweep = Sweep::next_of(incoming);
    for member in from_own_on(rank, size, sweep) {
        if member == rank {
            sweep.copy(&outgoing[place(rank)], &mut incoming[place(rank)]);
        } else if let Some([address]) = offers.see(member).await? {
            let block = address.wrapping_add((rank * block_bytes) as u64);
            offers.read(member, block, &mut incoming[place(member)], sweep);
        }
    }
    if offers.meet().await? {
        offers.end();
        return Ok(());
    }
    swap_in(offers.give_up(), block_bytes, outgoing, incoming).await
}
