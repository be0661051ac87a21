//! The data gather/scatter program (DGSP): what memory a message is made of.
//!
//! A program is a tree of instructions ([`crate::gather_scatter::program::node`]) with the distance from one element to
//! the next, and a count. Making one for a count of elements allocates nothing: the
//! tree is shared, and programs may be sent to other threads and,
//! serialised ([`crate::gather_scatter::program::code`]), to other tasks.
//!
//! ```text
//!   packed   0        12     18               34
//!            ├────────┼──────┼────────────────┤
//!   memory   ████████····██████···████████████████      copy 12, skip 8, copy 6, skip 7, copy 16
//!            0       12  20   26  33            49
//! ```
//!
//! Step before: [`crate::gather_scatter::program::builder`], or a datatype's constructors. Step after: a
//! [`super::machine::Machine`] runs it.
//!
//! Source: striping, the program that data gather/scatter machines execute.

pub(super) mod blocks;
pub mod builder;
pub mod canonical;
pub mod code;
pub mod elements;
pub mod node;
pub mod prefix_sums;

use crate::gather_scatter::program::node::{Node, Placed, repeat};

/// `count` elements of a layout; see the module.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) placed: Placed,
    pub(super) count: usize,
    pub(super) stride: i64,
    pub(super) total: usize,
}

impl Program {
    /// One element: what stands where, and the distance in bytes to the next element.
    pub fn new(placed: Placed, extent: i64) -> Self {
        let total = placed.node.bytes();
        Self {
            placed,
            count: 1,
            stride: extent,
            total,
        }
    }

    /// `count` elements of this program, which is of one.
    ///
    /// A total beyond the address space cannot be backed by memory; it saturates, and the
    /// machine's contract rules it out.
    #[inline]
    pub fn times(&self, count: usize) -> Self {
        if count == 1 {
            return self.clone();
        }
        let total = self.total.saturating_mul(count);
        if self.placed.node.repeats_in_place(self.stride)
            && let Ok(placed) = repeat(count, self.stride, &self.placed)
        {
            return Self {
                placed,
                count: 1,
                stride: self.stride,
                total,
            };
        }
        Self {
            placed: self.placed.clone(),
            count,
            stride: self.stride,
            total,
        }
    }

    /// Packed bytes in all.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.total
    }

    /// Distance in bytes from one element to the next.
    #[inline]
    pub fn extent(&self) -> i64 {
        self.stride
    }

    /// The tree of instructions of one element.
    pub fn placed(&self) -> &Placed {
        &self.placed
    }

    /// `(displacement, bytes)` where all of it is one contiguous block.
    #[inline]
    pub fn contiguous(&self) -> Option<(i64, usize)> {
        match self.placed.node {
            Node::Block { bytes } if self.count == 1 => Some((self.placed.displacement, bytes)),
            _ if self.total == 0 => Some((self.placed.displacement, 0)),
            _ => None,
        }
    }

    /// The same for `count` elements of this program, which is of one, without making it.
    #[inline]
    pub fn contiguous_times(&self, count: usize) -> Option<(i64, usize)> {
        let displacement = self.placed.displacement;
        match self.placed.node {
            _ if self.total == 0 || count == 0 => Some((displacement, 0)),
            Node::Block { bytes } if count == 1 || self.stride == bytes as i64 => {
                Some((displacement, bytes.saturating_mul(count)))
            }
            _ => None,
        }
    }

    /// The memory that the program touches, in bytes from the buffer's address: the lowest
    /// byte, and the end of the highest; saturating.
    pub fn span(&self) -> (i64, i64) {
        if self.total == 0 {
            return (0, 0);
        }
        let (low, high) = self.placed.span();
        let last = (self.count as i64 - 1).saturating_mul(self.stride);
        let last = if self.count == 1 { 0 } else { last };
        (
            low.saturating_add(last.min(0)),
            high.saturating_add(last.max(0)),
        )
    }

    /// Contiguous blocks that the program moves (neighbours across the ends
    /// of loops are counted apart).
    pub fn blocks(&self) -> usize {
        self.placed.node.blocks().saturating_mul(self.count)
    }
}
