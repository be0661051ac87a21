//! Rows of equal blocks, copied by the one loop that was chosen for them beforehand.
//!
//! Columns, vectors, vectors of vectors and faces of arrays are all this: so many rows at equal distance, so
//! many blocks at equal distance in each. Which loop serves depends on the blocks' length and distance only,
//! so it is chosen once, when the datatype is committed.
//!
//! ```text
//!   ██··██··██········██··██··██········   2 rows of 3 blocks
//!   ├─ stride ─┤ ...
//!   ├─ row stride ───┤
//! ```
//!
//! Step before: `super::whole` has found that a program is this, and all of it is to be copied. Step after:
//! nothing; the bytes are there.
//!
//! Invariant: every block is copied once, in packed order.

use super::kernel::{
    Steps, address, copy_equal, copy_fixed, crowds_a_set, destination, gather, rows_are_vectors,
    scatter_strided_masked, source,
};
use crate::gather_scatter::program::node::{Node, Placed};

/// Where the blocks of the rows are.
#[derive(Clone, Copy, Debug)]
struct Shape {
    displacement: i64,
    rows: usize,
    row_stride: i64,
    count: usize,
    stride: i64,
    block: usize,
}

/// Copies all blocks of a shape between the memory at a base and packed bytes, both addresses.
type Copy = unsafe fn(&Shape, usize, usize);

/// Rows of blocks with the loops that copy them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    shape: Shape,
    pack: Copy,
    unpack: Copy,
}

impl Rows {
    /// What stands at `placed`, if it is rows of blocks.
    pub(crate) fn of(placed: &Placed) -> Option<Self> {
        let one_row = |count: usize, stride: i64, block: usize| Shape {
            displacement: placed.displacement,
            rows: 1,
            row_stride: 0,
            count,
            stride,
            block,
        };
        let shape = match &placed.node {
            Node::Strided {
                count,
                block,
                stride,
            } => one_row(*count, *stride, *block),
            Node::Loop(outer) => {
                let rows = (outer.count, outer.stride);
                match &outer.body {
                    Node::Strided {
                        count,
                        block,
                        stride,
                    } => Shape {
                        rows: rows.0,
                        row_stride: rows.1,
                        ..one_row(*count, *stride, *block)
                    },
                    _ => return None,
                }
            }
            _ => return None,
        };
        let (pack, unpack) = copies_for(&shape);
        Some(Self {
            shape,
            pack,
            unpack,
        })
    }

    /// Packs all blocks of the memory at `base`.
    ///
    /// # Safety
    /// Each block is readable; `out` is writable for all of them; no overlap.
    #[inline(always)]
    pub(crate) unsafe fn pack(&self, base: *mut u8, out: *mut u8) {
        // SAFETY: as the caller vouches.
        unsafe {
            (self.pack)(
                &self.shape,
                base.expose_provenance(),
                out.expose_provenance(),
            )
        };
    }

    /// Unpacks to all blocks of the memory at `base`.
    ///
    /// # Safety
    /// Each block is writable; `input` is readable for all of them; no overlap.
    #[inline(always)]
    pub(crate) unsafe fn unpack(&self, base: *mut u8, input: *const u8) {
        // SAFETY: as the caller vouches.
        unsafe {
            (self.unpack)(
                &self.shape,
                base.expose_provenance(),
                input.expose_provenance(),
            )
        };
    }
}

/// The loops for a shape: to pack, to unpack.
fn copies_for(shape: &Shape) -> (Copy, Copy) {
    let (pack, unpack): (Copy, Copy) = match shape.block {
        1 => (pack_fixed::<1>, unpack_fixed::<1>),
        2 => (pack_fixed::<2>, unpack_fixed::<2>),
        4 => (pack_fixed::<4>, unpack_fixed::<4>),
        8 => (pack_fixed::<8>, unpack_fixed::<8>),
        12 => (pack_fixed::<12>, unpack_fixed::<12>),
        16 => (pack_fixed::<16>, unpack_fixed::<16>),
        24 => (pack_fixed::<24>, unpack_fixed::<24>),
        32 => (pack_fixed::<32>, unpack_fixed::<32>),
        40 => (pack_fixed::<40>, unpack_fixed::<40>),
        48 => (pack_fixed::<48>, unpack_fixed::<48>),
        64 => (pack_fixed::<64>, unpack_fixed::<64>),
        _ => (pack_any, unpack_any),
    };
    let vectors = rows_are_vectors(shape.count, shape.block, shape.stride);
    let oversubscribed = crowds_a_set(shape.count, shape.block, shape.stride);
    (
        if vectors { pack_vectors } else { pack },
        if oversubscribed {
            unpack_masked
        } else {
            unpack
        },
    )
}

impl Shape {
    /// Calls `copy(user address, packed address)` for each block.
    #[inline(always)]
    fn each(&self, base: usize, mut packed: usize, mut copy: impl FnMut(usize, usize)) {
        let mut row = address(base, self.displacement);
        for _ in 0..self.rows {
            let mut at = row;
            for _ in 0..self.count {
                copy(at, packed);
                at = address(at, self.stride);
                packed += self.block;
            }
            row = address(row, self.row_stride);
        }
    }

    /// Calls `copy(a row's blocks, packed address)` for each row.
    #[inline(always)]
    fn each_row(&self, base: usize, packed: usize, mut copy: impl FnMut(Steps, usize)) {
        let rows = Shape {
            count: 1,
            block: self.count * self.block,
            ..*self
        };
        rows.each(base, packed, |user, packed| {
            let row = Steps {
                start: user,
                stride: self.stride,
            };
            copy(row, packed);
        });
    }
}

/// # Safety
/// As for [`Rows::pack`], with blocks of `N` bytes.
unsafe fn pack_fixed<const N: usize>(shape: &Shape, base: usize, out: usize) {
    let shape = Shape { block: N, ..*shape };
    shape.each(base, out, |user, packed| {
        // SAFETY: as the caller vouches.
        unsafe { copy_fixed::<N>(source(user), destination(packed)) };
    });
}

/// # Safety
/// As for [`Rows::unpack`], with blocks of `N` bytes.
unsafe fn unpack_fixed<const N: usize>(shape: &Shape, base: usize, input: usize) {
    let shape = Shape { block: N, ..*shape };
    shape.each(base, input, |user, packed| {
        // SAFETY: as the caller vouches.
        unsafe { copy_fixed::<N>(source(packed), destination(user)) };
    });
}

/// # Safety
/// As for [`Rows::pack`].
unsafe fn pack_any(shape: &Shape, base: usize, out: usize) {
    shape.each(base, out, |user, packed| {
        // SAFETY: as the caller vouches.
        unsafe { copy_equal(source(user), destination(packed), shape.block) };
    });
}

/// # Safety
/// As for [`Rows::unpack`].
unsafe fn unpack_any(shape: &Shape, base: usize, input: usize) {
    shape.each(base, input, |user, packed| {
        // SAFETY: as the caller vouches.
        unsafe { copy_equal(source(packed), destination(user), shape.block) };
    });
}

/// # Safety
/// As for [`Rows::pack`], where `rows_are_vectors`.
unsafe fn pack_vectors(shape: &Shape, base: usize, out: usize) {
    shape.each_row(base, out, |row, packed| {
        // SAFETY: as the caller vouches.
        unsafe { gather(row, destination(packed), shape.count, shape.block) };
    });
}

/// # Safety
/// As for [`Rows::unpack`], where `crowds_a_set`.
unsafe fn unpack_masked(shape: &Shape, base: usize, input: usize) {
    shape.each_row(base, input, |row, packed| {
        // SAFETY: as the caller vouches.
        unsafe { scatter_strided_masked(source(packed), row, shape.count, shape.block) };
    });
}
