//! From one layout straight to another: one copy, nothing packed in between.
//!
//! ```text
//!   source   ██··██··██··██            strided 2 of 4: one regular piece
//!   target   █████···███               two blocks of 5 and 3: two bursts of the target
//! ```
//!
//! The machine of the layout with the longer blocks leads: each regular piece that it names is
//! a burst of the other's machine, whose pieces are then copied out of, or into, the
//! leader's. Equal blocks on both sides are one inner loop. Where even the
//! leader's blocks are shorter than [`SHORT`] and differ from the other's, a burst for each would
//! cost more than a second copy in the first-level cache: these go through a small
//! buffer (`docs/decisions/010-data-with-gaps.md`).
//!
//! Step before: both sides' memory can be reached: a message to oneself, a collective's local
//! part. Step after: `super::kernel`.
//!
//! Invariant: what the leader has named and the other has moved are equally many bytes
//! whenever the leader goes on.
//!
//! Source: striping, the machine moves data between layouts.

use std::mem::MaybeUninit;
use std::ptr;

use super::kernel::{Steps, address, copy_block, copy_steps, destination, gather, scatter, source};
use crate::gather_scatter::machine::Machine;
use crate::gather_scatter::machine::sink::Sink;
use crate::gather_scatter::program::node::Node;

/// Length of blocks from which on a burst for each pays.
const SHORT: usize = 64;

/// Bytes of the buffer between layouts of short blocks.
const BUFFER_BYTES: usize = 8 * 1024;

impl Machine {
    /// Moves bytes from here to `target` until one of them ends;
    /// answers how many. Both may be irregular; two contiguous buffers may
    /// even overlap.
    pub fn copy_to(&mut self, target: &mut Self) -> usize {
        self.copy_bytes_to(target, usize::MAX)
    }

    /// The same for at most `bytes` bytes.
    pub fn copy_bytes_to(&mut self, target: &mut Self, bytes: usize) -> usize {
        let bytes = bytes.min(self.remaining()).min(target.remaining());
        match (self.contiguous(), target.contiguous()) {
            (Some((from, _)), Some((to, _))) => {
                let from = from.wrapping_add(self.offset());
                let to = to.wrapping_add(target.offset());
                if bytes != 0 {
                    // SAFETY: `bytes` is within what is left of both buffers,
                    // which `new` promised readable and writable.
                    unsafe { ptr::copy(source(from), destination(to), bytes) };
                }
                self.seek(self.offset() + bytes);
                target.seek(target.offset() + bytes);
            }
            (Some((from, _)), None) => {
                let from = from.wrapping_add(self.offset());
                // SAFETY: `bytes` is within what is left of this buffer,
                // which `new` promised readable.
                unsafe { target.unpack_from(source(from), bytes) };
                self.seek(self.offset() + bytes);
            }
            (None, Some((to, _))) => {
                let to = to.wrapping_add(target.offset());
                // SAFETY: `bytes` is within what is left of the target,
                // which `new` promised writable.
                unsafe { self.pack_to(destination(to), bytes) };
                target.seek(target.offset() + bytes);
            }
            (None, None) => self.copy_between(target, bytes),
        }
        bytes
    }

    fn copy_between(&mut self, target: &mut Self, bytes: usize) {
        let lengths = [self.block_bytes(), target.block_bytes()];
        let alike = self
            .regular_block()
            .is_some_and(|block| target.regular_block() == Some(block));
        if !alike && lengths[0].max(lengths[1]) < SHORT {
            self.copy_through_buffer(target, bytes);
        } else if lengths[0] >= lengths[1] {
            let mut lead = Lead::<false> {
                base: self.base,
                other: target,
            };
            self.state.run(&self.program, bytes, &mut lead);
        } else {
            let mut lead = Lead::<true> {
                base: target.base,
                other: self,
            };
            target.state.run(&target.program, bytes, &mut lead);
        }
    }

    fn copy_through_buffer(&mut self, target: &mut Self, bytes: usize) {
        let mut buffer = [const { MaybeUninit::<u8>::uninit() }; BUFFER_BYTES];
        let buffer = buffer.as_mut_ptr().cast::<u8>();
        let mut left = bytes;
        while left != 0 {
            let burst = left.min(BUFFER_BYTES);
            // SAFETY: the buffer has room for the burst, and it is of no user's memory; what
            // is unpacked has just been packed, since both machines have `left` bytes to go.
            unsafe {
                self.pack_to(buffer, burst);
                target.unpack_from(buffer, burst);
            }
            left -= burst;
        }
    }

    /// The length of the blocks in the innermost loop, if they are at equal distance.
    fn regular_block(&self) -> Option<usize> {
        let mut node = &self.program.placed.node;
        while let Node::Loop(inner) = node {
            node = &inner.body;
        }
        match node {
            Node::Strided { block, .. } => Some(*block),
            Node::Block { bytes } => Some(*bytes),
            _ => None,
        }
    }

    /// How long a block is on average.
    fn block_bytes(&self) -> usize {
        self.program.placed.node.bytes() / self.program.placed.node.blocks().max(1)
    }
}

/// The sink of the machine that leads; `BACK` if it is the target's.
struct Lead<'a, const BACK: bool> {
    base: usize,
    other: &'a mut Machine,
}

impl<const BACK: bool> Sink for Lead<'_, BACK> {
    #[inline]
    fn block(&mut self, displacement: i64, bytes: usize) {
        self.strided(displacement, 1, bytes, 0);
    }

    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) {
        let mut follow = Follow::<BACK> {
            base: self.other.base,
            steps: Steps {
                start: address(self.base, displacement),
                stride,
            },
            block,
            inside: 0,
        };
        let Machine { program, state, .. } = &mut *self.other;
        state.run(program, count * block, &mut follow);
    }
}

/// The sink of the machine that follows: copies between its pieces and the leader's piece.
struct Follow<const BACK: bool> {
    base: usize,
    /// Where the leader's current block and the ones after it are.
    steps: Steps,
    /// Bytes of each of the leader's blocks.
    block: usize,
    /// Bytes of the current one that are done.
    inside: usize,
}

impl<const BACK: bool> Follow<BACK> {
    /// Copies `count` blocks that are as long as the leader's; answers how many.
    #[inline(always)]
    fn copy_alike(&mut self, follower: Steps, count: usize, block: usize) -> usize {
        let (from, to) = if BACK {
            (follower, self.steps)
        } else {
            (self.steps, follower)
        };
        // SAFETY: `count` whole blocks of either side, which `Machine::new` promised readable
        // or writable and apart from each other: the leader named at least as many bytes.
        unsafe { copy_steps(from, to, count, block) };
        let moved = (count as i64).wrapping_mul(self.steps.stride);
        self.steps.start = address(self.steps.start, moved);
        count
    }

    /// Copies `count` blocks that lie in the rest of the leader's current block; answers how
    /// many.
    #[inline(always)]
    fn copy_inside(&mut self, follower: Steps, count: usize, block: usize) -> usize {
        let leader = self.steps.start.wrapping_add(self.inside);
        // SAFETY: `count` whole blocks of this side, and as many bytes within one block of the
        // leader's, as in `copy_alike`.
        unsafe {
            if BACK {
                gather(follower, destination(leader), count, block);
            } else {
                scatter(source(leader), follower, count, block);
            }
        }
        self.moved(count * block);
        count
    }

    /// Copies one block, wherever the leader's blocks end.
    #[inline(always)]
    fn split(&mut self, at: usize, bytes: usize) {
        let (mut at, mut left) = (at, bytes);
        while left != 0 {
            let here = left.min(self.block - self.inside);
            let leader = self.steps.start.wrapping_add(self.inside);
            let (from, to) = if BACK { (at, leader) } else { (leader, at) };
            // SAFETY: `here` bytes are within a block of either side, as in `copy_alike`.
            unsafe { copy_block(source(from), destination(to), here) };
            at = at.wrapping_add(here);
            left -= here;
            self.moved(here);
        }
    }

    /// Moves on in the leader's current block, at most to its end.
    #[inline(always)]
    fn moved(&mut self, bytes: usize) {
        self.inside += bytes;
        if self.inside == self.block {
            self.inside = 0;
            self.steps.start = address(self.steps.start, self.steps.stride);
        }
    }
}

impl<const BACK: bool> Sink for Follow<BACK> {
    #[inline]
    fn block(&mut self, displacement: i64, bytes: usize) {
        self.split(address(self.base, displacement), bytes);
    }

    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) {
        let (mut index, mut at) = (0, address(self.base, displacement));
        while index < count {
            let follower = Steps { start: at, stride };
            let here = if block == self.block && self.inside == 0 {
                self.copy_alike(follower, count - index, block)
            } else {
                let here = (count - index).min((self.block - self.inside) / block);
                self.copy_inside(follower, here, block)
            };
            at = address(at, (here as i64).wrapping_mul(stride));
            index += here;
            if here == 0 {
                self.split(at, block);
                at = address(at, stride);
                index += 1;
            }
        }
    }
}
