//! The members of a line of a torus, as members of an operation among themselves.
//!
//! Before: an algorithm that goes along the dimensions of a [`Torus`], one after another. After:
//! an algorithm for rings runs in each line, and its messages go to neighbours only.
//!
//! ```text
//!   2x3   dimension 0: lines 0-3, 1-4, 2-5     dimension 1: lines 0-1-2, 3-4-5
//! ```
//!
//! Invariant: all members of a line have it in the same order, by their coordinate.

use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;
use crate::collective::shape::torus::Torus;

/// One line through a member.
pub struct Line<'a, E> {
    exchange: &'a E,
    /// The number of the line's first member.
    first: usize,
    stride: usize,
    size: usize,
    place: usize,
}

impl<'a, E: Exchange> Line<'a, E> {
    /// The line in `dimension` through the member whose exchange it is.
    pub fn through(exchange: &'a E, torus: &Torus, dimension: usize) -> Self {
        let rank = exchange.rank();
        Self {
            exchange,
            first: torus.beside(rank, dimension, 0),
            stride: torus.stride(dimension),
            size: torus.sizes()[dimension],
            place: torus.coordinate(rank, dimension),
        }
    }
}

impl<E: Exchange> Exchange for Line<'_, E> {
    fn rank(&self) -> usize {
        self.place
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_oversubscribed(&self) -> bool {
        self.exchange.is_oversubscribed()
    }

    fn torus(&self) -> Torus {
        Torus::balanced(self.size)
    }

    fn name(&self, member: usize) -> usize {
        self.exchange.name(self.first + member * self.stride)
    }

    fn looks(&self) -> u32 {
        self.exchange.looks()
    }

    fn disagrees(&self, fault: CollectiveError) -> Result<(), CollectiveError> {
        self.exchange.disagrees(fault)
    }

    async fn send(&self, to: usize, bytes: &[u8]) -> Result<(), ExchangeError> {
        let to = self.first + to * self.stride;
        self.exchange.send(to, bytes).await
    }

    async fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<usize, ExchangeError> {
        let from = self.first + from * self.stride;
        self.exchange.receive(from, bytes).await
    }
}
