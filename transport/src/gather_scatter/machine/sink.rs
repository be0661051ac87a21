//! What the machine does with the memory it comes across.
//!
//! The machine names memory in the largest regular pieces it can, so that a kernel moves a
//! whole inner loop; a [`Sink`] that only knows blocks gets them one by one.
//!
//! Step before: [`crate::gather_scatter::machine`] runs a program. Step after: the copies of
//! `crate::gather_scatter::copy::memory`, or the listing of [`crate::gather_scatter::explain`].
//!
//! Invariant: pieces come in the order of the packed bytes, without a gap.

use crate::gather_scatter::program::Program;
use crate::gather_scatter::program::node::Node;
use crate::gather_scatter::program::prefix_sums::SHORT_LIST;

/// Receives the pieces of memory that a packed range stands for, in order.
/// Displacements are in bytes from the buffer's address.
pub trait Sink {
    /// `bytes` contiguous bytes.
    fn block(&mut self, displacement: i64, bytes: usize);

    /// `count` blocks at equal distance.
    #[inline]
    fn strided(&mut self, displacement: i64, count: usize, block: usize, stride: i64) {
        let mut at = displacement;
        for _ in 0..count {
            self.block(at, block);
            at = at.wrapping_add(stride);
        }
    }

    /// Equal blocks at listed displacements from `displacement`.
    #[inline]
    fn uniform(&mut self, displacement: i64, list: &[i64], block: usize) {
        for &at in list {
            self.block(displacement.wrapping_add(at), block);
        }
    }

    /// Unequal blocks: `ends` are packed offsets, `start` the first's begin.
    #[inline]
    fn indexed(&mut self, displacement: i64, list: &[i64], start: usize, ends: &[usize]) {
        let mut start = start;
        for (&at, &end) in list.iter().zip(ends) {
            self.block(displacement.wrapping_add(at), end - start);
            start = end;
        }
    }

    /// Rows of `count` blocks at equal distance, `repeat.count` of them.
    #[inline]
    fn grid(&mut self, displacement: i64, repeat: Repeat, (count, block, stride): Row) {
        for index in 0..repeat.count {
            self.strided(repeat.place(displacement, index), count, block, stride);
        }
    }

    /// A short list of blocks, `repeat.count` times over, as arrays of C
    /// structures are made of.
    #[inline]
    fn interleaved(&mut self, displacement: i64, repeat: Repeat, list: Blocklist<'_>) {
        for index in 0..repeat.count {
            let at = repeat.place(displacement, index);
            match list {
                Blocklist::Equal(list, block) => self.uniform(at, list, block),
                Blocklist::Ends(list, ends) => self.indexed(at, list, 0, ends),
            }
        }
    }
}

/// A row of blocks: how many, the bytes of each, and from each to the next.
pub type Row = (usize, usize, i64);

/// The dummy machine's: moves nothing.
#[derive(Debug)]
pub struct Nothing;

impl Sink for Nothing {
    fn block(&mut self, _: i64, _: usize) {}

    fn strided(&mut self, _: i64, _: usize, _: usize, _: i64) {}

    fn uniform(&mut self, _: i64, _: &[i64], _: usize) {}

    fn indexed(&mut self, _: i64, _: &[i64], _: usize, _: &[usize]) {}

    fn grid(&mut self, _: i64, _: Repeat, _: Row) {}

    fn interleaved(&mut self, _: i64, _: Repeat, _: Blocklist<'_>) {}
}

/// So many iterations at equal distance.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// How many iterations.
    pub count: usize,
    /// Distance from start to start in user memory, in bytes.
    pub stride: i64,
    /// Packed bytes of one iteration.
    pub bytes: usize,
}

impl Repeat {
    /// Where iteration `index` stands.
    #[inline]
    pub fn place(&self, displacement: i64, index: usize) -> i64 {
        displacement.wrapping_add((index as i64).wrapping_mul(self.stride))
    }
}

/// A list of displacements with the blocks' lengths.
#[derive(Clone, Copy, Debug)]
pub enum Blocklist<'a> {
    /// All of the same length.
    Equal(&'a [i64], usize),
    /// Ending at the listed packed offsets.
    Ends(&'a [i64], &'a [usize]),
}

/// Tells `sink` all memory of a program.
#[inline]
pub(crate) fn all(program: &Program, sink: &mut impl Sink) {
    let node = &program.placed.node;
    let base = program.placed.displacement;
    if program.count == 1 {
        return match node {
            // The usual ones, without a call.
            Node::Strided {
                count,
                block,
                stride,
            } => sink.strided(base, *count, *block, *stride),
            _ => whole(node, base, sink),
        };
    }
    let repeat = Repeat {
        count: program.count,
        stride: program.stride,
        bytes: node.bytes(),
    };
    repeated(node, base, repeat, sink);
}

/// Emits all of `node`, which stands at `base`.
pub(crate) fn whole(node: &Node, base: i64, sink: &mut impl Sink) {
    match node {
        Node::Empty => {}
        Node::Block { bytes } => sink.block(base, *bytes),
        Node::Strided {
            count,
            block,
            stride,
        } => sink.strided(base, *count, *block, *stride),
        Node::Uniform(node) => sink.uniform(base, &node.displacements, node.block),
        Node::Indexed(node) => sink.indexed(base, &node.displacements, 0, node.ends.ends()),
        Node::Loop(node) => {
            let repeat = Repeat {
                count: node.count,
                stride: node.stride,
                bytes: node.body_bytes,
            };
            repeated(&node.body, base, repeat, sink);
        }
        Node::Sequence(node) => {
            for part in &node.parts {
                whole(&part.node, base.wrapping_add(part.displacement), sink);
            }
        }
    }
}

/// Emits all iterations of `body`, the first of which is at `base`.
#[inline]
pub(crate) fn repeated(body: &Node, base: i64, repeat: Repeat, sink: &mut impl Sink) {
    match body {
        Node::Block { bytes } => sink.strided(base, repeat.count, *bytes, repeat.stride),
        Node::Strided {
            count,
            block,
            stride,
        } => sink.grid(base, repeat, (*count, *block, *stride)),
        Node::Uniform(node) if node.displacements.len() <= SHORT_LIST => {
            let list = Blocklist::Equal(&node.displacements, node.block);
            sink.interleaved(base, repeat, list);
        }
        Node::Indexed(node) if node.displacements.len() <= SHORT_LIST => {
            let list = Blocklist::Ends(&node.displacements, node.ends.ends());
            sink.interleaved(base, repeat, list);
        }
        _ => {
            for index in 0..repeat.count {
                whole(body, repeat.place(base, index), sink);
            }
        }
    }
}
