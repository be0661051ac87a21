//! Copies between user memory and packed bytes: the one file of the datatype
//! room with `unsafe` in it.
//!
//! Step before: `super::program` names ranges of user memory in packed order.
//! Step after: the packed bytes go into or come out of packets and slices.
//!
//! Invariants: a sink is only run over a packed range as long as its packed
//! side; a cursor's base obeys the contract of [`Cursor::new`]. User memory is
//! reached through addresses, never through references, since C owns it, and
//! since displacements may be absolute (`MPI_BOTTOM`).

use std::ptr;

use super::Datatype;
use super::cursor::Cursor;
use super::program::{Blocklist, Program, Repeat, Sink};

/// Bytes of the buffer on the stack between two irregular layouts.
const BOUNCE_BYTES: usize = 16 * 1024;

impl Cursor {
    /// A cursor at the start of `count` elements of `datatype` at `base`.
    ///
    /// # Safety
    /// As long as the cursor is used, every byte that the type map reaches
    /// from `base` must be readable for packing and writable for unpacking,
    /// must not be touched by others meanwhile, and must not overlap the packed
    /// side. `base` may be null where the displacements are absolute, or
    /// where nothing is moved.
    #[inline]
    pub unsafe fn new(datatype: &Datatype, count: usize, base: *mut u8) -> Self {
        let base = base.expose_provenance();
        Self {
            program: Program::new(datatype, count),
            base,
            offset: 0,
        }
    }

    /// Packs the next bytes into `out`; answers how many (less than
    /// `out.len()` only at the end).
    #[inline]
    pub fn pack(&mut self, out: &mut [u8]) -> usize {
        // SAFETY: the slice is exclusive, writable and as long as said; by
        // the contract of `new` it does not overlap the user's memory.
        unsafe { self.pack_to(out.as_mut_ptr(), out.len()) }
    }

    /// Unpacks `input` into the next bytes; answers how many were taken
    /// (less than `input.len()` only at the end).
    #[inline]
    pub fn unpack(&mut self, input: &[u8]) -> usize {
        // SAFETY: the slice is readable and as long as said; by the contract
        // of `new` it does not overlap the user's memory.
        unsafe { self.unpack_from(input.as_ptr(), input.len()) }
    }

    /// [`Cursor::pack`] into raw memory, for segments that a peer may see.
    ///
    /// # Safety
    /// `out` must be writable for `bytes` bytes that do not overlap the
    /// user's buffer.
    #[inline]
    pub unsafe fn pack_to(&mut self, out: *mut u8, bytes: usize) -> usize {
        let (from, to) = self.range(bytes);
        let mut gather = Gather {
            base: self.base,
            out,
        };
        self.program.run(from, to, &mut gather);
        self.offset = to;
        to - from
    }

    /// [`Cursor::unpack`] from raw memory, for segments that a peer may see.
    ///
    /// # Safety
    /// `input` must be readable for `bytes` bytes that do not overlap the
    /// user's buffer.
    #[inline]
    pub unsafe fn unpack_from(&mut self, input: *const u8, bytes: usize) -> usize {
        let (from, to) = self.range(bytes);
        let mut scatter = Scatter {
            base: self.base,
            input,
        };
        self.program.run(from, to, &mut scatter);
        self.offset = to;
        to - from
    }

    #[inline]
    fn range(&self, bytes: usize) -> (usize, usize) {
        (self.offset, self.offset + bytes.min(self.remaining()))
    }

    /// Moves bytes from this cursor to `target` until one of them ends;
    /// answers how many. Both may be irregular; two contiguous buffers may
    /// even overlap.
    pub fn copy_to(&mut self, target: &mut Cursor) -> usize {
        let bytes = self.remaining().min(target.remaining());
        match (self.contiguous(), target.contiguous()) {
            (Some((from, _)), Some((to, _))) => {
                let from = from.wrapping_add(self.offset);
                let to = to.wrapping_add(target.offset);
                if bytes != 0 {
                    // SAFETY: `bytes` is within what is left of both buffers,
                    // which `new` promised readable and writable.
                    unsafe { ptr::copy(source(from), destination(to), bytes) };
                }
                self.offset += bytes;
                target.offset += bytes;
            }
            (Some((from, _)), None) => {
                let from = from.wrapping_add(self.offset);
                // SAFETY: `bytes` is within what is left of this buffer,
                // which `new` promised readable.
                self.offset += unsafe { target.unpack_from(source(from), bytes) };
            }
            (None, Some((to, _))) => {
                let to = to.wrapping_add(target.offset);
                // SAFETY: `bytes` is within what is left of the target,
                // which `new` promised writable.
                target.offset += unsafe { self.pack_to(destination(to), bytes) };
            }
            (None, None) => {
                let mut bounce = [0; BOUNCE_BYTES];
                let mut left = bytes;
                while left != 0 {
                    let burst = &mut bounce[..left.min(BOUNCE_BYTES)];
                    left -= self.pack(burst);
                    target.unpack(burst);
                }
            }
        }
        bytes
    }
}

/// An address in user memory to read from.
#[inline(always)]
fn source(address: usize) -> *const u8 {
    ptr::with_exposed_provenance(address)
}

/// An address in user memory to write to.
#[inline(always)]
fn destination(address: usize) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address)
}

#[inline(always)]
fn address(base: usize, displacement: i64) -> usize {
    base.wrapping_add_signed(displacement as isize)
}

/// Copies one block; the usual sizes without a call.
///
/// # Safety
/// `from` readable, `to` writable for `bytes`, not overlapping.
#[inline(always)]
unsafe fn copy_block(from: *const u8, to: *mut u8, bytes: usize) {
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

/// Copies `N` bytes with plain loads and stores.
///
/// # Safety
/// `from` readable, `to` writable for `N` bytes, not overlapping.
#[inline(always)]
unsafe fn copy_fixed<const N: usize>(from: *const u8, to: *mut u8) {
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
            64 => $fixed::<64>($($argument),*),
            _ => $general,
        }
    };
}

/// Reads user memory, writes packed bytes.
struct Gather {
    base: usize,
    out: *mut u8,
}

impl Sink for Gather {
    #[inline]
    fn block(&mut self, displacement: i64, bytes: usize) -> bool {
        // SAFETY: the cursor only runs over a packed range that fits `out`;
        // `Cursor::new` promised the user's side.
        unsafe {
            copy_block(source(address(self.base, displacement)), self.out, bytes);
            self.out = self.out.add(bytes);
        }
        true
    }

    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) -> bool {
        let from = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the `count` blocks.
        unsafe {
            by_block_size!(
                block,
                gather_strided,
                gather_strided_bytes(from, self.out, count, block, stride),
                (from, self.out, count, stride)
            );
            self.out = self.out.add(count * block);
        }
        true
    }

    #[inline]
    fn uniform(&mut self, displacement: i64, list: &[i64], block: usize) -> bool {
        let from = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the listed blocks.
        unsafe {
            by_block_size!(
                block,
                gather_list,
                gather_list_bytes(from, self.out, list, block),
                (from, self.out, list)
            );
            self.out = self.out.add(list.len() * block);
        }
        true
    }

    #[inline]
    fn interleaved(&mut self, displacement: i64, repeat: Repeat, list: Blocklist<'_>) -> bool {
        let from = address(self.base, displacement);
        let packed = self.out.expose_provenance();
        by_rounds(repeat, list, |round, at, start, block, count| {
            let from = Steps {
                start: round.user(from, at),
                stride: repeat.stride,
            };
            let to = Steps {
                start: round.packed(packed, start),
                stride: repeat.bytes as i64,
            };
            // SAFETY: as for `block`, for each of the `count` blocks; the
            // packed side holds all iterations one after the other.
            unsafe { copy_steps(from, to, count, block) };
        });
        // SAFETY: the packed side holds all iterations.
        self.out = unsafe { self.out.add(repeat.count * repeat.bytes) };
        true
    }
}

/// Reads packed bytes, writes user memory.
struct Scatter {
    base: usize,
    input: *const u8,
}

impl Sink for Scatter {
    #[inline]
    fn block(&mut self, displacement: i64, bytes: usize) -> bool {
        // SAFETY: the cursor only runs over a packed range that `input` has;
        // `Cursor::new` promised the user's side.
        unsafe {
            copy_block(
                self.input,
                destination(address(self.base, displacement)),
                bytes,
            );
            self.input = self.input.add(bytes);
        }
        true
    }

    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) -> bool {
        let to = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the `count` blocks.
        unsafe {
            by_block_size!(
                block,
                scatter_strided,
                scatter_strided_bytes(self.input, to, count, block, stride),
                (self.input, to, count, stride)
            );
            self.input = self.input.add(count * block);
        }
        true
    }

    #[inline]
    fn uniform(&mut self, displacement: i64, list: &[i64], block: usize) -> bool {
        let to = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the listed blocks.
        unsafe {
            by_block_size!(
                block,
                scatter_list,
                scatter_list_bytes(self.input, to, list, block),
                (self.input, to, list)
            );
            self.input = self.input.add(list.len() * block);
        }
        true
    }

    #[inline]
    fn interleaved(&mut self, displacement: i64, repeat: Repeat, list: Blocklist<'_>) -> bool {
        let to = address(self.base, displacement);
        let packed = self.input.expose_provenance();
        by_rounds(repeat, list, |round, at, start, block, count| {
            let from = Steps {
                start: round.packed(packed, start),
                stride: repeat.bytes as i64,
            };
            let to = Steps {
                start: round.user(to, at),
                stride: repeat.stride,
            };
            // SAFETY: as for `block`, for each of the `count` blocks; the
            // packed side holds all iterations one after the other.
            unsafe { copy_steps(from, to, count, block) };
        });
        // SAFETY: the packed side holds all iterations.
        self.input = unsafe { self.input.add(repeat.count * repeat.bytes) };
        true
    }
}

/// Iterations copied in one round, small enough that a round's memory stays
/// in the first-level cache while its blocks are copied column by column.
const ROUND: usize = 64;

/// Where a round of iterations begins.
struct Round {
    user: i64,
    packed: usize,
}

impl Round {
    #[inline(always)]
    fn user(&self, base: usize, at: i64) -> usize {
        address(address(base, self.user), at)
    }

    #[inline(always)]
    fn packed(&self, base: usize, start: usize) -> usize {
        base + self.packed + start
    }
}

/// Calls `copy(round, displacement, packed start, block, count)` for each
/// block of the list, in rounds of iterations: the block's length is then
/// the same for the whole inner loop.
#[inline(always)]
fn by_rounds(
    repeat: Repeat,
    list: Blocklist<'_>,
    mut copy: impl FnMut(&Round, i64, usize, usize, usize),
) {
    let mut done = 0;
    while done < repeat.count {
        let count = ROUND.min(repeat.count - done);
        let user = (done as i64).wrapping_mul(repeat.stride);
        let round = Round {
            user,
            packed: done * repeat.bytes,
        };
        match list {
            Blocklist::Equal(list, block) => {
                for (index, &at) in list.iter().enumerate() {
                    copy(&round, at, index * block, block, count);
                }
            }
            Blocklist::Ends(list, ends) => {
                let mut start = 0;
                for (&at, &end) in list.iter().zip(ends) {
                    copy(&round, at, start, end - start, count);
                    start = end;
                }
            }
        }
        done += count;
    }
}

/// Addresses at equal distance.
#[derive(Clone, Copy)]
struct Steps {
    start: usize,
    stride: i64,
}

/// Copies `count` blocks of `block` bytes between two rows of addresses.
///
/// # Safety
/// Each block readable on one side and writable on the other, not overlapping.
#[inline(always)]
unsafe fn copy_steps(from: Steps, to: Steps, count: usize, block: usize) {
    // SAFETY: the caller vouches for every block.
    unsafe {
        by_block_size!(
            block,
            copy_steps_fixed,
            {
                let (mut source_at, mut target_at) = (from.start, to.start);
                for _ in 0..count {
                    ptr::copy_nonoverlapping(source(source_at), destination(target_at), block);
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
        unsafe { ptr::copy_nonoverlapping(source(at), out.add(index * block), block) };
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
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe {
            ptr::copy_nonoverlapping(source(address(from, at)), out.add(index * block), block)
        };
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
        unsafe { ptr::copy_nonoverlapping(input.add(index * block), destination(at), block) };
        at = address(at, stride);
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
        // SAFETY: the caller vouches for each block and for the packed side.
        unsafe {
            ptr::copy_nonoverlapping(
                input.add(index * block),
                destination(address(to, at)),
                block,
            );
        }
    }
}
