//! What every constructor composes: layout, bounds, signature and alignment.
//!
//! Step before: a constructor has checked its arguments. Step after: the
//! finished piece becomes a `super::Datatype`.
//!
//! Invariant: layout and signature have the same number of packed bytes.

use std::rc::Rc;

use pamir_transport::gather_scatter::program::node::{DEPTH_LIMIT, Node, Placed, repeat, sequence};

use super::bounds::Bounds;
use super::error::{DatatypeError, product};
use super::primitive::Primitive;
use super::signature::Signature;

/// The meaning of a datatype, without how it was made.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub layout: Placed,
    pub bounds: Bounds,
    pub signature: Rc<Signature>,
    /// Strictest alignment of the primitives inside, in bytes.
    pub alignment: usize,
}

/// A run of elements in an irregular list: block length and displacement in
/// bytes.
pub(super) type Entry = (usize, i64);

impl Piece {
    /// Of one primitive.
    pub fn primitive(primitive: Primitive) -> Self {
        let block = Placed::block;
        let layout = match primitive {
            // The only pair with a hole between its members.
            Primitive::ShortInt => sequence([block(0, 2), block(4, 4)]),
            other => Ok(block(0, other.bytes())),
        };
        Self {
            layout: layout.expect("a primitive is a few bytes"),
            bounds: Bounds::natural(0, primitive.extent() as i64),
            signature: Signature::single(primitive),
            alignment: primitive.alignment(),
        }
    }

    /// Without any data.
    pub fn empty() -> Self {
        Self {
            layout: Placed::EMPTY,
            bounds: Bounds::EMPTY,
            signature: Rc::new(Signature::default()),
            alignment: 1,
        }
    }

    /// `count` times this, `stride` bytes apart.
    pub fn repeated(&self, count: usize, stride: i64) -> Result<Self, DatatypeError> {
        Ok(Self {
            layout: repeat(count, stride, &self.layout)?,
            bounds: self.bounds.repeated(count, stride)?,
            signature: self.signature.repeated(count)?,
            alignment: self.alignment,
        })
    }

    /// `count` times this, one after the other.
    pub fn array(&self, count: usize) -> Result<Self, DatatypeError> {
        self.repeated(count, self.bounds.extent())
    }

    /// This, `displacement` bytes further up.
    pub fn shifted(&self, displacement: i64) -> Result<Self, DatatypeError> {
        Ok(Self {
            layout: self.layout.shifted(displacement)?,
            bounds: self.bounds.shifted(displacement)?,
            ..self.clone()
        })
    }

    /// This with explicit bounds.
    pub fn bounded(self, lower: i64, extent: i64) -> Result<Self, DatatypeError> {
        Ok(Self {
            bounds: Bounds::marked(lower, extent)?,
            ..self
        })
    }

    /// Blocks of this type at listed displacements.
    pub fn listed(
        &self,
        entries: impl Iterator<Item = Entry> + Clone,
    ) -> Result<Self, DatatypeError> {
        let extent = self.bounds.extent();
        let mut elements = 0usize;
        let mut bounds = Bounds::EMPTY;
        for (length, displacement) in entries.clone().filter(|&(length, _)| length != 0) {
            elements = elements
                .checked_add(length)
                .ok_or(DatatypeError::TooLarge {
                    what: "the number of elements",
                })?;
            let block = self
                .bounds
                .repeated(length, extent)?
                .shifted(displacement)?;
            bounds = bounds.joined(block)?;
        }
        // Checks the total size, so that no block of it can overflow below.
        let signature = self.signature.repeated(elements)?;
        let mut failure = None;
        let mut last: Option<(usize, Placed)> = None;
        let parts =
            entries
                .filter(|&(length, _)| length != 0)
                .map_while(|(length, displacement)| {
                    // Lists mostly repeat one block length: compile it once.
                    let block = match &last {
                        Some((known, block)) if *known == length => block.shifted(displacement),
                        _ => repeat(length, extent, &self.layout).and_then(|block| {
                            let shifted = block.shifted(displacement);
                            last = Some((length, block));
                            shifted
                        }),
                    };
                    block.map_err(|error| failure = Some(error)).ok()
                });
        let layout = sequence(parts.collect::<Vec<_>>())?;
        match failure {
            Some(error) => Err(error.into()),
            None => Ok(Self {
                layout,
                bounds,
                signature,
                alignment: self.alignment,
            }),
        }
    }

    /// Different types side by side, padded at the end as a C compiler does.
    pub fn structure<'a>(
        fields: impl Iterator<Item = (usize, i64, &'a Piece)>,
    ) -> Result<Self, DatatypeError> {
        let mut bounds = Bounds::EMPTY;
        let mut signature = Signature::default();
        let mut alignment = 1;
        let mut parts = Vec::new();
        for (length, displacement, piece) in fields.filter(|&(length, ..)| length != 0) {
            let field = piece.array(length)?.shifted(displacement)?;
            bounds = bounds.joined(field.bounds)?;
            signature.extend(&field.signature, 1)?;
            alignment = alignment.max(piece.alignment);
            parts.push(field.layout);
        }
        let layout = sequence(parts)?;
        Ok(Self {
            layout,
            bounds: bounds.padded(alignment)?,
            signature: Rc::new(signature),
            alignment,
        })
    }

    /// Refuses a piece nested too deep to be walked recursively.
    pub fn checked(self) -> Result<Self, DatatypeError> {
        let limit = DEPTH_LIMIT;
        let levels = self.signature.depth();
        if levels > limit {
            return Err(DatatypeError::TooDeep { levels, limit });
        }
        debug_assert_eq!(self.layout.node.bytes(), self.signature.bytes());
        Ok(self)
    }

    /// Whether elements in an array leave no gap and start at their address.
    pub fn dense(&self) -> bool {
        let bytes = self.layout.node.bytes();
        let one_block = matches!(self.layout.node, Node::Block { .. } | Node::Empty);
        one_block && self.layout.displacement == 0 && self.bounds.extent() == bytes as i64
    }
}

/// A displacement in elements, turned into bytes.
pub(super) fn scaled(elements: i64, extent: i64) -> Result<i64, DatatypeError> {
    product("a displacement", elements, extent)
}
