//! A program that is run as a whole: all that can be known beforehand is found out once.
//!
//! Half of the time of a short message would go into finding out what is the same for each: how its blocks
//! are copied, whether through a buffer, whether in one packet. Here it is looked up.
//!
//! | program | copied by |
//! |---|---|
//! | rows of equal blocks (vectors, columns, faces, vectors of vectors) | the loop for them (`super::rows`) |
//! | at most `FEW_BLOCKS` blocks | a list of them |
//! | any other | the program, without a machine |
//!
//! Step before: a datatype is committed, or used first. Step after: a message of one packet is gathered straight
//! into it, and scattered straight from it.
//!
//! Invariant: what is copied, and in which order, is what the program says; a part of it is copied by the program.

use pamir_shm::lane::record::LINE_BYTES;
use pamir_shm::lane::room::LaneRoom;

use super::kernel::{address, copy_block, destination, source};
use super::rows::Rows;
use super::staging::{BUFFER_BYTES, Way, staged};
use crate::gather_scatter::program::Program;

/// Blocks up to which they are listed.
const FEW_BLOCKS: usize = 16;

/// See the module.
#[derive(Clone, Debug)]
pub struct Whole {
    program: Program,
    kernel: Kernel,
    straight: bool,
    /// The blocks are so short that several stand in a line of the packet.
    narrow: bool,
}

/// What copies it.
#[derive(Clone, Debug)]
enum Kernel {
    Rows(Rows),
    /// Displacement and bytes of each.
    Blocks(Box<[(i64, usize)]>),
    Program,
}

impl Whole {
    /// How `program` is run as a whole; nothing where that is not one packet: where it is too long, where
    /// its blocks lie so far apart that it travels in several, and where it is one block.
    pub fn of(program: &Program) -> Option<Self> {
        let fits = program.bytes() <= BUFFER_BYTES && program.packet_exponent().is_none();
        if !fits || program.contiguous().is_some() {
            return None;
        }
        Some(Self {
            kernel: Kernel::of(program),
            straight: program.way_into(program.bytes(), || false) == Way::Straight,
            narrow: program.bytes() < LINE_BYTES * program.blocks(),
            program: program.clone(),
        })
    }

    /// Packed bytes.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.program.bytes()
    }

    /// Packs all of the memory at `base` into a lane.
    ///
    /// # Safety
    /// As for [`Program::pack`]; the room has the program's bytes.
    #[inline]
    pub unsafe fn pack_into_lane(&self, base: *mut u8, room: LaneRoom<'_>) {
        // SAFETY: as the caller vouches; the buffer has room for what is packed into it.
        unsafe {
            if self.straight {
                self.pack(base, room.address());
            } else {
                staged(room, self.bytes(), |buffer, _| self.pack(base, buffer));
            }
        }
    }

    /// [`Program::pack`].
    ///
    /// # Safety
    /// As there.
    #[inline]
    pub unsafe fn pack(&self, base: *mut u8, out: *mut u8) {
        // SAFETY: as the caller vouches; the blocks follow each other on the packed side.
        unsafe {
            match &self.kernel {
                Kernel::Rows(rows) => rows.pack(base, out),
                Kernel::Blocks(blocks) => each_block(blocks, base, out, |user, packed, bytes| {
                    copy_block(source(user), destination(packed), bytes);
                }),
                Kernel::Program => self.program.pack(base, out),
            }
        }
    }

    /// [`Program::unpack`].
    ///
    /// # Safety
    /// As there.
    #[inline]
    pub unsafe fn unpack(&self, base: *mut u8, input: *const u8, bytes: usize) {
        let all = bytes >= self.bytes();
        if self.narrow {
            expect(input, bytes);
        }
        // SAFETY: as the caller vouches; the kernels are only used for all bytes.
        unsafe {
            match &self.kernel {
                Kernel::Rows(rows) if all => rows.unpack(base, input),
                Kernel::Blocks(blocks) if all => {
                    each_block(blocks, base, input, |user, packed, bytes| {
                        copy_block(source(packed), destination(user), bytes);
                    })
                }
                _ => self.program.unpack(base, input, bytes),
            }
        }
    }
}

impl Kernel {
    fn of(program: &Program) -> Self {
        if program.count == 1
            && let Some(rows) = Rows::of(&program.placed)
        {
            return Self::Rows(rows);
        }
        match program.blocks() {
            ..=FEW_BLOCKS => Self::Blocks(program.iter_blocks(0).collect()),
            _ => Self::Program,
        }
    }
}

/// Asks for the lines of a packet, or as many as can be under way. They lie in the origin's cache, and
/// the loads of short blocks fill the processor's queue before many lines are asked for (1 KiB in blocks
/// of 8 bytes between processors that are far apart: 0.9 of the time).
#[inline(always)]
fn expect(packet: *const u8, bytes: usize) {
    for line in 0..bytes.div_ceil(LINE_BYTES).min(EXPECTED_LINES) {
        prefetch(packet.wrapping_add(line * LINE_BYTES));
    }
}

/// Lines that are asked for at once.
const EXPECTED_LINES: usize = 32;

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch(line: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch accesses nothing, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch(_: *const u8) {}

/// Calls `copy(user address, packed address, bytes)` for each block.
#[inline(always)]
fn each_block(
    blocks: &[(i64, usize)],
    base: *mut u8,
    packed: *const u8,
    mut copy: impl FnMut(usize, usize, usize),
) {
    let (base, mut packed) = (base.expose_provenance(), packed.expose_provenance());
    for &(displacement, bytes) in blocks {
        copy(address(base, displacement), packed, bytes);
        packed += bytes;
    }
}

#[cfg(test)]
mod tests {
    use pamir_shm::lane::room::LongCopy;

    use super::*;
    use crate::gather_scatter::Machine;
    use crate::gather_scatter::program::node::{Placed, repeat, sequence};

    /// Copies by `program` as a whole, and by a machine, there and back.
    fn assert_same(program: &Program) -> Whole {
        let whole = Whole::of(program).unwrap();
        let span = program.span().1 as u32;
        let mut memory: Vec<u8> = (0..span).map(|at| ((at * 31) >> 3) as u8).collect();
        let (mut expected, mut packed) = (vec![0; whole.bytes()], vec![0; whole.bytes()]);
        let (mut lane, long) = (vec![0; whole.bytes()], LongCopy::default());
        let base = memory.as_mut_ptr();
        // SAFETY: the memory is as long as the program's span, the vectors as the program.
        unsafe {
            Machine::new(program.clone(), base).pack(&mut expected);
            whole.pack(base, packed.as_mut_ptr());
            whole.pack_into_lane(base, LaneRoom::new(lane.as_mut_ptr(), &long));
        }
        assert!(packed == expected && lane == expected, "{program}");
        for bytes in [whole.bytes(), whole.bytes() / 2, whole.bytes() + 9] {
            let (mut by_machine, mut by_whole) = (vec![9; span as usize], vec![9; span as usize]);
            let come = bytes.min(whole.bytes());
            // SAFETY: as above; so many bytes are there at most.
            unsafe {
                let mut machine = Machine::new(program.clone(), by_machine.as_mut_ptr());
                machine.unpack(&packed[..come]);
                whole.unpack(by_whole.as_mut_ptr(), packed.as_ptr(), bytes);
            }
            assert!(by_whole == by_machine, "{bytes} of {program}");
        }
        whole
    }

    fn canonical(placed: &Placed) -> Program {
        Program::canonical(placed, 0).unwrap()
    }

    #[test]
    fn rows_of_every_block_length_are_exact() {
        for block in (1..=70).chain([100, 240]) {
            let distance = 2 * block as i64;
            for (rows, count) in [(1, 2), (1, 9), (2, 4), (3, 11)] {
                let row = repeat(count, distance, &Placed::block(3, block)).unwrap();
                let width = distance * count as i64 + 5;
                let whole = assert_same(&canonical(&repeat(rows, width, &row).unwrap()));
                assert!(
                    matches!(whole.kernel, Kernel::Rows(_)),
                    "{rows} of {count} of {block}"
                );
            }
        }
    }

    /// Of one row and of several: each row's blocks push each other out of the first-level cache.
    #[test]
    fn rows_whose_lines_share_a_set_are_exact() {
        for (block, rows) in [(8, 1), (8, 3), (20, 3), (64, 2)] {
            let row = repeat(20, 4096, &Placed::block(3, block)).unwrap();
            let whole = assert_same(&canonical(&repeat(rows, 100, &row).unwrap()));
            assert!(matches!(whole.kernel, Kernel::Rows(_)), "{rows} of {block}");
        }
    }

    #[test]
    fn few_blocks_are_listed_and_many_are_not() {
        let blocks = |count: usize| {
            let each = (0..count).map(|i| Placed::block(i as i64 * 90, 1 + i * 13 % 71));
            canonical(&sequence(each).unwrap())
        };
        for (count, listed) in [
            (2, true),
            (FEW_BLOCKS, true),
            (FEW_BLOCKS + 1, false),
            (150, false),
        ] {
            let whole = assert_same(&blocks(count));
            assert_eq!(matches!(whole.kernel, Kernel::Blocks(_)), listed, "{count}");
        }
    }

    #[test]
    fn what_is_no_packet_is_not_run_as_a_whole() {
        let column = repeat(257, 2048, &Placed::block(0, 8)).unwrap();
        let long = repeat(1025, 16, &Placed::block(0, 8)).unwrap();
        for placed in [column, long, Placed::block(4, 100)] {
            assert!(Whole::of(&canonical(&placed)).is_none());
        }
        let longest = repeat(1024, 16, &Placed::block(0, 8)).unwrap();
        assert_same(&canonical(&longest));
    }
}
