//! Copies of blocks at equal distance or at listed places.
//!
//! The block's length is a constant in the inner loop for 1, 2, 4, 8, 12, 16, 24, 32, 40, 48 and
//! 64 bytes, so that a block is a few loads and stores without a call. Other equal lengths of up
//! to 64 bytes are two moves that overlap. Blocks of unequal length are one masked move each where
//! the processor has them (`super::masked`), and else a copy of that many bytes. `super::vectors`
//! takes over where wider registers pay.
//!
//! Masked moves are for unequal lengths, whose branches would be mispredicted. Where a block is a
//! miss of the table of pages, they take twice the time of plain ones (nanoseconds a block, Zen 4):
//!
//! | 26,212 blocks of 40 bytes, 6560 apart | plain | masked |
//! |---|---|---|
//! | packed | 6.6 to 8.7 | 13 to 14 |
//! | unpacked | 5.2 to 5.8 | 8.8 to 9.2 |
//!
//! There is one exception. Blocks a multiple of 4096 bytes apart share the few lines of one set of the
//! first-level cache. Plain stores ask for their lines early, and these push each other out
//! before they are written; masked stores ask when it is their turn (nanoseconds a block of
//! 8 bytes, unpacked, without and with the loop unrolled, and masked):
//!
//! | blocks, bytes apart | plain | unrolled | masked |
//! |---|---|---|---|
//! | 256, 4096 | 5.1 | 7.9 | 2.7 |
//! | 1024, 8192 | 5.3 | 8.1 | 2.9 |
//! | 4096, 32,768 | 6.7 | 6.3 | 5.0 |
//!
//! Where they share two sets, it is as often the other way.
//!
//! Step before: `super::memory` and `super::direct` are handed a regular piece. Step after:
//! nothing; the bytes are there.
//!
//! Invariant: user memory is reached through addresses, never through references, since C
//! owns it, and since displacements may be absolute (`MPI_BOTTOM`).

use std::ptr;

use pamir_shm::copy::copy_short;

use super::{masked, vectors};

/// Blocks from which on wider registers are asked for.
const LEAST_VECTOR: usize = 8;

/// An address in user memory to read from.
#[inline(always)]
pub(crate) fn source(address: usize) -> *const u8 {
    ptr::with_exposed_provenance(address)
}

/// An address in user memory to write to.
#[inline(always)]
pub(crate) fn destination(address: usize) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address)
}

#[inline(always)]
pub(crate) fn address(base: usize, displacement: i64) -> usize {
    base.wrapping_add_signed(displacement as isize)
}

/// Copies one block; the usual sizes without a call.
///
/// # Safety
/// `from` readable, `to` writable for `bytes`, not overlapping.
#[inline(always)]
pub(crate) unsafe fn copy_block(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: each branch moves exactly `bytes`, which the caller vouches for.
    unsafe {
        match bytes {
            4 => copy_fixed::<4>(from, to),
            8 => copy_fixed::<8>(from, to),
            16 => copy_fixed::<16>(from, to),
            _ => ptr::copy_nonoverlapping(from, to, bytes),
        }
    }
}

/// Whether `count` blocks of `block` bytes, `stride` bytes apart, are unpacked by masked stores; see
/// the module.
#[inline(always)]
pub(crate) fn crowds_a_set(count: usize, block: usize, stride: i64) -> bool {
    let one_set = stride.unsigned_abs().is_multiple_of(SET_BYTES) && stride != 0;
    one_set && count > FEW_LINES && block <= masked::MOST_BYTES && masked::is_available()
}

/// From a line to the next of the same set of the first-level cache: 64 sets of 64 bytes.
const SET_BYTES: u64 = 4096;

/// Lines that a set has room for, with what else is used.
const FEW_LINES: usize = 16;

/// Copies one of many blocks of the same length, for which there is no loop.
///
/// # Safety
/// `from` readable, `to` writable for `bytes`, not overlapping.
#[inline(always)]
pub(crate) unsafe fn copy_equal(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: either moves exactly `bytes`, which the caller vouches for: the second of two halves
    // starts at `bytes - 32`.
    unsafe {
        if (33..=64).contains(&bytes) {
            let rest = bytes - 32;
            let [first, last] = [from, from.add(rest)].map(|half| half.cast::<[u8; 32]>().read());
            to.cast::<[u8; 32]>().write(first);
            to.add(rest).cast::<[u8; 32]>().write(last);
        } else {
            copy_short(from, to, bytes);
        }
    }
}

/// Copies `N` bytes with plain loads and stores.
///
/// # Safety
/// `from` readable, `to` writable for `N` bytes, not overlapping.
#[inline(always)]
pub(crate) unsafe fn copy_fixed<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: byte arrays have alignment 1; the caller vouches for the rest.
    unsafe { to.cast::<[u8; N]>().write(from.cast::<[u8; N]>().read()) }
}

/// Runs `$loop` with the block size as a constant where it is a usual one.
macro_rules! by_block_size {
    ($bytes:expr, $fixed:ident, $general:expr, ($($argument:expr),*)) => {
        match $bytes {
            1 => $fixed::<1>($($argument),*),
            2 => $fixed::<2>($($argument),*),
            4 => $fixed::<4>($($argument),*),
            8 => $fixed::<8>($($argument),*),
            12 => $fixed::<12>($($argument),*),
            16 => $fixed::<16>($($argument),*),
            24 => $fixed::<24>($($argument),*),
            32 => $fixed::<32>($($argument),*),
            40 => $fixed::<40>($($argument),*),
            48 => $fixed::<48>($($argument),*),
            64 => $fixed::<64>($($argument),*),
            _ => $general,
        }
    };
}

/// Copies `count` blocks at equal distance to packed bytes.
///
/// # Safety
/// Each block readable; `out` writable for all of them; no overlap.
#[inline]
pub(crate) unsafe fn gather(from: Steps, out: *mut u8, count: usize, block: usize) {
    let Steps { start, stride } = from;
    if count >= LEAST_VECTOR && vectors::pays(block, stride) {
        // SAFETY: it pays; the caller vouches for every block and for the packed side.
        unsafe { vectors::gather(source(start), out, count, block) };
        return;
    }
    // SAFETY: the caller vouches for every block and for the packed side.
    unsafe {
        by_block_size!(
            block,
            gather_strided,
            gather_strided_bytes(start, out, count, block, stride),
            (start, out, count, stride)
        );
    }
}

/// Copies packed bytes to `count` blocks at equal distance.
///
/// # Safety
/// Each block writable; `input` readable for all of them; no overlap.
#[inline]
pub(crate) unsafe fn scatter(input: *const u8, to: Steps, count: usize, block: usize) {
    let Steps { start, stride } = to;
    if crowds_a_set(count, block, stride) {
        // SAFETY: masked moves are there; the caller vouches for every block and for the packed side.
        unsafe { scatter_strided_masked(input, to, count, block) };
        return;
    }
    // SAFETY: the caller vouches for every block and for the packed side.
    unsafe {
        by_block_size!(
            block,
            scatter_strided,
            scatter_strided_bytes(input, start, count, block, stride),
            (input, start, count, stride)
        );
    }
}

/// Copies blocks at listed displacements from `from` to packed bytes.
///
/// # Safety
/// As for [`gather`].
#[inline]
pub(crate) unsafe fn gather_listed(from: usize, list: &[i64], out: *mut u8, block: usize) {
    // SAFETY: the caller vouches for every block and for the packed side.
    unsafe {
        by_block_size!(
            block,
            gather_list,
            gather_list_bytes(from, out, list, block),
            (from, out, list)
        );
    }
}

/// Copies packed bytes to blocks at listed displacements from `to`.
///
/// # Safety
/// As for [`scatter`].
#[inline]
pub(crate) unsafe fn scatter_listed(input: *const u8, to: usize, list: &[i64], block: usize) {
    // SAFETY: the caller vouches for every block and for the packed side.
    unsafe {
        by_block_size!(
            block,
            scatter_list,
            scatter_list_bytes(input, to, list, block),
            (input, to, list)
        );
    }
}

/// Whether rows of a grid are gathered with wider registers, each by [`gather`].
#[inline(always)]
pub(crate) fn rows_are_vectors(count: usize, block: usize, stride: i64) -> bool {
    count >= LEAST_VECTOR && vectors::pays(block, stride)
}

/// Copies `rows` rows of `count` blocks between two grids: for each its rows, and the distance in
/// bytes from block to block in one.
///
/// # Safety
/// Each block readable on one side and writable on the other, not overlapping.
#[inline]
pub(crate) unsafe fn copy_grid(
    from: (Steps, i64),
    to: (Steps, i64),
    (rows, count): (usize, usize),
    block: usize,
) {
    // SAFETY: the caller vouches for every block.
    unsafe {
        by_block_size!(
            block,
            copy_grid_fixed,
            for row in 0..rows {
                let [from, to] = [from, to].map(|grid| row_of(grid, row));
                copy_steps(from, to, count, block);
            },
            (from, to, rows, count)
        );
    }
}

/// The blocks of a row.
#[inline(always)]
fn row_of((rows, stride): (Steps, i64), row: usize) -> Steps {
    Steps {
        start: address(rows.start, (row as i64).wrapping_mul(rows.stride)),
        stride,
    }
}

/// # Safety
/// As for [`copy_grid`] with blocks of `N` bytes.
unsafe fn copy_grid_fixed<const N: usize>(
    from: (Steps, i64),
    to: (Steps, i64),
    rows: usize,
    count: usize,
) {
    for row in 0..rows {
        let [from, to] = [from, to].map(|grid| row_of(grid, row));
        let (mut source_at, mut target_at) = (from.start, to.start);
        for _ in 0..count {
            // SAFETY: the caller vouches for every block.
            unsafe { copy_fixed::<N>(source(source_at), destination(target_at)) };
            source_at = address(source_at, from.stride);
            target_at = address(target_at, to.stride);
        }
    }
}

/// Addresses at equal distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// The first.
    pub start: usize,
    /// From each to the next.
    pub stride: i64,
}

/// Copies `count` blocks of `block` bytes between two rows of addresses.
///
/// # Safety
/// Each block readable on one side and writable on the other, not overlapping.
#[inline(always)]
pub(crate) unsafe fn copy_steps(from: Steps, to: Steps, count: usize, block: usize) {
    // SAFETY: the caller vouches for every block.
    unsafe {
        by_block_size!(
            block,
            copy_steps_fixed,
            {
                let (mut source_at, mut target_at) = (from.start, to.start);
                for _ in 0..count {
                    copy_equal(source(source_at), destination(target_at), block);
                    source_at = address(source_at, from.stride);
                    target_at = address(target_at, to.stride);
                }
            },
            (from, to, count)
        )
    }
}

/// # Safety
/// As for [`copy_steps`] with blocks of `N` bytes.
unsafe fn copy_steps_fixed<const N: usize>(from: Steps, to: Steps, count: usize) {
    let (mut source_at, mut target_at) = (from.start, to.start);
    for _ in 0..count {
        // SAFETY: the caller vouches for every block.
        unsafe { copy_fixed::<N>(source(source_at), destination(target_at)) };
        source_at = address(source_at, from.stride);
        target_at = address(target_at, to.stride);
    }
}

/// # Safety
/// `count` blocks of `N` bytes readable at `from`, `from + stride`, ...;
/// `out` writable for all of them.
unsafe fn gather_strided<const N: usize>(from: usize, out: *mut u8, count: usize, stride: i64) {
    let mut at = from;
    for index in 0..count {
        // SAFETY: the caller vouches for each block and for `count * N` bytes.
        unsafe { copy_fixed::<N>(source(at), out.add(index * N)) };
        at = address(at, stride);
    }
}

/// # Safety
/// As for [`gather_strided`] with blocks of `block` bytes.
unsafe fn gather_strided_bytes(from: usize, out: *mut u8, count: usize, block: usize, stride: i64) {
    let mut at = from;
    for index in 0..count {
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe { copy_equal(source(at), out.add(index * block), block) };
        at = address(at, stride);
    }
}

/// # Safety
/// `N` bytes readable at each listed displacement from `from`; `out` writable
/// for all of them.
unsafe fn gather_list<const N: usize>(from: usize, out: *mut u8, list: &[i64]) {
    for (index, &at) in list.iter().enumerate() {
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe { copy_fixed::<N>(source(address(from, at)), out.add(index * N)) };
    }
}

/// # Safety
/// As for [`gather_list`] with blocks of `block` bytes.
unsafe fn gather_list_bytes(from: usize, out: *mut u8, list: &[i64], block: usize) {
    for (index, &at) in list.iter().enumerate() {
        let block_at = source(address(from, at));
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe { copy_equal(block_at, out.add(index * block), block) };
    }
}

/// # Safety
/// `input` readable for `count` blocks of `N` bytes, which are writable at
/// `to`, `to + stride`, ...
unsafe fn scatter_strided<const N: usize>(input: *const u8, to: usize, count: usize, stride: i64) {
    let mut at = to;
    for index in 0..count {
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe { copy_fixed::<N>(input.add(index * N), destination(at)) };
        at = address(at, stride);
    }
}

/// # Safety
/// As for [`scatter_strided`] with blocks of `block` bytes.
unsafe fn scatter_strided_bytes(
    input: *const u8,
    to: usize,
    count: usize,
    block: usize,
    stride: i64,
) {
    let mut at = to;
    for index in 0..count {
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe { copy_equal(input.add(index * block), destination(at), block) };
        at = address(at, stride);
    }
}

/// Copies packed bytes to blocks that push each other out of the first-level cache.
///
/// # Safety
/// As for [`scatter`], where [`crowds_a_set`].
pub(crate) unsafe fn scatter_strided_masked(
    input: *const u8,
    to: Steps,
    count: usize,
    block: usize,
) {
    let mut at = to.start;
    for index in 0..count {
        // SAFETY: the caller vouches for each block and for the packed side, and that masked moves
        // of that length are there.
        unsafe { masked::copy(input.add(index * block), destination(at), block) };
        at = address(at, to.stride);
    }
}

/// # Safety
/// `input` readable for all blocks of `N` bytes, which are writable at each
/// listed displacement from `to`.
unsafe fn scatter_list<const N: usize>(input: *const u8, to: usize, list: &[i64]) {
    for (index, &at) in list.iter().enumerate() {
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe { copy_fixed::<N>(input.add(index * N), destination(address(to, at))) };
    }
}

/// # Safety
/// As for [`scatter_list`] with blocks of `block` bytes.
unsafe fn scatter_list_bytes(input: *const u8, to: usize, list: &[i64], block: usize) {
    for (index, &at) in list.iter().enumerate() {
        let block_at = destination(address(to, at));
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe { copy_equal(input.add(index * block), block_at, block) };
    }
}

/// Copies blocks of unequal length at listed displacements from `from` to packed bytes; answers
/// how many. `ends` are packed offsets, and the first block begins at `start`.
///
/// # Safety
/// Each block readable; `out` writable for all of them; no overlap.
#[inline]
pub(crate) unsafe fn gather_indexed(from: usize, list: Blocks<'_>, out: *mut u8) -> usize {
    // SAFETY: the caller vouches for each block and for the packed side, which the blocks follow
    // each other in.
    list.each(|at, begin, bytes, masked| unsafe {
        copy_unequal(source(address(from, at)), out.add(begin), bytes, masked);
    })
}

/// Copies packed bytes to blocks of unequal length at listed displacements from `to`; answers how
/// many.
///
/// # Safety
/// Each block writable; `input` readable for all of them; no overlap.
#[inline]
pub(crate) unsafe fn scatter_indexed(input: *const u8, to: usize, list: Blocks<'_>) -> usize {
    // SAFETY: as for `gather_indexed`, the other way.
    list.each(|at, begin, bytes, masked| unsafe {
        copy_unequal(
            input.add(begin),
            destination(address(to, at)),
            bytes,
            masked,
        );
    })
}

/// Copies one of the blocks of unequal length, by a masked move if `masked` and if it is short.
///
/// # Safety
/// As for [`copy_equal`]; `masked` only where the processor has masked moves.
#[inline(always)]
unsafe fn copy_unequal(from: *const u8, to: *mut u8, bytes: usize, masked: bool) {
    // SAFETY: as the caller vouches; a masked move is only made of a short block.
    unsafe {
        if masked && bytes <= masked::MOST_BYTES {
            masked::copy(from, to, bytes);
        } else {
            copy_block(from, to, bytes);
        }
    }
}

/// Blocks of unequal length.
#[derive(Clone, Copy)]
pub(crate) struct Blocks<'a> {
    /// Where each is.
    pub displacements: &'a [i64],
    /// Packed offset of the first.
    pub start: usize,
    /// Packed offsets at which they end.
    pub ends: &'a [usize],
}

impl Blocks<'_> {
    /// Calls `copy(displacement, bytes before it, bytes, whether masked moves are there)` for each
    /// block; answers the bytes of all.
    #[inline(always)]
    fn each(self, copy: impl Fn(i64, usize, usize, bool)) -> usize {
        let (masked, mut begin) = (masked::is_available(), 0);
        for (&at, &end) in self.displacements.iter().zip(self.ends) {
            let end = end - self.start;
            copy(at, begin, end - begin, masked);
            begin = end;
        }
        begin
    }
}

/// Whether blocks of `block` bytes are packed by stores that follow each other and do not overlap.
pub(crate) fn is_plain(block: usize) -> bool {
    block > masked::MOST_BYTES || has_loop(block)
}

/// Whether the length of such blocks is a constant in the loop for them.
pub(crate) fn has_loop(block: usize) -> bool {
    FIXED.contains(&block)
}

/// The lengths with loops of their own.
const FIXED: [usize; 11] = [1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64];

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that push each other out of the cache, and their neighbours that do not.
    #[test]
    fn masked_stores_serve_where_lines_share_a_set() {
        let there = masked::is_available();
        for stride in [4096, -4096, 32_768] {
            assert_eq!(crowds_a_set(17, 8, stride), there, "{stride}");
            assert!(!crowds_a_set(16, 8, stride) && !crowds_a_set(17, 65, stride));
        }
        for stride in [0, 1024, 2048, 4160, 6144] {
            assert!(!crowds_a_set(5000, 8, stride), "{stride}");
        }
    }

    #[test]
    fn blocks_are_scattered_and_gathered_whatever_their_length_and_distance() {
        const COUNT: usize = 40;
        let input: Vec<u8> = (0..COUNT * 70).map(|at| (at * 7 + 1) as u8).collect();
        for (block, stride) in (1..70).flat_map(|block| [(block, 2048), (block, 4096), (block, 71)])
        {
            let mut memory = vec![0_u8; COUNT * stride];
            let steps = Steps {
                start: memory.as_mut_ptr().expose_provenance(),
                stride: stride as i64,
            };
            let mut out = vec![0; COUNT * block];
            // SAFETY: the blocks lie in the memory, and the packed sides are long enough.
            unsafe {
                scatter(input.as_ptr(), steps, COUNT, block);
                gather(steps, out.as_mut_ptr(), COUNT, block);
            }
            assert_eq!(out, input[..COUNT * block], "{block}, {stride} apart");
            let gaps = memory.chunks(stride).flat_map(|step| &step[block..]);
            assert!(
                gaps.copied().all(|byte| byte == 0),
                "{block}, {stride} apart"
            );
        }
    }
}
