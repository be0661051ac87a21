//! Allgather through the kernel: everybody offers its block, and reads those of all others.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 | 2 posts | m, a member's block, by n - 1 copies |

use pamir_driver::memory::sweep::Sweep;

use crate::collective::board::kernel_copy::{Choice, Kind, Ways};
use crate::collective::board::offers::{Offers, begin, from_own_on};
use crate::collective::board::rounds::Rounds;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::allgather::posted::gather_in;

/// Gathers blocks of `block_bytes` at every member.
pub async fn read(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rounds, choice) = begin(exchange, Kind::Allgather, block_bytes, Ways::Read).await?;
    gather_by_kernel_copy(rounds, &choice, block_bytes, None, buffer).await
}

/// The same of a block that may lie apart from its place in `buffer`, in rounds of an operation.
pub(super) async fn gather_by_kernel_copy<E: Exchange>(
    rounds: Rounds<'_, E>,
    choice: &Choice<'_>,
    block_bytes: usize,
    own: Option<&[u8]>,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let exchange = rounds.exchange();
    let (rank, size) = (exchange.rank(), exchange.size());
    let place = |member: usize| member * block_bytes..(member + 1) * block_bytes;
    let offered = own.unwrap_or(&buffer[place(rank)]).as_ptr();
    let mut offers = Offers::open(rounds, choice, ([offered], 1), block_bytes).await;
    let sweep = Sweep::next_of(buffer);
    for member in from_own_on(rank, size, sweep) {
        if member != rank {
            if let Some([address]) = offers.see(member).await? {
                offers.read(member, address, &mut buffer[place(member)], sweep);
            }
        } else if let Some(own) = own {
            sweep.copy(own, &mut buffer[place(rank)]);
        }
    }
    if offers.meet().await? {
        offers.end();
        return Ok(());
    }
    gather_in(offers.give_up(), block_bytes, own, buffer).await
}
