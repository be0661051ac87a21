//! From scattered memory into a lane: straight, or through a buffer in the first-level cache.
//!
//! The lines of a lane lie in the other end's cache. A short store to such a line waits for the line,
//! all later stores wait behind it, and a processor has few stores waiting at a time; a long move
//! into the lane writes whole lines without having them first (`pamir_shm::lane::mapped`). So blocks
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
//! | by masks or in overlapping halves, or column by column | 0.86 to 1.0 | 0.6 | 0.72 to 0.78 |
//!
//! Between distant processors the lane's long moves stream past the caches ([`pamir_shm::lane::room`]), and
//! what is longer than a packet takes 0.2 to 0.6 of the time through the buffer. The lane knows: it
//! measures its long moves, and says whether it wants them. Blocks that are long enough
//! are moved one by one, without a buffer.
//!
//! Blocks that lie far apart cost a cache miss each at either end. They travel in short packets, so
//! that the target scatters one while the origin gathers the next: a column of 1024 doubles of a
//! square matrix takes 0.6 of the time.
//!
//! Step before: the transport gives room in a lane ([`crate::gather_scatter::machine::random_access`]), or a message is one
//! packet. Step after: `super::memory` packs; `pamir_shm` moves.
//!
//! Invariants: only the buffer's bytes that have just been packed are moved; a packet exponent is only
//! named for a message that is longer than such a packet.

use std::mem::MaybeUninit;

use pamir_shm::lane::room::LaneRoom;

use super::kernel::is_plain;
use crate::gather_scatter::machine::Machine;
use crate::gather_scatter::program::Program;
use crate::gather_scatter::program::node::Node;

/// Bytes packed at a time: half of a usual first-level cache is left for what is read.
pub(crate) const BUFFER_BYTES: usize = 8 * 1024;

/// Length of blocks, on average, from which on each is a long move by itself.
const LONG_BLOCK_BYTES: usize = 4 * 1024;

/// Up to so many bytes plain stores go straight into the lane.
const FEW_LINES_BYTES: usize = 1024;

/// Distance of blocks, on average, from which on each is a cache miss: with no more than two blocks
/// in a page, the hardware fetches nothing ahead.
const FAR_BYTES: u64 = 2048;

/// The least blocks that lie far apart in a packet: about half a microsecond's work, beside which
/// the packet itself takes little. What makes no more than two such packets is one: to travel in several
/// costs a message as much as doing half of that at once saves.
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
        (blocks > 2 * LEAST_FAR_BLOCKS)
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

    /// How `bytes` bytes of it get into a lane; `asks` says whether that asks for long copies.
    #[inline]
    pub(crate) fn way_into(&self, bytes: usize, asks: impl FnOnce() -> bool) -> Way {
        if self.bytes() >= LONG_BLOCK_BYTES.saturating_mul(self.blocks()) {
            return Way::BlockByBlock;
        }
        let stores_do = bytes <= FEW_LINES_BYTES || self.bytes() > BUFFER_BYTES;
        if stores_do && self.is_plain() && (bytes <= FEW_LINES_BYTES || !asks()) {
            Way::Straight
        } else {
            Way::Staged
        }
    }

    /// How all of it gets into a lane whose long moves do not stream, for users.
    pub(crate) fn way_in_words(&self) -> &'static str {
        match self.way_into(self.bytes(), || false) {
            Way::Straight => "straight, each block where it belongs",
            Way::Staged => "through a buffer, which is moved there",
            Way::BlockByBlock => "each block by a long move",
        }
    }

    /// Whether it is packed by plain stores, one behind the other.
    fn is_plain(&self) -> bool {
        let node = &self.placed.node;
        stores_are_plain(node) && (self.count == 1 || !is_list(node))
    }

    /// [`Program::pack`] into a lane.
    ///
    /// # Safety
    /// As for [`Program::pack`]; the room has the program's bytes.
    #[inline]
    pub unsafe fn pack_into_lane(&self, base: *mut u8, room: LaneRoom<'_>) {
        let bytes = self.bytes();
        // SAFETY: as the caller vouches; the buffer has room for what is packed into it.
        unsafe {
            match self.way_into(bytes, || room.asks_for_long_copies()) {
                Way::Straight => {
                    self.pack(base, room.address());
                }
                Way::Staged if bytes <= BUFFER_BYTES => {
                    staged(room, bytes, |buffer, _| self.pack(base, buffer));
                }
                Way::Staged | Way::BlockByBlock => {
                    Machine::new(self.clone(), base).pack_into_lane(room, bytes);
                }
            }
        }
    }
}

/// How data gets into a lane.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the stores that pack it.
    Straight,
    /// Through a buffer.
    Staged,
    /// Each block by a copy of its own.
    BlockByBlock,
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
    /// As for [`Machine::pack_to`]; the room has `bytes` bytes.
    #[inline]
    pub unsafe fn pack_into_lane(&mut self, room: LaneRoom<'_>, bytes: usize) -> usize {
        let bytes = bytes.min(self.remaining());
        // SAFETY: as the caller vouches; the buffer has room for what is packed into it, and so
        // many bytes are left.
        unsafe {
            match self.program.way_into(bytes, || room.asks_for_long_copies()) {
                Way::Straight => {
                    return self.pack_to(room.address(), bytes);
                }
                Way::BlockByBlock => return self.pack_long_to(room, bytes),
                Way::Staged => staged(room, bytes, |buffer, burst| {
                    self.pack_to(buffer, burst);
                }),
            }
        }
        bytes
    }
}

/// Moves `bytes` bytes into `room` that `pack` writes, so many at a time.
///
/// # Safety
/// The room has the bytes; `pack` writes as many as it is asked for, at most [`BUFFER_BYTES`].
#[inline(always)]
pub(crate) unsafe fn staged(
    room: LaneRoom<'_>,
    bytes: usize,
    mut pack: impl FnMut(*mut u8, usize),
) {
    let mut buffer = [const { MaybeUninit::<u8>::uninit() }; BUFFER_BYTES];
    let buffer = buffer.as_mut_ptr().cast::<u8>();
    let mut done = 0;
    while done < bytes {
        let burst = BUFFER_BYTES.min(bytes - done);
        pack(buffer, burst);
        // SAFETY: `pack` has just written the burst; the room has all bytes.
        unsafe { room.behind(done).write(buffer, burst) };
        done += burst;
    }
}

#[cfg(test)]
mod tests {
    use pamir_shm::lane::room::LongCopy;

    use super::*;
    use crate::gather_scatter::program::node::{Placed, repeat, sequence};

    /// Packs `program` as a whole, into a lane as a whole, and into a lane in bursts.
    fn packed(program: &Program, memory: &mut [u8], bytes: usize) -> [Vec<u8>; 3] {
        let mut all = [(); 3].map(|()| vec![0; program.bytes()]);
        let base = memory.as_mut_ptr();
        // SAFETY: the memory is as long as the program's span, each vector as the program, and
        // each burst as it says.
        unsafe {
            Machine::new(program.clone(), base).pack(&mut all[0]);
            let long = LongCopy::default();
            program.pack_into_lane(base, LaneRoom::new(all[1].as_mut_ptr(), &long));
            let mut machine = Machine::new(program.clone(), base);
            for burst in all[2].chunks_mut(bytes) {
                let room = LaneRoom::new(burst.as_mut_ptr(), &long);
                assert_eq!(machine.pack_into_lane(room, burst.len()), burst.len());
            }
            assert_eq!(machine.pack_into_lane(LaneRoom::new(base, &long), 1), 0);
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
    fn the_way_follows_from_blocks_bytes_and_the_lane() {
        let near = |program: &Program, bytes| program.way_into(bytes, || false);
        for (count, way) in [
            (8, Way::Straight),
            (128, Way::Straight),
            (129, Way::Staged),
            (1024, Way::Staged),
            (1025, Way::Straight),
        ] {
            let program = vector(count, 8, 16);
            assert_eq!(near(&program, program.bytes()), way, "{count}");
            // A lane whose long copies stream has them for all but the shortest.
            let far = program.way_into(program.bytes(), || true);
            assert_eq!(far == Way::Straight, count <= 128, "{count}");
        }
        assert_eq!(near(&vector(10, 44, 80), 440), Way::Staged);
        assert_eq!(near(&vector(1000, 44, 80), 16_000), Way::Staged);
        assert_eq!(near(&vector(100, 512, 1024), 16_000), Way::Straight);
        assert_eq!(near(&vector(100, 5000, 7000), 16_000), Way::BlockByBlock);
        // Columns of a list leave gaps in the lane that are filled later.
        let list = sequence([0, 11, 40].map(|at| Placed::block(at, 8))).unwrap();
        let program = Program::canonical(&list, 64).unwrap();
        assert_eq!(near(&program, 24), Way::Straight);
        assert_eq!(near(&program.times(1000), 24_000), Way::Staged);
        let repeated = Program::canonical(&repeat(1000, 64, &list).unwrap(), 0).unwrap();
        assert_eq!(near(&repeated, 24_000), Way::Staged);
    }

    #[test]
    fn blocks_that_lie_far_apart_travel_in_short_packets() {
        let column = |width: usize| vector(width, 8, 8 * width as i64);
        let exponents =
            [128, 256, 1024, 2048, 4096, 8192, 16_384].map(|n| column(n).packet_exponent());
        let expected = [None, None, Some(10), Some(10), Some(11), Some(12), None];
        assert_eq!(exponents, expected);
        assert_eq!(vector(4096, 8, 16).packet_exponent(), None);
        assert_eq!(vector(1000, 24, -5000).packet_exponent(), Some(12));
        assert_eq!(vector(1000, 512, 8192).packet_exponent(), None);
        assert_eq!(vector(0, 8, 8192).packet_exponent(), None);
        for program in [column(257), column(4096), vector(1000, 24, 5000)] {
            let packet = 1_usize << program.packet_exponent().unwrap();
            assert!(packet < program.bytes());
        }
    }
}
