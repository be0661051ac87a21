//! Room in a lane that another one fills: the code that gathers data with gaps; or room
//! for a post on a board ([`crate::board::mapped`]).
//!
//! Before: a record was reserved, and its header is the lane's business. After: the bytes are in the
//! record's payload, in as many copies as their owner likes.
//!
//! ```text
//!   blocks ──stores──▶ ┌──────┐
//!   a copy near by ──▶ │ room │ by the way that this lane has measured (`write`)
//!                      └──────┘
//! ```
//!
//! Invariant: the room is part of one reserved record or one post, which nobody reads yet.

use crate::copy::copy_short;
pub use crate::copy::lane_copy::LongCopy;
use crate::copy::lane_copy::{LONG_BYTES, ask_for_lines};

/// From this many bytes on, it pays to ask for the lines before they are written.
const ASKED_BYTES: usize = 384;

/// Memory in a lane that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct LaneRoom<'a> {
    address: *mut u8,
    long: &'a LongCopy,
}

impl<'a> LaneRoom<'a> {
    /// Room at `address`, for copies that are measured by `long`.
    #[inline(always)]
    pub fn new(address: *mut u8, long: &'a LongCopy) -> Self {
        Self { address, long }
    }

    /// The first byte, for those who write in many places.
    #[inline(always)]
    pub fn address(self) -> *mut u8 {
        self.address
    }

    /// The room behind its first `bytes` bytes.
    #[inline(always)]
    pub fn behind(self, bytes: usize) -> Self {
        Self {
            address: self.address.wrapping_add(bytes),
            ..self
        }
    }

    /// Copies `bytes` bytes to its beginning.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes, which the room has.
    #[inline(always)]
    pub unsafe fn write(self, source: *const u8, bytes: usize) {
        // SAFETY: as the caller vouches; no ring is ever handed out, so the two do not overlap.
        unsafe {
            if bytes < ASKED_BYTES {
                copy_short(source, self.address, bytes);
            } else if bytes < LONG_BYTES {
                ask_for_lines(self.address, bytes);
                copy_short(source, self.address, bytes);
            } else {
                self.long.copy(source, self.address, bytes);
            }
        }
    }

    /// Whether data should come by [`Self::write`] even if it must be collected first: the lane's
    /// lines are so far that its long copies stream, or it is about to measure that.
    #[inline(always)]
    pub fn asks_for_long_copies(self) -> bool {
        self.long.is_asked_for()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_in_the_room_and_nowhere_else() {
        let long = LongCopy::default();
        for bytes in [0, 1, 63, 64, 2559, 2560, 9000] {
            let source: Vec<u8> = (0..bytes).map(|at| ((at * 7) >> 3) as u8).collect();
            let mut lane = vec![0xEE_u8; bytes + 200];
            let room = LaneRoom::new(lane.as_mut_ptr(), &long);
            // SAFETY: the vector has so many bytes behind the first hundred.
            unsafe { room.behind(100).write(source.as_ptr(), bytes) };
            assert_eq!(room.address(), lane.as_mut_ptr());
            assert_eq!(lane[100..100 + bytes], source[..]);
            let around = lane[..100].iter().chain(&lane[100 + bytes..]);
            assert!(around.into_iter().all(|byte| *byte == 0xEE));
        }
    }
}
