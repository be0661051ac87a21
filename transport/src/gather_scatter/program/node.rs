//! The tree a program is: blocks, loops, lists and subprograms, with their composition.
//!
//! Nesting is kept, contiguous pieces are merged, equal steps become loops, so that a
//! vector of a million blocks is one node, and irregular lists carry prefix sums so that any
//! packed offset is found without a walk. Nodes are shared: a type made of types refers to
//! their nodes as subprograms.
//!
//! ```text
//!   Block     ████████                 copy
//!   Strided   ██···██···██             loop of count x (copy block, skip)
//!   Uniform   ██··██·····██            copies of one length, listed skips
//!   Indexed   ██··█████·█              copies and skips
//!   Loop      [node]··[node]··[node]   loop of a subprogram
//!   Sequence  [a]··[b]·[c]             subprograms one after the other
//! ```
//!
//! Step before: constructors of datatypes, [`super::builder`] and [`super::code`] ask for
//! [`repeat`] and [`sequence`]. Step after: [`super::canonical`] simplifies, and
//! [`crate::gather_scatter::machine`] runs.
//!
//! Invariants: a node of zero bytes is `Empty`; children are never `Empty`; the order of the
//! packed bytes is the order in which the copies stand; `low..high` bounds every byte a node
//! touches and fits in an `i64`.

use std::sync::Arc;

use super::prefix_sums::PrefixSums;
use crate::gather_scatter::error::{ProgramError, product, signed, sum};

/// Levels of `Loop` and `Sequence` that a program may nest.
pub const DEPTH_LIMIT: usize = 256;

/// A step of the program. Displacements are in bytes, relative to the place
/// where the node stands.
#[derive(Clone, Debug)]
pub enum Node {
    /// No data.
    Empty,
    /// Contiguous bytes.
    Block {
        /// Length.
        bytes: usize,
    },
    /// Equal blocks at equal distance.
    Strided {
        /// How many.
        count: usize,
        /// Bytes of each.
        block: usize,
        /// Distance from start to start, in bytes.
        stride: i64,
    },
    /// A node repeated at equal distance.
    Loop(Arc<Loop>),
    /// Equal blocks at listed displacements.
    Uniform(Arc<Uniform>),
    /// Unequal blocks at listed displacements.
    Indexed(Arc<Indexed>),
    /// Different nodes one after the other.
    Sequence(Arc<Sequence>),
}

/// See [`Node::Loop`].
#[derive(Debug)]
pub struct Loop {
    /// How many iterations.
    pub count: usize,
    /// Distance from start to start, in bytes.
    pub stride: i64,
    /// What each iteration moves.
    pub body: Node,
    /// Packed bytes of one iteration.
    pub body_bytes: usize,
    summary: Summary,
}

/// See [`Node::Uniform`].
#[derive(Debug)]
pub struct Uniform {
    /// Bytes of each block.
    pub block: usize,
    /// Where each block starts.
    pub displacements: Box<[i64]>,
    summary: Summary,
}

/// See [`Node::Indexed`].
#[derive(Debug)]
pub struct Indexed {
    /// Where each block starts.
    pub displacements: Box<[i64]>,
    /// Packed offsets at which the blocks end.
    pub ends: PrefixSums,
    summary: Summary,
}

/// See [`Node::Sequence`].
#[derive(Debug)]
pub struct Sequence {
    /// The nodes and where they stand.
    pub parts: Box<[Placed]>,
    /// Packed offsets at which the parts end.
    pub ends: PrefixSums,
    summary: Summary,
}

/// What is known of a node without walking it.
#[derive(Clone, Copy, Debug)]
struct Summary {
    bytes: usize,
    blocks: usize,
    unit: usize,
    low: i64,
    high: i64,
    depth: usize,
}

/// A node and the displacement it stands at.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Bytes from the buffer's address.
    pub displacement: i64,
    /// What stands there.
    pub node: Node,
}

impl Node {
    /// Packed bytes.
    #[inline]
    pub fn bytes(&self) -> usize {
        match self {
            Node::Empty => 0,
            Node::Block { bytes } => *bytes,
            Node::Strided { count, block, .. } => count * block,
            Node::Loop(node) => node.summary.bytes,
            Node::Uniform(node) => node.summary.bytes,
            Node::Indexed(node) => node.summary.bytes,
            Node::Sequence(node) => node.summary.bytes,
        }
    }

    /// Contiguous blocks that the program moves.
    pub fn blocks(&self) -> usize {
        match self {
            Node::Empty => 0,
            Node::Block { .. } => 1,
            Node::Strided { count, .. } => *count,
            Node::Loop(node) => node.summary.blocks,
            Node::Uniform(node) => node.summary.blocks,
            Node::Indexed(node) => node.summary.blocks,
            Node::Sequence(node) => node.summary.blocks,
        }
    }

    /// The greatest common divisor of the blocks' lengths; 0 without data.
    pub fn unit(&self) -> usize {
        match self {
            Node::Empty => 0,
            Node::Block { bytes } => *bytes,
            Node::Strided { block, .. } => *block,
            Node::Loop(node) => node.summary.unit,
            Node::Uniform(node) => node.summary.unit,
            Node::Indexed(node) => node.summary.unit,
            Node::Sequence(node) => node.summary.unit,
        }
    }

    /// Lowest byte touched and the end of the highest.
    pub fn span(&self) -> (i64, i64) {
        match self {
            Node::Empty => (0, 0),
            Node::Block { bytes } => (0, *bytes as i64),
            Node::Strided {
                count,
                block,
                stride,
            } => {
                let last = (*count as i64 - 1) * stride;
                (last.min(0), last.max(0) + *block as i64)
            }
            Node::Loop(node) => (node.summary.low, node.summary.high),
            Node::Uniform(node) => (node.summary.low, node.summary.high),
            Node::Indexed(node) => (node.summary.low, node.summary.high),
            Node::Sequence(node) => (node.summary.low, node.summary.high),
        }
    }

    /// Levels of loops and sequences above the blocks and lists.
    pub fn depth(&self) -> usize {
        match self {
            Node::Loop(node) => node.summary.depth,
            Node::Sequence(node) => node.summary.depth,
            _ => 0,
        }
    }

    /// The address of a shared node, which tells it from others as long as it lives.
    pub(crate) fn identity(&self) -> Option<usize> {
        match self {
            Node::Empty | Node::Block { .. } | Node::Strided { .. } => None,
            Node::Loop(node) => Some(Arc::as_ptr(node).addr()),
            Node::Uniform(node) => Some(Arc::as_ptr(node).addr()),
            Node::Indexed(node) => Some(Arc::as_ptr(node).addr()),
            Node::Sequence(node) => Some(Arc::as_ptr(node).addr()),
        }
    }

    fn same(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Block { bytes: a }, Node::Block { bytes: b }) => a == b,
            (
                Node::Strided {
                    count: a,
                    block: b,
                    stride: c,
                },
                Node::Strided {
                    count: d,
                    block: e,
                    stride: f,
                },
            ) => (a, b, c) == (d, e, f),
            _ => self.identity().is_some() && self.identity() == other.identity(),
        }
    }

    /// Whether repeating this node with `stride` needs no new memory.
    pub(crate) fn repeats_in_place(&self, stride: i64) -> bool {
        match self {
            Node::Empty | Node::Block { .. } => true,
            Node::Strided {
                count,
                stride: inner,
                ..
            } => inner.checked_mul(*count as i64) == Some(stride),
            _ => false,
        }
    }
}

impl Placed {
    /// Nothing, anywhere.
    pub const EMPTY: Self = Self {
        displacement: 0,
        node: Node::Empty,
    };

    /// `bytes` contiguous bytes.
    pub fn block(displacement: i64, bytes: usize) -> Self {
        if bytes == 0 {
            Self::EMPTY
        } else {
            Self {
                displacement,
                node: Node::Block { bytes },
            }
        }
    }

    /// The same for lengths and displacements that nobody has checked.
    ///
    /// # Errors
    ///
    /// [`ProgramError::TooLarge`] where the block does not end within 63 bits.
    pub(crate) fn checked_block(displacement: i64, bytes: usize) -> Result<Self, ProgramError> {
        sum("a displacement", displacement, signed("the size", bytes)?)?;
        Ok(Self::block(displacement, bytes))
    }

    /// Lowest byte touched and the end of the highest: the true bounds.
    pub fn span(&self) -> (i64, i64) {
        let (low, high) = self.node.span();
        (self.displacement + low, self.displacement + high)
    }

    /// The same node `by` bytes further up.
    ///
    /// # Errors
    ///
    /// [`ProgramError::TooLarge`] where a displacement would not fit in 63 bits.
    pub fn shifted(&self, by: i64) -> Result<Self, ProgramError> {
        let (low, high) = self.span();
        sum("a displacement", low, by)?;
        sum("a displacement", high, by)?;
        let displacement = sum("a displacement", self.displacement, by)?;
        Ok(Self {
            displacement,
            node: self.node.clone(),
        })
    }
}

const TOO_LARGE: ProgramError = ProgramError::TooLarge { what: "the size" };

/// `count` times `placed`, each `stride` bytes after the one before.
///
/// # Errors
///
/// [`ProgramError::TooLarge`] and [`ProgramError::TooDeep`].
pub fn repeat(count: usize, stride: i64, placed: &Placed) -> Result<Placed, ProgramError> {
    let bytes = placed.node.bytes().checked_mul(count).ok_or(TOO_LARGE)?;
    signed("the size", bytes)?;
    if bytes == 0 {
        return Ok(Placed::EMPTY);
    }
    if count == 1 {
        return Ok(placed.clone());
    }
    let last = product("a displacement", signed("a count", count - 1)?, stride)?;
    let (low, high) = placed.span();
    let low = sum("a displacement", low, last.min(0))?;
    let high = sum("a displacement", high, last.max(0))?;
    high.checked_sub(low)
        .ok_or(ProgramError::TooLarge { what: "the extent" })?;
    let node = match &placed.node {
        Node::Block { bytes: block } if *block as i64 == stride => Node::Block { bytes },
        Node::Block { bytes: block } => Node::Strided {
            count,
            block: *block,
            stride,
        },
        Node::Strided {
            count: inner,
            block,
            stride: step,
        } if step.checked_mul(*inner as i64) == Some(stride) => Node::Strided {
            count: inner * count,
            block: *block,
            stride: *step,
        },
        Node::Loop(inner) if inner.stride.checked_mul(inner.count as i64) == Some(stride) => {
            looped(inner.count * count, inner.stride, inner.body.clone())?
        }
        body => looped(count, stride, body.clone())?,
    };
    Ok(Placed {
        displacement: placed.displacement,
        node,
    })
}

fn looped(count: usize, stride: i64, body: Node) -> Result<Node, ProgramError> {
    let last = (count as i64 - 1) * stride;
    let (low, high) = body.span();
    let summary = Summary {
        bytes: body.bytes() * count,
        blocks: body.blocks() * count,
        unit: body.unit(),
        low: low + last.min(0),
        high: high + last.max(0),
        depth: limited(body.depth() + 1)?,
    };
    Ok(Node::Loop(Arc::new(Loop {
        count,
        stride,
        body_bytes: body.bytes(),
        body,
        summary,
    })))
}

fn limited(levels: usize) -> Result<usize, ProgramError> {
    if levels > DEPTH_LIMIT {
        return Err(ProgramError::TooDeep {
            levels,
            limit: DEPTH_LIMIT,
        });
    }
    Ok(levels)
}

/// The parts one after the other, in the given order.
///
/// # Errors
///
/// As for [`repeat`].
pub fn sequence(parts: impl IntoIterator<Item = Placed>) -> Result<Placed, ProgramError> {
    let mut merged: Vec<Placed> = Vec::new();
    for part in parts {
        if part.node.bytes() == 0 {
            continue;
        }
        if let (Node::Block { bytes }, Some(before)) = (&part.node, merged.last_mut())
            && let Node::Block { bytes: length } = &mut before.node
            && before.displacement + *length as i64 == part.displacement
        {
            *length += bytes;
            continue;
        }
        merged.push(part);
    }
    unmerged(merged)
}

/// [`sequence`] of parts of which none is empty; blocks that touch stay two.
///
/// # Errors
///
/// As for [`repeat`].
pub(crate) fn unmerged(mut merged: Vec<Placed>) -> Result<Placed, ProgramError> {
    let mut sizes = merged.iter().map(|part| part.node.bytes());
    let total = sizes.try_fold(0, usize::checked_add).ok_or(TOO_LARGE)?;
    signed("the size", total)?;
    let Some(first) = merged.first() else {
        return Ok(Placed::EMPTY);
    };
    if merged.len() == 1 {
        return Ok(merged.remove(0));
    }
    let (mut low, mut high) = first.span();
    for part in &merged {
        let (from, to) = part.span();
        low = low.min(from);
        high = high.max(to);
    }
    high.checked_sub(low)
        .ok_or(ProgramError::TooLarge { what: "the extent" })?;
    if let Some(stride) = even_steps(&merged) {
        return repeat(merged.len(), stride, first);
    }
    let origin = first.displacement;
    let blocks_only = merged
        .iter()
        .all(|part| matches!(part.node, Node::Block { .. }));
    // A node's displacements are relative to the first part, which must not
    // overflow for parts at opposite ends of the address space.
    for part in &mut merged {
        part.displacement = part
            .displacement
            .checked_sub(origin)
            .ok_or(ProgramError::TooLarge { what: "the extent" })?;
    }
    let (Some(low), Some(high)) = (low.checked_sub(origin), high.checked_sub(origin)) else {
        return Err(ProgramError::TooLarge { what: "the extent" });
    };
    let mut depth = 0;
    let mut blocks = 0usize;
    let mut unit = 0;
    for part in &merged {
        depth = depth.max(part.node.depth() + 1);
        unit = common_divisor(unit, part.node.unit());
        blocks = blocks.saturating_add(part.node.blocks());
    }
    let summary = Summary {
        bytes: total,
        blocks,
        unit,
        low,
        high,
        depth: limited(depth)?,
    };
    let ends = || PrefixSums::new(merged.iter().map(|part| part.node.bytes()));
    let displacements = || {
        merged
            .iter()
            .map(|part| part.displacement)
            .collect::<Box<[i64]>>()
    };
    let node = if blocks_only {
        let block = merged[0].node.bytes();
        if merged.iter().all(|part| part.node.bytes() == block) {
            Node::Uniform(Arc::new(Uniform {
                block,
                displacements: displacements(),
                summary,
            }))
        } else {
            let (ends, displacements) = (ends(), displacements());
            Node::Indexed(Arc::new(Indexed {
                displacements,
                ends,
                summary,
            }))
        }
    } else {
        let ends = ends();
        Node::Sequence(Arc::new(Sequence {
            parts: merged.into_boxed_slice(),
            ends,
            summary,
        }))
    };
    Ok(Placed {
        displacement: origin,
        node,
    })
}

pub(crate) fn common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The common distance, where all parts are the same node.
fn even_steps(parts: &[Placed]) -> Option<i64> {
    let stride = parts[1].displacement.checked_sub(parts[0].displacement)?;
    parts
        .windows(2)
        .all(|pair| {
            pair[1].displacement.checked_sub(pair[0].displacement) == Some(stride)
                && pair[0].node.same(&pair[1].node)
        })
        .then_some(stride)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_pieces_become_one_block() {
        let four = Placed::block(0, 4);
        let many = repeat(1_000_000, 4, &four).unwrap();
        assert!(matches!(many.node, Node::Block { bytes: 4_000_000 }));
        let joined = sequence([Placed::block(8, 4), Placed::block(12, 8)]).unwrap();
        assert!(matches!(
            joined,
            Placed {
                displacement: 8,
                node: Node::Block { bytes: 12 }
            }
        ));
    }

    #[test]
    fn a_vector_of_a_million_blocks_is_one_node() {
        let vector = repeat(1_000_000, 16, &Placed::block(0, 8)).unwrap();
        assert!(matches!(
            vector.node,
            Node::Strided {
                count: 1_000_000,
                block: 8,
                stride: 16
            }
        ));
        // Vectors that continue each other stay one loop.
        let longer = repeat(10, 16_000_000, &vector).unwrap();
        assert!(matches!(
            longer.node,
            Node::Strided {
                count: 10_000_000,
                ..
            }
        ));
        let plane = repeat(10, 17_000_000, &vector).unwrap();
        assert_eq!(plane.node.blocks(), 10_000_000);
        assert_eq!(plane.node.depth(), 1);
    }

    #[test]
    fn lists_are_recognised() {
        let even = sequence((0..5).map(|i| Placed::block(7 - 10 * i, 2))).unwrap();
        assert!(matches!(
            even.node,
            Node::Strided {
                count: 5,
                block: 2,
                stride: -10
            }
        ));
        assert_eq!(even.span(), (-33, 9));
        let uniform = sequence([0, 5, 30].map(|d| Placed::block(d, 2))).unwrap();
        assert!(matches!(uniform.node, Node::Uniform(_)));
        let indexed =
            sequence([(0, 2), (5, 3), (30, 2)].map(|(d, n)| Placed::block(d, n))).unwrap();
        assert!(matches!(indexed.node, Node::Indexed(_)));
    }

    #[test]
    fn endless_nesting_is_refused() {
        let mut placed = sequence([0, 5, 30].map(|d| Placed::block(d, 1))).unwrap();
        for level in 0.. {
            // Two different nodes at uneven places cannot be simplified.
            match sequence([Placed::block(-1000, 3), placed.clone()]) {
                Ok(deeper) => placed = deeper,
                Err(error) => {
                    assert!(matches!(error, ProgramError::TooDeep { .. }));
                    assert_eq!(level, DEPTH_LIMIT);
                    break;
                }
            }
        }
    }
}
