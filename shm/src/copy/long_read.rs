//! Reading long data whose lines lie in the other core's cache.
//!
//! Before: [`super::copy_payload`] has long data of a lane or a board to read. After: it is copied.
//!
//! Each line takes long to come, so what counts is how many are under way:
//!
//! | way | from | what it does |
//! |---|---|---|
//! | in a row | | by vectors of 32 bytes (AVX2) |
//! | wide | 4 or 8 KiB ([`crate::processor`]) | the same by vectors of 64 (AVX-512), where there are such: fewer instructions wait for each line |
//! | side by side | 16 KiB | through four pages at once, since a processor fetches ahead within a page only, and only so far; wide vectors take a quarter longer so |
//!
//! ```text
//! in a row       page 0: 0 1 2 3 4 ...                        │ page 1: ...
//! side by side   page 0: 0     4 ... │ page 1: 1     5 ... │ page 2: 2     6 ... │ page 3: 3     7 ...
//! ```
//!
//! That pays between far cores (`docs/decisions/001-lanes.md`). Two rows bring nothing, nor does writing in this way, for
//! which lines are asked ahead anyway ([`super::lane_copy`]). Pages
//! are counted from the first byte: wherever it lies in its own, each row then goes through two.

use std::arch::is_x86_feature_detected;

use super::lane_copy::{VECTORS_BYTES, four_vectors};
use crate::processor;
use crate::segment::PAGE_BYTES;

/// Pages that are read at once.
const GROUP_BYTES: usize = 4 * PAGE_BYTES;

/// What is read of one page before the next one's turn: more than is fetched together, so that it is seen as a row.
const TURN_BYTES: usize = 256;

/// Bytes of four wide vectors, which are moved at once.
const WIDE_PART_BYTES: usize = 4 * 64;

/// Copies `bytes` bytes by what the processor has.
///
/// # Safety
///
/// `source` is readable and `target` writable for `bytes` bytes; they do not overlap.
#[inline(always)]
pub(crate) unsafe fn read(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: as the caller vouches; the processor has what is asked, and there are as many bytes as are moved at once.
    unsafe {
        if bytes < VECTORS_BYTES || !is_x86_feature_detected!("avx2") {
            std::ptr::copy_nonoverlapping(source, target, bytes);
        } else if bytes >= GROUP_BYTES {
            read_side_by_side(source, target, bytes);
        } else if bytes >= processor::this().wide_bytes && is_x86_feature_detected!("avx512f") {
            read_wide(source, target, bytes);
        } else {
            read_row(source, target, bytes);
        }
    }
}

/// Copies whole groups of pages side by side, and the rest in a row.
///
/// # Safety
///
/// As for [`read`]; at least [`GROUP_BYTES`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn read_side_by_side(source: *const u8, target: *mut u8, bytes: usize) {
    let whole = bytes / GROUP_BYTES * GROUP_BYTES;
    // The last vectors of the rest may overlap the groups.
    let rest = (bytes - whole).max(VECTORS_BYTES);
    // SAFETY: a group lies in the whole ones, which the ranges that the caller vouches for hold, and so does the rest: it
    // ends where they end, and there are more bytes than vectors.
    unsafe {
        for group in (0..whole).step_by(GROUP_BYTES) {
            read_group(source.add(group), target.add(group));
        }
        read_row(source.add(bytes - rest), target.add(bytes - rest), rest);
    }
}

/// Copies four pages, a turn of each after the other.
///
/// # Safety
///
/// [`GROUP_BYTES`] can be read at the source and written at the target; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn read_group(source: *const u8, target: *mut u8) {
    for turn in (0..PAGE_BYTES).step_by(TURN_BYTES) {
        for page in (0..GROUP_BYTES).step_by(PAGE_BYTES) {
            for at in (page + turn..page + turn + TURN_BYTES).step_by(VECTORS_BYTES) {
                // SAFETY: a turn ends in its page, and the pages in the group, which the caller vouches for.
                unsafe { four_vectors(source.add(at), target.add(at)) };
            }
        }
    }
}

/// Copies from the first byte to the last.
///
/// # Safety
///
/// As for [`read`]; at least [`VECTORS_BYTES`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn read_row(source: *const u8, target: *mut u8, bytes: usize) {
    let last = bytes - VECTORS_BYTES;
    let mut at = 0;
    // SAFETY: `at` is at most `last`, so the four vectors lie in the ranges that the caller
    // vouches for; the last ones may overlap those before them, and write the same bytes.
    unsafe {
        while at < last {
            four_vectors(source.add(at), target.add(at));
            at += VECTORS_BYTES;
        }
        four_vectors(source.add(last), target.add(last));
    }
}

/// The same by wide vectors.
///
/// # Safety
///
/// As for [`read`]; at least [`WIDE_PART_BYTES`]; the processor has AVX-512.
#[inline(never)]
unsafe fn read_wide(source: *const u8, target: *mut u8, bytes: usize) {
    let last = bytes - WIDE_PART_BYTES;
    let mut at = 0;
    // SAFETY: as in `read_row`.
    unsafe {
        while at < last {
            move_wide(source.add(at), target.add(at));
            at += WIDE_PART_BYTES;
        }
        move_wide(source.add(last), target.add(last));
    }
}

/// Moves four vectors of 64 bytes.
///
/// The instructions are written out, since Rust 1.88 has no functions for them. The registers are some
/// that code without AVX-512 does not know, so that nothing need be cleared behind it.
///
/// # Safety
///
/// [`WIDE_PART_BYTES`] can be read at the source and written at the target; the processor has AVX-512.
#[inline(always)]
unsafe fn move_wide(source: *const u8, target: *mut u8) {
    // SAFETY: four vectors each, as the caller vouches; unaligned accesses need no alignment. The registers are said to
    // be lost.
    unsafe {
        std::arch::asm!(
            "vmovdqu64 zmm16, [{source}]",
            "vmovdqu64 zmm17, [{source} + 64]",
            "vmovdqu64 zmm18, [{source} + 128]",
            "vmovdqu64 zmm19, [{source} + 192]",
            "vmovdqu64 [{target}], zmm16",
            "vmovdqu64 [{target} + 64], zmm17",
            "vmovdqu64 [{target} + 128], zmm18",
            "vmovdqu64 [{target} + 192], zmm19",
            source = in(reg) source,
            target = in(reg) target,
            out("xmm16") _,
            out("xmm17") _,
            out("xmm18") _,
            out("xmm19") _,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_exact(bytes: usize, shift: usize, read: impl Fn(*const u8, *mut u8, usize)) {
        let source: Vec<u8> = (0..bytes + 64).map(|at| ((at * 7) >> 2) as u8).collect();
        let mut target = vec![0xEE_u8; bytes + 192];
        read(
            source[shift..].as_ptr(),
            target[shift..].as_mut_ptr(),
            bytes,
        );
        assert_eq!(target[shift..][..bytes], source[shift..][..bytes]);
        let around = target[..shift].iter().chain(&target[shift + bytes..]);
        assert!(around.into_iter().all(|byte| *byte == 0xEE), "{bytes}");
    }

    #[test]
    fn any_length_is_read_exactly() {
        for base in [0, 2 * PAGE_BYTES, GROUP_BYTES, 3 * GROUP_BYTES] {
            for rest in [0, 1, 127, 128, 129, 255, 256, 257, 5000] {
                for shift in [0, 16, 63] {
                    // SAFETY: `assert_exact` has the bytes.
                    let any = |source, target, bytes| unsafe { read(source, target, bytes) };
                    assert_exact(base + rest, shift, any);
                }
            }
        }
    }

    #[test]
    fn each_way_reads_exactly() {
        if !is_x86_feature_detected!("avx512f") {
            return;
        }
        for bytes in [256, 257, 511, 512, 4096, 5000, 20_000] {
            // SAFETY: `assert_exact` has the bytes, and the processor was asked.
            let wide = |source, target, bytes| unsafe { read_wide(source, target, bytes) };
            assert_exact(bytes, 16, wide);
            // SAFETY: as above.
            let row = |source, target, bytes| unsafe { read_row(source, target, bytes) };
            assert_exact(bytes, 16, row);
        }
    }
}
