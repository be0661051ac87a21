//! Copies of a record's payload: short ones in a few overlapping moves, long ones by the best way to read.
//!
//! Before: a lane, a board or another process has the data. After: the bytes are where they are needed.
//!
//! Invariant: no copy touches a byte outside of the `bytes` that its caller names.

use super::lane_copy::{LONG_BYTES, string_move};
#[cfg(target_arch = "x86_64")]
use super::long_read::read as read_long;
use crate::lane::record::ONE_LINE_BYTES;
#[cfg(not(target_arch = "x86_64"))]
use std::ptr::copy_nonoverlapping as read_long;

/// The most data that shares a line with a word, in bytes.
pub const LINE_DATA_BYTES: usize = ONE_LINE_BYTES - 8;

/// Copies what fits into a line, without a call.
///
/// # Safety
///
/// `source` is readable and `target` writable for `bytes` bytes, at most [`LINE_DATA_BYTES`];
/// they do not overlap.
#[inline(always)]
pub unsafe fn copy_line(source: *const u8, target: *mut u8, bytes: usize) {
    debug_assert!(bytes <= LINE_DATA_BYTES);
    // SAFETY: as for `copy_short`, whose arms these are, without the one that makes a call; three
    // moves of 16 bytes cover 33 to 48 bytes.
    unsafe {
        if bytes == 8 {
            moved::<u64>(source, target, 0);
        } else if bytes > 32 {
            moved::<u128>(source, target, 0);
            moved::<u128>(source, target, 16);
            moved::<u128>(source, target, bytes - 16);
        } else if bytes > 16 {
            moved::<u128>(source, target, 0);
            moved::<u128>(source, target, bytes - 16);
        } else if bytes > 8 {
            moved::<u64>(source, target, 0);
            moved::<u64>(source, target, bytes - 8);
        } else if bytes > 3 {
            moved::<u32>(source, target, 0);
            moved::<u32>(source, target, bytes - 4);
        } else if bytes > 0 {
            moved::<u8>(source, target, 0);
            moved::<u8>(source, target, bytes / 2);
            moved::<u8>(source, target, bytes - 1);
        }
    }
}

/// Copies what another process has written to shared memory, however long it is.
///
/// # Safety
///
/// As for [`copy_short`].
#[inline(always)]
pub unsafe fn copy_read(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: as the caller vouches.
    unsafe { copy_payload(source, target, bytes, false) };
}

/// The same of a record's payload, which may best be read by a string move if it is long
/// ([`RecordHeader::is_string`](crate::lane::record::RecordHeader::is_string)).
///
/// # Safety
///
/// As for [`copy_short`].
#[inline(always)]
pub unsafe fn copy_payload(source: *const u8, target: *mut u8, bytes: usize, is_string: bool) {
    // SAFETY: as the caller vouches.
    unsafe {
        if bytes < LONG_BYTES {
            copy_short(source, target, bytes);
        } else if is_string {
            string_move(source, target, bytes);
        } else {
            read_long(source, target, bytes);
        }
    }
}

/// Copies, with the lengths of small messages done in a few overlapping moves.
///
/// # Safety
///
/// `source` is readable and `target` writable for `bytes` bytes; they do not overlap.
#[inline(always)]
pub unsafe fn copy_short(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: each arm reads and writes only offsets below `bytes`: the second move of a
    // pair starts at `bytes - width`, and `width <= bytes` in its arm. The caller vouches
    // for the ranges. Unaligned moves are used throughout.
    unsafe {
        match bytes {
            8 => moved::<u64>(source, target, 0),
            17..=32 => {
                moved::<u128>(source, target, 0);
                moved::<u128>(source, target, bytes - 16);
            }
            9..=16 => {
                moved::<u64>(source, target, 0);
                moved::<u64>(source, target, bytes - 8);
            }
            4..=7 => {
                moved::<u32>(source, target, 0);
                moved::<u32>(source, target, bytes - 4);
            }
            0 => {}
            1..=3 => {
                moved::<u8>(source, target, 0);
                moved::<u8>(source, target, bytes / 2);
                moved::<u8>(source, target, bytes - 1);
            }
            _ => std::ptr::copy_nonoverlapping(source, target, bytes),
        }
    }
}

/// Moves one `T` at byte `at`.
///
/// # Safety
///
/// Both pointers are good for a `T` at byte `at`.
#[inline(always)]
unsafe fn moved<T>(source: *const u8, target: *mut u8, at: usize) {
    // SAFETY: the caller vouches for both; unaligned accesses need no alignment.
    unsafe {
        let value = source.add(at).cast::<T>().read_unaligned();
        target.add(at).cast::<T>().write_unaligned(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_copies_are_exact() {
        let source: Vec<u8> = (0..100).collect();
        for bytes in 0..=100 {
            let mut target = [0xEE_u8; 102];
            // SAFETY: both arrays have at least 100 bytes.
            unsafe { copy_short(source.as_ptr(), target.as_mut_ptr(), bytes) };
            assert_eq!(target[..bytes], source[..bytes]);
            assert!(target[bytes..].iter().all(|byte| *byte == 0xEE), "{bytes}");
        }
    }

    #[test]
    fn lines_are_copied_exactly() {
        let source: Vec<u8> = (0..100).collect();
        for bytes in 0..=LINE_DATA_BYTES {
            let mut target = [0xEE_u8; 102];
            // SAFETY: both arrays have at least 100 bytes.
            unsafe { copy_line(source.as_ptr(), target.as_mut_ptr(), bytes) };
            assert_eq!(target[..bytes], source[..bytes]);
            assert!(target[bytes..].iter().all(|byte| *byte == 0xEE), "{bytes}");
        }
    }
}
