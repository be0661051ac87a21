//! Vector halving with distance doubling: the reduce-scatter inside Rabenseifner's algorithms.
//!
//! At level k a member and the one whose index differs in bit k hold sums over
//! neighbouring ranges of members for the same range of elements; each gives one
//! half away and combines the other. Distances double, not halve, so that operands
//! meet in the order of ranks. At the end each member holds the whole sum of one
//! small range.
//!
//! ```text
//!   index             0        1        2        3
//!   level 0        elements 0..4 0..2     4..8      0..4     4..8     with neighbour
//!   level 1              0..2     4..6     2..4      6..8     with the one 2 away
//! ```
//!
//! Step before: members above the power of two are folded in. Step after: an
//! allgather ([`super::rabenseifner`]) or a gather ([`mod@super::super::reduce`]).

use std::ops::Range;

use crate::collective::data::blocks::send_and_receive_parts;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;
use crate::collective::reduction::{Reduction, combine_ordered};
use crate::collective::shape::power_of_two::Folding;

/// One member's ranges at each level.
#[derive(Debug, Clone, Copy)]
pub struct Halving {
    /// Elements of the whole buffer.
    pub elements: usize,
    /// Bytes of one element.
    pub element_bytes: usize,
    /// The member's folded index.
    pub index: usize,
}

impl Halving {
    /// The two halves at `level`, lower and upper, in elements.
    fn halves(&self, level: u32) -> (Range<usize>, Range<usize>) {
        let (mut start, mut end) = (0, self.elements);
        for bit in 0..level {
            let middle = start + (end - start) / 2;
            if self.index >> bit & 1 == 0 {
                end = middle;
            } else {
                start = middle;
            }
        }
        let middle = start + (end - start) / 2;
        (start..middle, middle..end)
    }

    fn in_bytes(&self, elements: Range<usize>) -> Range<usize> {
        elements.start * self.element_bytes..elements.end * self.element_bytes
    }

    /// Bytes that this member keeps at `level`.
    pub fn kept(&self, level: u32) -> Range<usize> {
        let (lower, upper) = self.halves(level);
        self.in_bytes(if self.index >> level & 1 == 0 {
            lower
        } else {
            upper
        })
    }

    /// Bytes that this member gives to its partner at `level`.
    pub fn given(&self, level: u32) -> Range<usize> {
        let (lower, upper) = self.halves(level);
        self.in_bytes(if self.index >> level & 1 == 0 {
            upper
        } else {
            lower
        })
    }
}

/// Combines over all folded members; afterwards `accumulated` holds the result in the range that
/// this member kept at the last level.
pub async fn reduce_scatter(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    folding: &Folding,
    halving: &Halving,
    accumulated: &mut [u8],
) -> Result<(), CollectiveError> {
    let largest = accumulated.len() - halving.elements / 2 * halving.element_bytes;
    let mut received = Scratch::new(largest)?;
    for level in 0..folding.power.ilog2() {
        let partner = folding.rank_of(halving.index ^ (1 << level));
        let (kept, given) = (halving.kept(level), halving.given(level));
        let received = &mut received[..kept.len()];
        send_receive(exchange, partner, &accumulated[given], partner, received).await?;
        combine_ordered(
            reduction,
            (exchange.rank(), &mut accumulated[kept]),
            (partner, received),
        );
    }
    Ok(())
}

/// Spreads what each member kept at the last level to all folded members: the levels backwards.
pub async fn allgather(
    exchange: &impl Exchange,
    folding: &Folding,
    halving: &Halving,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    for level in (0..folding.power.ilog2()).rev() {
        let partner = folding.rank_of(halving.index ^ (1 << level));
        let (outgoing, incoming) =
            send_and_receive_parts(buffer, halving.kept(level), halving.given(level));
        send_receive(exchange, partner, outgoing, partner, incoming).await?;
    }
    Ok(())
}
