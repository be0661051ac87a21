//! The order in which data is copied that does not fit a core's cache.
//!
//! Before: a copy of large data between two processes ([`crate::memory::kernel_copy`]), or an operation that goes through large
//! buffers. After: the pieces, in the order of addresses or against it.
//!
//! A cache keeps the lines that were used last. A copy that goes through 4 MiB again and again from the first byte to the last finds
//! nothing of them in a cache of 2 MiB: when it comes to a line, others have driven it out. A copy that turns round at the
//! end finds all that fits:
//!
//! ```text
//!   up, up      0 1 2 3 | 0 1 2 3      room for two: each of 0 1 2 3 is fetched again
//!   up, down    0 1 2 3 | 3 2 1 0      3 and 2 are still there
//! ```
//!
//! The same data is therefore copied up and down in turn (`docs/decisions/009-collectives.md`).

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shorter data is copied in one piece, upwards: it fits, with what it is copied from.
const LEAST_BYTES: usize = 512 * 1024;

/// Of longer data so little is left in a cache that it does not matter.
const MOST_BYTES: usize = 4 << 20;

/// Bytes of a piece: the order of pieces changes, not that of the bytes in them.
const PIECE_BYTES: usize = 128 * 1024;

/// Memory of so many bytes is one place.
const PLACE_BYTES: usize = 4096;

/// For each of 64 classes of places, whether data there was last copied upwards.
static LAST_UP: AtomicU64 = AtomicU64::new(0);

/// An order of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// From the first byte to the last.
    Up,
    /// From the last piece to the first.
    Down,
}

impl Sweep {
    /// The order for `data`: the other one than the last time.
    pub fn next_of(data: &[u8]) -> Self {
        if !(LEAST_BYTES..=MOST_BYTES).contains(&data.len()) {
            return Self::Up;
        }
        let place = (data.as_ptr().addr() / PLACE_BYTES) as u64;
        let class = place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        // Nothing but the speed of a copy depends on it.
        if LAST_UP.fetch_xor(1 << class, Ordering::Relaxed) >> class & 1 == 0 {
            Self::Up
        } else {
            Self::Down
        }
    }

    /// The pieces of `range`.
    pub fn pieces(self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        self.pieces_of(range, PIECE_BYTES)
    }

    /// The pieces of `range`, each of `piece_bytes` from its beginning on, but for the last.
    pub fn pieces_of(
        self,
        range: Range<usize>,
        piece_bytes: usize,
    ) -> impl Iterator<Item = Range<usize>> {
        let count = range.len().div_ceil(piece_bytes);
        (0..count).map(move |index| {
            let place = match self {
                Self::Up => index,
                Self::Down => count - 1 - index,
            };
            let start = range.start + place * piece_bytes;
            start..range.end.min(start + piece_bytes)
        })
    }

    /// Copies `source` to `target`, which is as long.
    pub fn copy(self, source: &[u8], target: &mut [u8]) {
        if self == Self::Up {
            return target.copy_from_slice(source);
        }
        for piece in self.pieces(0..target.len()) {
            target[piece.clone()].copy_from_slice(&source[piece]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_of_a_range_in_either_order() {
        for range in [0..0, 3..4, 7..3 * PIECE_BYTES, 5..5 + PIECE_BYTES] {
            let up: Vec<_> = Sweep::Up.pieces(range.clone()).collect();
            let mut down: Vec<_> = Sweep::Down.pieces(range.clone()).collect();
            down.reverse();
            assert_eq!(up, down);
            let all: Vec<usize> = up.into_iter().flatten().collect();
            assert!(all.into_iter().eq(range));
        }
    }

    #[test]
    fn the_same_data_is_copied_up_and_down_in_turn() {
        let memory = vec![0_u8; MOST_BYTES + 1];
        let data = &memory[..2 * LEAST_BYTES];
        let first = Sweep::next_of(data);
        let second = Sweep::next_of(data);
        assert_ne!(first, second);
        assert_eq!(Sweep::next_of(data), first);
        for bytes in [0, LEAST_BYTES - 1, MOST_BYTES + 1] {
            let sweeps = [(); 2].map(|()| Sweep::next_of(&memory[..bytes]));
            assert_eq!(sweeps, [Sweep::Up; 2]);
        }
    }

    #[test]
    fn a_copy_is_whole_in_either_order() {
        let source: Vec<u8> = (0..3 * PIECE_BYTES + 77)
            .map(|at| (at % 251) as u8)
            .collect();
        for sweep in [Sweep::Up, Sweep::Down] {
            let mut target = vec![0; source.len()];
            sweep.copy(&source, &mut target);
            assert!(target == source);
        }
    }
}
