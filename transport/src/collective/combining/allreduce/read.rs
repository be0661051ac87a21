//! Allreduce through the kernel: everybody reads its slice of all others' data, combines it, and reads
//! the other slices of the result.
//!
//! Each of two members reads all of the other one's data and combines all of it, up to a length: that is as much to read, and
//! nobody has to read what the other one has just written, which costs more than to combine the second half. Where all
//! that one member touches does not fit its cache, it goes through the data up and down in turn
//! ([`pamir_driver::memory::sweep`]; `docs/decisions/009-collectives.md`).
//!
//! Data that lies where its result goes is posted instead, once all have learnt that there is such a member: it must be
//! there whole until all have read it.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 3; of two members 2 | 3 posts; 2 | 2 m (n - 1) / n, by 2 (n - 1) copies; m |

use std::ops::Range;

use pamir_driver::memory::sweep::Sweep;

use crate::collective::board::kernel_copy::{Choice, Kind, Ways};
use crate::collective::board::offers::{Offers, begin};
use crate::collective::board::rounds::Rounds;
use crate::collective::combining::allreduce::posted_slices::{
    combine_in, most_bytes, posted_slices,
};
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;
use crate::collective::reduction::{Reduction, elements, part_of};

/// Bytes that are read before they are combined: they stay in the core's own cache, and each piece is a call to the kernel
/// (`docs/decisions/009-collectives.md`).
const PIECE_BYTES: usize = 256 * 1024;

/// Up to this many bytes two members combine all of it.
const WHOLE_BYTES: usize = 2 << 20;

/// Combines the data of all members into the result of every member.
pub async fn read(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    mut data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let Some(most_bytes) = most_bytes(exchange, reduction) else {
        return posted_slices(exchange, reduction, data).await;
    };
    let (rounds, choice) = begin(exchange, Kind::Allreduce, data.result.len(), Ways::Read).await?;
    combine_by_kernel_copy(rounds, &choice, reduction, &mut data, most_bytes).await
}

/// The same, in rounds of an operation.
pub(super) async fn combine_by_kernel_copy<E: Exchange>(
    rounds: Rounds<'_, E>,
    choice: &Choice<'_>,
    reduction: &impl Reduction,
    data: &mut OutOfPlace<'_>,
    most_bytes: usize,
) -> Result<(), CollectiveError> {
    let exchange = rounds.exchange();
    let (rank, size, total) = (exchange.rank(), exchange.size(), data.result.len());
    let count = elements(reduction, total)?;
    let parts = if size == 2 && total <= WHOLE_BYTES {
        1
    } else {
        size
    };
    let slice = |member| part_of(count, reduction.element_bytes(), parts, member % parts);
    let offered = [data.own().as_ptr(), data.result.as_ptr()];
    // The second one is for the slices of the result.
    let mut offers = Offers::open(rounds, choice, (offered, parts.min(2)), total).await;
    if data.own.is_none() {
        offers.withhold();
    }
    let mut others = Vec::with_capacity(size);
    for member in 0..size {
        let offer = if member == rank {
            None
        } else {
            offers.see::<2>(member).await?
        };
        others.push(offer);
    }
    let sweep = if parts == 1 {
        Sweep::next_of(data.result)
    } else {
        Sweep::Up
    };
    let combining = Combining {
        offers: &offers,
        sweep,
        reduction,
        from: others
            .iter()
            .map(|offer| offer.map(|[data, _]| data))
            .collect(),
    };
    if let Some(own) = data.own {
        combining.slice(rank, slice(rank), own, data.result)?;
    }
    if !offers.meet().await? {
        return combine_in(offers.give_up(), reduction, data, most_bytes).await;
    }
    if parts == 1 {
        offers.end();
        return Ok(());
    }
    // Each begins with another one.
    for member in (rank + 1..size).chain(0..rank) {
        if let Some([_, result]) = others[member] {
            let range = slice(member);
            let address = result.wrapping_add(range.start as u64);
            offers.read(member, address, &mut data.result[range], Sweep::Up);
        }
    }
    if !offers.meet().await? {
        let rank = exchange.name(rank);
        return Err(ExchangeError::Corrupt { rank }.into());
    }
    offers.end();
    Ok(())
}

/// How a member combines its slice.
struct Combining<'o, 'c, 'e, E, R> {
    offers: &'o Offers<'c, 'e, E>,
    reduction: &'o R,
    sweep: Sweep,
    /// Where each other member's data lies; none at this one, or where members do not agree.
    from: Vec<Option<u64>>,
}

impl<E: Exchange, R: Reduction> Combining<'_, '_, '_, E, R> {
    /// Combines `range` of all members' data into `result`.
    fn slice(
        &self,
        rank: usize,
        range: Range<usize>,
        own: &[u8],
        result: &mut [u8],
    ) -> Result<(), CollectiveError> {
        let element_bytes = self.reduction.element_bytes();
        let most = (PIECE_BYTES / element_bytes).max(1) * element_bytes;
        let mut operand = Scratch::new(most.min(range.len()))?;
        for piece in self.sweep.pieces_of(range, most) {
            let operand = &mut operand[..piece.len()];
            let data = (&own[piece.clone()], &mut result[piece.clone()]);
            self.piece(rank, piece.start, data, operand);
        }
        Ok(())
    }

    /// From the highest member down, so that whatever is combined is the lower operand; where the
    /// order does not matter, the own data is combined with what was read where the result goes.
    fn piece(
        &self,
        rank: usize,
        start: usize,
        (own, result): (&[u8], &mut [u8]),
        operand: &mut [u8],
    ) {
        let read = |member: usize, target: &mut [u8]| match self.from[member] {
            Some(address) => {
                let address = address.wrapping_add(start as u64);
                self.offers.read(member, address, target, Sweep::Up);
                true
            }
            None => false,
        };
        let last = self.from.len() - 1;
        let first = if self.reduction.commutative() && rank == last {
            last.saturating_sub(1)
        } else {
            last
        };
        if first == rank || !read(first, result) {
            result.copy_from_slice(own);
        }
        for member in (0..=last).rev().filter(|member| *member != first) {
            if member == rank {
                self.reduction.combine(own, result);
            } else if read(member, operand) {
                self.reduction.combine(operand, result);
            }
        }
    }
}
