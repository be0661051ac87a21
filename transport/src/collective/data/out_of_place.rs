//! A member's own data apart from where the result goes.
//!
//! Before: the MPI layer has a send and a receive buffer. After: algorithms on a board, which take
//! the data from where they lie, a chunk at a time; the root of a gather by messages, which copies its own block while
//! others send theirs (`copy_meanwhile`); all others work in place, on a copy.
//!
//! Why: to copy a large buffer first costs as much as to move it, and leaves lines that were
//! just written, which the other members have to ask this core for.

use crate::collective::exchange::join::others_first;

/// Bytes that are copied without looking for messages, which takes half a microsecond.
const PIECE_BYTES: usize = 32 << 10;

/// The most pieces of a copy. Who finds nothing too often goes to sleep (`pamir_driver::waiting::ladder`: 16 times at
/// least), and a copy is nothing that is found.
const MOST_PIECES: usize = 16;

/// Copies `from` to `to`, as long, a piece at a time: the context is advanced in between, so what waits for an
/// answer of this member does not wait for all of it. For blocking operations, which begin with it.
pub(in crate::collective) async fn copy_meanwhile(from: &[u8], to: &mut [u8]) {
    let piece_bytes = PIECE_BYTES.max(from.len().div_ceil(MOST_PIECES));
    let pieces = from.chunks(piece_bytes).zip(to.chunks_mut(piece_bytes));
    for (index, (from, to)) in pieces.enumerate() {
        if index > 0 {
            others_first().await;
        }
        to.copy_from_slice(from);
    }
}

/// What a member contributes, and the room for the result.
#[derive(Debug)]
pub struct OutOfPlace<'a> {
    /// The own data; none where they are in `result`.
    pub own: Option<&'a [u8]>,
    /// Where the result goes: as long as the own data.
    pub result: &'a mut [u8],
}

impl<'a> OutOfPlace<'a> {
    /// The own data.
    #[inline]
    pub fn own(&self) -> &[u8] {
        self.own.unwrap_or(self.result)
    }

    /// The room for the result, with the own data in it.
    #[inline]
    pub fn in_place(self) -> &'a mut [u8] {
        if let Some(own) = self.own {
            self.result.copy_from_slice(own);
        }
        self.result
    }

    /// A part of it.
    #[inline]
    pub fn part(&mut self, part: std::ops::Range<usize>) -> OutOfPlace<'_> {
        OutOfPlace {
            own: self.own.map(|own| &own[part.clone()]),
            result: &mut self.result[part],
        }
    }
}

impl<'a> From<&'a mut [u8]> for OutOfPlace<'a> {
    #[inline]
    fn from(result: &'a mut [u8]) -> Self {
        Self { own: None, result }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    #[test]
    fn a_copy_is_interrupted_but_not_often() {
        for bytes in [0, 1, PIECE_BYTES, PIECE_BYTES + 1, 100 * PIECE_BYTES + 1] {
            let from: Vec<u8> = (0..bytes).map(|at| (at / 7) as u8).collect();
            let mut to = vec![0; bytes];
            let mut interruptions = 0;
            {
                let mut copy = pin!(copy_meanwhile(&from, &mut to));
                let mut context = Context::from_waker(Waker::noop());
                while copy.as_mut().poll(&mut context).is_pending() {
                    interruptions += 1;
                }
            }
            assert_eq!(to, from);
            let pieces = bytes.div_ceil(PIECE_BYTES).clamp(1, MOST_PIECES);
            assert_eq!(interruptions, pieces - 1);
        }
    }
}
