//! Between scattered memory and a lane: through a buffer in the first-level cache.
//!
//! The lines of a lane lie in the other end's cache. A short store to such a line waits for the line,
//! all later stores wait behind it, and a processor has few stores waiting at a time; a long move
//! into the lane writes whole lines without having them first (`pamir_shm::mapped_lane`). So short
//! blocks are packed into a buffer that is near, and moved in one piece.
//!
//! ```text
//!   user memory  ██··██··██  ──pack──▶  buffer ██████  ──one move──▶  lane
//! ```
//!
//! Step before: the transport gives room in a lane ([`super::random_access`]), or a message is one
//! packet. Step after: `super::memory` packs; `pamir_shm` moves.
//!
//! Invariant: only the buffer's bytes that have just been packed are moved.

use std::mem::MaybeUninit;

use pamir_shm::mapped_lane::copy_into_lane;

use super::machine::Machine;
use super::program::Program;

/// Bytes packed at a time: half of a usual first-level cache is left for what is read.
const BUFFER_BYTES: usize = 8 * 1024;

/// Length of blocks, on average, from which on each is a long move by itself.
const LONG_BLOCK_BYTES: usize = 16 * 1024;

impl Program {
    /// Whether its blocks are too short to be moved into a lane one by one.
    #[inline]
    fn has_short_blocks(&self) -> bool {
        self.bytes() < LONG_BLOCK_BYTES.saturating_mul(self.blocks())
    }

    /// [`Program::pack`] into a lane.
    ///
    /// # Safety
    /// As for [`Program::pack`].
    #[inline]
    pub unsafe fn pack_into_lane(&self, base: *mut u8, out: *mut u8) {
        let bytes = self.bytes();
        // SAFETY: as the caller vouches; the buffer has room for what is packed into it.
        unsafe {
            if bytes <= BUFFER_BYTES && self.has_short_blocks() {
                staged(out, bytes, |buffer, _| self.pack(base, buffer));
            } else {
                Machine::new(self.clone(), base).pack_into_lane(out, bytes);
            }
        }
    }
}

impl Machine {
    /// [`Machine::pack_to`] into a lane.
    ///
    /// # Safety
    /// As for [`Machine::pack_to`].
    #[inline]
    pub unsafe fn pack_into_lane(&mut self, out: *mut u8, bytes: usize) -> usize {
        let bytes = bytes.min(self.remaining());
        // SAFETY: as the caller vouches; the buffer has room for what is packed into it, and so
        // many bytes are left.
        unsafe {
            if !self.program.has_short_blocks() {
                return self.pack_to(out, bytes);
            }
            staged(out, bytes, |buffer, burst| {
                self.pack_to(buffer, burst);
            });
        }
        bytes
    }
}

/// Moves `bytes` bytes to `out` that `pack` writes, so many at a time.
///
/// # Safety
/// `out` is writable for the bytes; `pack` writes as many as it is asked for, at most
/// [`BUFFER_BYTES`].
#[inline(always)]
unsafe fn staged(out: *mut u8, bytes: usize, mut pack: impl FnMut(*mut u8, usize)) {
    let mut buffer = [const { MaybeUninit::<u8>::uninit() }; BUFFER_BYTES];
    let buffer = buffer.as_mut_ptr().cast::<u8>();
    let mut done = 0;
    while done < bytes {
        let burst = BUFFER_BYTES.min(bytes - done);
        pack(buffer, burst);
        // SAFETY: `pack` has just written the burst; `out` has room for all bytes.
        unsafe { copy_into_lane(buffer, out.add(done), burst) };
        done += burst;
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::{Placed, repeat, sequence};
    use super::*;

    /// Packs `program` as a whole, into a lane as a whole, and into a lane in bursts.
    fn packed(program: &Program, memory: &mut [u8], bytes: usize) -> [Vec<u8>; 3] {
        let mut all = [(); 3].map(|()| vec![0; program.bytes()]);
        let base = memory.as_mut_ptr();
        // SAFETY: the memory is as long as the program's span, each vector as the program, and
        // each burst as it says.
        unsafe {
            Machine::new(program.clone(), base).pack(&mut all[0]);
            program.pack_into_lane(base, all[1].as_mut_ptr());
            let mut machine = Machine::new(program.clone(), base);
            for burst in all[2].chunks_mut(bytes) {
                assert_eq!(
                    machine.pack_into_lane(burst.as_mut_ptr(), burst.len()),
                    burst.len()
                );
            }
            assert_eq!(machine.pack_into_lane(base, 1), 0);
        }
        all
    }

    #[test]
    fn what_is_staged_is_what_is_packed() {
        let short = repeat(5000, 20, &Placed::block(3, 12)).unwrap();
        let long = repeat(3, 30_000, &Placed::block(0, 20_000)).unwrap();
        let uneven = sequence((0..3000).map(|i| Placed::block(i * 40, 1 + i as usize % 37)));
        let few = repeat(4, 100, &Placed::block(0, 5)).unwrap();
        for placed in [short, long, uneven.unwrap(), few] {
            let program = Program::canonical(&placed, 0).unwrap();
            let span = program.span().1 as u32;
            let mut memory: Vec<u8> = (0..span).map(|at| ((at * 31) >> 3) as u8).collect();
            let [expected, whole, bursts] = packed(&program, &mut memory, 9000);
            assert!(whole == expected && bursts == expected, "{program}");
        }
    }
}
