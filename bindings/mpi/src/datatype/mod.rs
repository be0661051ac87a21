//! MPI datatypes: what memory a message is made of (MPI-5.0 chapter 5).
//!
//! ```text
//!   named, construct, array, fortran      arguments checked
//!            │ compose
//!          piece = bounds + layout + signature
//!            │               │         └── elements, external32
//!        Datatype            └── compiled, at commit, to a gather/scatter program
//!            └── decode                       envelope and contents
//! ```
//!
//! Step before: the C layer looks a handle up. Step after: point-to-point and
//! collectives ask [`Datatype::dense`] or make a [`Machine`].
//!
//! Invariants: a datatype never changes once made, except that it becomes
//! committed; handles, names given by users, and attributes are kept by the
//! caller.

pub mod bounds;
pub mod decode;
pub mod elements;
pub mod error;
pub mod external32;
pub mod fortran;
pub mod named;
pub mod signature;

mod argument;
mod array;
mod construct;
mod piece;
mod quadruple;
mod recipe;

#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

pub use argument::{Combiner, Distribution, DistributionArgument, Form, Order};
pub use bounds::Bounds;
pub use decode::{Contents, Envelope, Integer};
pub use error::{DatatypeError, ErrorClass};
pub use named::Named;
pub use signature::Signature;

pub use pamir_transport::gather_scatter::{Machine, Program, Whole};
pub use pamir_transport::operation::primitive::{self, Primitive};

use pamir_transport::gather_scatter::program::node::Placed;
use piece::Piece;
use recipe::Recipe;

/// A datatype, shared by `Rc`: predefined, or made by a constructor.
#[derive(Debug)]
pub struct Datatype {
    size: usize,
    dense: bool,
    piece: Piece,
    recipe: Recipe<Rc<Self>>,
    committed: Cell<bool>,
    program: OnceCell<Program>,
    whole: OnceCell<Option<Whole>>,
}

impl Datatype {
    fn from_parts(
        piece: Piece,
        recipe: Recipe<Rc<Self>>,
        committed: bool,
    ) -> Result<Rc<Self>, DatatypeError> {
        let piece = piece.checked()?;
        Ok(Rc::new(Self {
            size: piece.signature.bytes(),
            dense: piece.dense(),
            piece,
            recipe,
            committed: Cell::new(committed),
            program: OnceCell::new(),
            whole: OnceCell::new(),
        }))
    }

    /// A predefined datatype. Each call makes a new one; the caller keeps it.
    pub fn named(named: &'static Named) -> Rc<Self> {
        let piece = Piece::primitive(named.primitive);
        Self::from_parts(piece, Recipe::Named(named), true).expect("a primitive is a few bytes")
    }

    /// Bytes of data in one element (`MPI_Type_size`).
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether any count of elements is one contiguous block that starts at
    /// the buffer's address: `count * size()` bytes, the common case.
    #[inline]
    pub fn dense(&self) -> bool {
        self.dense
    }

    /// Where `count` elements are one block: its displacement from the
    /// buffer's address and its length, in bytes.
    #[inline]
    pub fn contiguous_bytes(&self, count: usize) -> Option<(i64, usize)> {
        if self.dense {
            return Some((0, self.size.saturating_mul(count)));
        }
        self.program().contiguous_times(count)
    }

    /// The lower bound in bytes (`MPI_Type_get_extent`).
    #[inline]
    pub fn lower_bound(&self) -> i64 {
        self.piece.bounds.lower
    }

    /// The upper bound in bytes.
    #[inline]
    pub fn upper_bound(&self) -> i64 {
        self.piece.bounds.upper
    }

    /// Distance in bytes between neighbours in an array.
    #[inline]
    pub fn extent(&self) -> i64 {
        self.piece.bounds.extent()
    }

    /// Lowest byte with data (`MPI_Type_get_true_extent`); 0 where there is none.
    pub fn true_lower_bound(&self) -> i64 {
        if self.size == 0 {
            0
        } else {
            self.piece.layout.span().0
        }
    }

    /// End of the highest byte with data; 0 where there is none.
    pub fn true_upper_bound(&self) -> i64 {
        if self.size == 0 {
            0
        } else {
            self.piece.layout.span().1
        }
    }

    /// Bytes from the lowest to the end of the highest with data.
    pub fn true_extent(&self) -> i64 {
        self.true_upper_bound() - self.true_lower_bound()
    }

    /// The memory that `count` elements touch: displacement of the lowest
    /// byte, and the bytes up to the end of the highest.
    pub fn span(&self, count: usize) -> (i64, usize) {
        if count == 0 || self.size == 0 {
            return (0, 0);
        }
        let last = (count as i64 - 1).saturating_mul(self.extent());
        let low = self.true_lower_bound().saturating_add(last.min(0));
        let high = self.true_upper_bound().saturating_add(last.max(0));
        (low, usize::try_from(high.saturating_sub(low)).unwrap_or(0))
    }

    /// Strictest alignment of the primitives inside, in bytes.
    pub fn alignment(&self) -> usize {
        self.piece.alignment
    }

    /// The sequence of primitives in one element.
    pub fn signature(&self) -> &Signature {
        &self.piece.signature
    }

    /// The layout of one element, as its constructor composed it.
    pub fn layout(&self) -> &Placed {
        &self.piece.layout
    }

    /// The program of one element, compiled when it is committed or first used.
    #[inline]
    pub fn program(&self) -> &Program {
        self.program.get_or_init(|| {
            let Piece { layout, bounds, .. } = &self.piece;
            // Composing it again is refused at most where the layout was already at a limit;
            // the program as composed moves the same bytes.
            Program::canonical(layout, bounds.extent())
                .unwrap_or_else(|_| Program::new(layout.clone(), bounds.extent()))
        })
    }

    /// How one element is moved as a whole, if it is committed, not one block, and fits a packet.
    #[inline(always)]
    pub fn whole(&self) -> Option<&Whole> {
        self.whole.get()?.as_ref()
    }

    /// A machine at the start of `count` elements at `base`.
    ///
    /// # Safety
    /// As for [`Machine::new`], for every byte that the type map reaches from `base`.
    #[inline]
    pub unsafe fn machine(&self, count: usize, base: *mut u8) -> Machine {
        // SAFETY: the caller vouches for what the program reaches, which is the type map.
        unsafe { Machine::new(self.program().times(count), base) }
    }

    /// The primitive behind a predefined type (named, or a Fortran kind).
    #[inline]
    pub fn primitive(&self) -> Option<Primitive> {
        match &self.recipe {
            Recipe::Named(named) => Some(named.primitive),
            Recipe::Fortran { primitive, .. } => Some(*primitive),
            _ => None,
        }
    }

    /// The only primitive a type is made of, however it is laid out.
    pub fn uniform_primitive(&self) -> Option<Primitive> {
        self.piece.signature.uniform()
    }

    /// The MPI name of a named predefined type.
    pub fn name(&self) -> Option<&'static str> {
        match &self.recipe {
            Recipe::Named(named) => Some(named.name),
            _ => None,
        }
    }

    /// Whether it is predefined, so that it must not be freed.
    pub fn is_predefined(&self) -> bool {
        matches!(self.recipe, Recipe::Named(_) | Recipe::Fortran { .. })
    }

    /// Whether it may be used in communication.
    #[inline]
    pub fn is_committed(&self) -> bool {
        self.committed.get()
    }

    /// `MPI_Type_commit`: compiles the program.
    pub fn commit(&self) {
        let program = self.program();
        self.whole.get_or_init(|| Whole::of(program));
        self.committed.set(true);
    }
}

impl Drop for Datatype {
    /// Lets go of the types this one was made from without recursion: a chain
    /// of a million duplicates must not exhaust the stack.
    fn drop(&mut self) {
        let mut pending = std::mem::replace(&mut self.recipe, Recipe::Released).into_datatypes();
        while let Some(datatype) = pending.pop() {
            if let Some(mut last) = Rc::into_inner(datatype) {
                let recipe = std::mem::replace(&mut last.recipe, Recipe::Released);
                pending.extend(recipe.into_datatypes());
            }
        }
    }
}
