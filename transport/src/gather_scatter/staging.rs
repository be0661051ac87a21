//! From scattered memory into a lane: straight, or through a buffer in the first-level cache.
//!
//! The lines of a lane lie in the other end's cache. A short store to such a line waits for the line,
//! all later stores wait behind it, and a processor has few stores waiting at a time; a long move
//! into the lane writes whole lines without having them first (`pamir_shm::mapped_lane`). So blocks
//! can be packed into a buffer that is near, and moved in one piece.
//!
//! ```text
//!   user memory  ██··██··██  ──pack──▶  buffer ██████  ──one move──▶  lane
//! ```
//!
//! That is one copy more, and pays as follows (time through the buffer by time straight, messages
//! to and fro between processors that share a cache, medians of eight runs each):
//!
//! | blocks | 256 B to 1 KiB | 2 KiB to 8 KiB | 32 KiB to 96 KiB |
//! |---|---|---|---|
//! | of equal, usual length, packed one after the other | 1.06 to 1.2 | 0.9 to 1.0 | 1.03 to 1.2 |
//! | by masks, or column by column | 0.86 to 1.0 | 0.6 | 0.72 to 0.78 |
//!
//! Blocks that lie far apart cost a cache miss each at either end. They travel in short packets, so
//! that the target scatters one while the origin gathers the next: a column of 1024 doubles of a
//! square matrix takes 0.6 of the time.
//!
//! Step before: the transport gives room in a lane ([`super::random_access`]), or a message is one
//! packet. Step after: `super::memory` packs; `pamir_shm` moves.
//!
//! Invariants: only the buffer's bytes that have just been packed are moved; a packet exponent is only
//! named for a message that is longer than such a packet.

use std::mem::MaybeUninit;

use pamir_shm::mapped_lane::copy_into_lane;

use super::kernel::is_plain;
use super::machine::Machine;
use super::node::Node;
use super::program::Program;

/// Bytes packed at a time: half of a usual first-level cache is left for what is read.
const BUFFER_BYTES: usize = 8 * 1024;

/// Length of blocks, on average, from which on each is a long move by itself.
const LONG_BLOCK_BYTES: usize = 16 * 1024;

/// Up to so many bytes plain stores go straight into the lane.
const FEW_LINES_BYTES: usize = 1024;

/// Distance of blocks, on average, from which on each is a cache miss: with no more than two blocks
/// in a page, the hardware fetches nothing ahead.
const FAR_BYTES: u64 = 2048;

/// The least blocks that lie far apart in a packet: about half a microsecond's work, beside which
/// the packet itself takes little.
const LEAST_FAR_BLOCKS: usize = 128;

/// Packets of a long message whose blocks lie far apart.
const FAR_PACKETS: usize = 16;

/// Packets of so many bytes, or more, are the engine's business.
const USUAL_PACKET_BYTES: usize = 8 * 1024;

impl Program {
    /// Two to this power is the most data for a packet of a message whose blocks lie far apart and
    /// that is longer than that; nothing for any other.
    #[inline]
    pub fn packet_exponent(&self) -> Option<u8> {
        let blocks = self.blocks();
        (blocks > LEAST_FAR_BLOCKS)
            .then(|| self.far_packet_exponent(blocks))
            .flatten()
    }

    fn far_packet_exponent(&self, blocks: usize) -> Option<u8> {
        let (low, high) = self.span();
        let is_far = high.abs_diff(low) / (blocks - 1) as u64 >= FAR_BYTES;
        let of_packet = LEAST_FAR_BLOCKS.max(blocks / FAR_PACKETS);
        let bytes = of_packet.saturating_mul(self.bytes() / blocks);
        let short = is_far && bytes < USUAL_PACKET_BYTES && bytes > 0;
        let packet = bytes.checked_next_power_of_two().filter(|_| short)?;
        (packet < self.bytes()).then_some(packet.trailing_zeros() as u8)
    }

    /// Whether `bytes` bytes of it are packed through the buffer.
    #[inline]
    fn is_staged(&self, bytes: usize) -> bool {
        let blocks_are_short = self.bytes() < LONG_BLOCK_BYTES.saturating_mul(self.blocks());
        let stores_do = bytes <= FEW_LINES_BYTES || self.bytes() > BUFFER_BYTES;
        let straight = stores_do && self.is_plain();
        blocks_are_short && !straight
    }

    /// Whether it is packed by plain stores, one behind the other.
    fn is_plain(&self) -> bool {
        let node = &self.placed.node;
        stores_are_plain(node) && (self.count == 1 || !is_list(node))
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
            if !self.is_staged(bytes) {
                self.pack(base, out);
            } else if bytes <= BUFFER_BYTES {
                staged(out, bytes, |buffer, _| self.pack(base, buffer));
            } else {
                Machine::new(self.clone(), base).pack_into_lane(out, bytes);
            }
        }
    }
}

/// Whether a node is packed by plain stores, one behind the other.
fn stores_are_plain(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Block { .. } => true,
        Node::Strided { block, .. } => is_plain(*block),
        Node::Uniform(node) => is_plain(node.block),
        Node::Indexed(_) => false,
        Node::Loop(node) => !is_list(&node.body) && stores_are_plain(&node.body),
        Node::Sequence(node) => {
            let few = node.parts.len() <= FEW_PARTS;
            few && node.parts.iter().all(|part| stores_are_plain(&part.node))
        }
    }
}

/// Parts of a sequence up to which all are looked at for each message.
const FEW_PARTS: usize = 8;

/// Whether a node, when it is repeated, is packed column by column.
fn is_list(node: &Node) -> bool {
    matches!(node, Node::Uniform(_) | Node::Indexed(_))
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
            if !self.program.is_staged(bytes) {
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
        let straight = repeat(2000, 20, &Placed::block(3, 8)).unwrap();
        let middle = repeat(300, 20, &Placed::block(3, 8)).unwrap();
        let list = sequence([(0, 8), (9, 8), (40, 8)].map(|(at, bytes)| Placed::block(at, bytes)));
        let lists = repeat(700, 64, &list.unwrap()).unwrap();
        for placed in [short, long, uneven.unwrap(), few, straight, middle, lists] {
            let program = Program::canonical(&placed, 0).unwrap();
            let span = program.span().1 as u32;
            let mut memory: Vec<u8> = (0..span).map(|at| ((at * 31) >> 3) as u8).collect();
            let [expected, whole, bursts] = packed(&program, &mut memory, 9000);
            assert!(whole == expected && bursts == expected, "{program}");
        }
    }

    /// A vector with blocks of `block` bytes.
    fn vector(count: usize, block: usize, stride: i64) -> Program {
        let placed = repeat(count, stride, &Placed::block(0, block)).unwrap();
        Program::canonical(&placed, 0).unwrap()
    }

    #[test]
    fn the_way_follows_from_blocks_and_bytes() {
        for (count, staged) in [
            (8, false),
            (128, false),
            (129, true),
            (1024, true),
            (1025, false),
        ] {
            let program = vector(count, 8, 16);
            assert_eq!(program.is_staged(program.bytes()), staged, "{count}");
        }
        assert!(vector(10, 40, 80).is_staged(400) && vector(1000, 40, 80).is_staged(16_000));
        assert!(!vector(100, 512, 1024).is_staged(16_000));
        assert!(!vector(100, 20_000, 30_000).is_staged(5_000));
        // Columns of a list leave gaps in the lane that are filled later.
        let list = sequence([0, 11, 40].map(|at| Placed::block(at, 8))).unwrap();
        let program = Program::canonical(&list, 64).unwrap();
        assert!(!program.is_staged(24) && program.times(1000).is_staged(24_000));
        let repeated = repeat(1000, 64, &list).unwrap();
        assert!(Program::canonical(&repeated, 0).unwrap().is_staged(24_000));
    }

    #[test]
    fn blocks_that_lie_far_apart_travel_in_short_packets() {
        let column = |width: usize| vector(width, 8, 8 * width as i64);
        let exponents =
            [128, 256, 1024, 2048, 4096, 8192, 16_384].map(|n| column(n).packet_exponent());
        let expected = [None, Some(10), Some(10), Some(10), Some(11), Some(12), None];
        assert_eq!(exponents, expected);
        assert_eq!(vector(4096, 8, 16).packet_exponent(), None);
        assert_eq!(vector(1000, 24, -5000).packet_exponent(), Some(12));
        assert_eq!(vector(1000, 512, 8192).packet_exponent(), None);
        assert_eq!(vector(0, 8, 8192).packet_exponent(), None);
        for program in [column(256), column(4096), vector(1000, 24, 5000)] {
            let packet = 1_usize << program.packet_exponent().unwrap();
            assert!(packet < program.bytes());
        }
    }
}
