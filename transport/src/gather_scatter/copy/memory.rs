//! Where the machine touches memory: packing and unpacking.
//!
//! Step before: [`crate::gather_scatter::machine`] names regular pieces of user memory in packed order.
//! Step after: `super::kernel` copies each.
//!
//! Invariants: a sink is only run over a packed range as long as its packed
//! side; a machine's base obeys the contract of [`Machine::new`].

use pamir_shm::lane::room::LaneRoom;

use super::kernel::{
    Blocks, Steps, address, copy_block, copy_grid, copy_steps, crowds_a_set, destination, gather,
    gather_indexed, gather_listed, rows_are_vectors, scatter, scatter_indexed, scatter_listed,
    source,
};
use crate::gather_scatter::machine::sink::{Blocklist, Repeat, Row, Sink, all};
use crate::gather_scatter::machine::{Machine, State};
use crate::gather_scatter::program::Program;

impl Machine {
    /// A machine at the start of `program` over the buffer at `base`.
    ///
    /// # Safety
    /// As long as the machine is used, every byte that the program reaches
    /// from `base` must be readable for packing and writable for unpacking,
    /// must not be touched by others meanwhile, and must not overlap the packed
    /// side. `base` may be null where the displacements are absolute, or
    /// where nothing is moved.
    #[inline]
    pub unsafe fn new(program: Program, base: *mut u8) -> Self {
        Self {
            program,
            base: base.expose_provenance(),
            state: State::default(),
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

    /// [`Machine::pack`] into raw memory, for segments that a peer may see.
    ///
    /// # Safety
    /// `out` must be writable for `bytes` bytes that do not overlap the
    /// user's buffer.
    #[inline]
    pub unsafe fn pack_to(&mut self, out: *mut u8, bytes: usize) -> usize {
        let mut gather = Gather {
            base: self.base,
            out,
        };
        self.state.run(&self.program, bytes, &mut gather)
    }

    /// [`Machine::pack_to`] into a lane, each block by a copy of its own.
    ///
    /// # Safety
    /// The room has `bytes` bytes, which do not overlap the user's buffer.
    #[inline]
    pub(crate) unsafe fn pack_long_to(&mut self, room: LaneRoom<'_>, bytes: usize) -> usize {
        let mut gather = GatherLong {
            base: self.base,
            room,
        };
        self.state.run(&self.program, bytes, &mut gather)
    }

    /// [`Machine::unpack`] from raw memory, for segments that a peer may see.
    ///
    /// # Safety
    /// `input` must be readable for `bytes` bytes that do not overlap the
    /// user's buffer.
    #[inline]
    pub unsafe fn unpack_from(&mut self, input: *const u8, bytes: usize) -> usize {
        let mut scatter = Scatter {
            base: self.base,
            input,
        };
        self.state.run(&self.program, bytes, &mut scatter)
    }
}

impl Program {
    /// Packs all of the memory at `base` into `out`, without a machine that could stop.
    ///
    /// # Safety
    /// As for [`Machine::new`] as long as this lasts; `out` is writable for [`Program::bytes`]
    /// bytes that do not overlap that memory.
    #[inline]
    pub unsafe fn pack(&self, base: *mut u8, out: *mut u8) {
        let base = base.expose_provenance();
        all(self, &mut Gather { base, out });
    }

    /// Unpacks `bytes` bytes to the memory at `base`, or as many as there are places for.
    ///
    /// # Safety
    /// As for [`Machine::new`] as long as this lasts; `input` is readable for the bytes, which do
    /// not overlap that memory.
    #[inline]
    pub unsafe fn unpack(&self, base: *mut u8, input: *const u8, bytes: usize) {
        let base = base.expose_provenance();
        let mut scatter = Scatter { base, input };
        if bytes >= self.bytes() {
            all(self, &mut scatter);
        } else {
            State::default().run(self, bytes, &mut scatter);
        }
    }
}

/// Reads user memory, writes packed bytes.
struct Gather {
    base: usize,
    out: *mut u8,
}

impl Sink for Gather {
    #[inline]
    fn block(&mut self, displacement: i64, bytes: usize) {
        // SAFETY: the machine only runs over a packed range that fits `out`;
        // `Machine::new` promised the user's side.
        unsafe {
            copy_block(source(address(self.base, displacement)), self.out, bytes);
            self.out = self.out.add(bytes);
        }
    }

    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) {
        let from = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the `count` blocks.
        unsafe {
            gather(
                Steps {
                    start: from,
                    stride,
                },
                self.out,
                count,
                block,
            );
            self.out = self.out.add(count * block);
        }
    }

    #[inline]
    fn uniform(&mut self, displacement: i64, list: &[i64], block: usize) {
        let from = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the listed blocks.
        unsafe {
            gather_listed(from, list, self.out, block);
            self.out = self.out.add(list.len() * block);
        }
    }

    #[inline]
    fn indexed(&mut self, displacement: i64, list: &[i64], start: usize, ends: &[usize]) {
        let from = address(self.base, displacement);
        let blocks = Blocks {
            displacements: list,
            start,
            ends,
        };
        // SAFETY: as for `block`, for each of the listed blocks.
        unsafe { self.out = self.out.add(gather_indexed(from, blocks, self.out)) };
    }

    #[inline]
    fn grid(&mut self, displacement: i64, repeat: Repeat, (count, block, stride): Row) {
        if rows_are_vectors(count, block, stride) {
            for index in 0..repeat.count {
                self.strided(repeat.place(displacement, index), count, block, stride);
            }
            return;
        }
        let user = grid_at(address(self.base, displacement), repeat.stride, stride);
        let packed = packed_grid(self.out.expose_provenance(), count, block);
        // SAFETY: as for `block`, for each block of each row; the packed side holds all rows.
        unsafe {
            copy_grid(user, packed, (repeat.count, count), block);
            self.out = self.out.add(repeat.count * count * block);
        }
    }

    #[inline]
    fn interleaved(&mut self, displacement: i64, repeat: Repeat, list: Blocklist<'_>) {
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
    }
}

/// Reads user memory, block by block, into a lane: each block is long enough for a copy of its own.
struct GatherLong<'a> {
    base: usize,
    room: LaneRoom<'a>,
}

impl Sink for GatherLong<'_> {
    #[inline]
    fn block(&mut self, displacement: i64, bytes: usize) {
        // SAFETY: the machine only runs over a packed range that the room has;
        // `Machine::new` promised the user's side.
        unsafe {
            self.room
                .write(source(address(self.base, displacement)), bytes);
        }
        self.room = self.room.behind(bytes);
    }
}

/// Reads packed bytes, writes user memory.
struct Scatter {
    base: usize,
    input: *const u8,
}

impl Sink for Scatter {
    #[inline]
    fn block(&mut self, displacement: i64, bytes: usize) {
        // SAFETY: the machine only runs over a packed range that `input` has;
        // `Machine::new` promised the user's side.
        unsafe {
            copy_block(
                self.input,
                destination(address(self.base, displacement)),
                bytes,
            );
            self.input = self.input.add(bytes);
        }
    }

    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) {
        let to = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the `count` blocks.
        unsafe {
            scatter(self.input, Steps { start: to, stride }, count, block);
            self.input = self.input.add(count * block);
        }
    }

    #[inline]
    fn uniform(&mut self, displacement: i64, list: &[i64], block: usize) {
        let to = address(self.base, displacement);
        // SAFETY: as for `block`, for each of the listed blocks.
        unsafe {
            scatter_listed(self.input, to, list, block);
            self.input = self.input.add(list.len() * block);
        }
    }

    #[inline]
    fn indexed(&mut self, displacement: i64, list: &[i64], start: usize, ends: &[usize]) {
        let to = address(self.base, displacement);
        let blocks = Blocks {
            displacements: list,
            start,
            ends,
        };
        // SAFETY: as for `block`, for each of the listed blocks.
        unsafe { self.input = self.input.add(scatter_indexed(self.input, to, blocks)) };
    }

    #[inline]
    fn grid(&mut self, displacement: i64, repeat: Repeat, (count, block, stride): Row) {
        if crowds_a_set(count, block, stride) {
            for index in 0..repeat.count {
                self.strided(repeat.place(displacement, index), count, block, stride);
            }
            return;
        }
        let user = grid_at(address(self.base, displacement), repeat.stride, stride);
        let packed = packed_grid(self.input.expose_provenance(), count, block);
        // SAFETY: as for `block`, for each block of each row; the packed side holds all rows.
        unsafe {
            copy_grid(packed, user, (repeat.count, count), block);
            self.input = self.input.add(repeat.count * count * block);
        }
    }

    #[inline]
    fn interleaved(&mut self, displacement: i64, repeat: Repeat, list: Blocklist<'_>) {
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
    }
}

/// A grid whose first block is at `start`.
#[inline(always)]
fn grid_at(start: usize, row_stride: i64, stride: i64) -> (Steps, i64) {
    let rows = Steps {
        start,
        stride: row_stride,
    };
    (rows, stride)
}

/// The packed side of a grid, whose blocks follow each other.
#[inline(always)]
fn packed_grid(start: usize, count: usize, block: usize) -> (Steps, i64) {
    grid_at(start, (count * block) as i64, block as i64)
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
