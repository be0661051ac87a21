//! The elements of a buffer: whether they follow each other, and how many bytes of data they have.
//!
//! Before: a type and a count of a call. After: [`super::buffer`] and [`super::lists`] know the bytes, and
//! [`super::reducing`] what is combined.
//!
//! | two types of a reduction | operands |
//! |---|---|
//! | the same elements in both | these |
//! | the result is bytes, or a type of which nobody has said more | those of the type that is sent |
//! | other elements in both | refused |

use std::ffi::c_void;
use std::sync::Arc;

use crate::layout::element::Element;
use crate::layout::reducer::{Reducer, are_alike};
use crate::layout::{Layout, layout_of};
use crate::refusal::Refusal;
use crate::structures::variables::{PAMI_TYPE_BYTE, element_bytes};
use crate::structures::{DataFunction, Type};

/// What elements of a type are like in memory.
pub enum Elements {
    /// Each follows the one before; so many bytes each.
    Together(usize),
    /// They leave gaps.
    Apart(Arc<Layout>),
}

impl Elements {
    /// Those of a type.
    ///
    /// # Errors
    ///
    /// A type that is none, or is not complete.
    pub fn of(type_: Type) -> Result<Self, Refusal> {
        if let Some(bytes) = element_bytes(type_) {
            return Ok(Self::Together(bytes));
        }
        let layout = layout_of(type_, "the type of a buffer")?;
        match layout.program.contiguous() {
            Some((0, bytes)) if layout.program.extent() == bytes as i64 => {
                Ok(Self::Together(bytes))
            }
            _ => Ok(Self::Apart(layout)),
        }
    }

    /// Bytes of data of `count` elements.
    pub fn times(&self, count: usize) -> Result<usize, Refusal> {
        let bytes = match self {
            Self::Together(bytes) => *bytes,
            Self::Apart(layout) => layout.program.bytes(),
        };
        bytes.checked_mul(count).ok_or(Refusal::Count)
    }
}

/// Bytes of data of `count` elements of a type.
///
/// # Errors
///
/// As for [`Elements::of`] and [`Elements::times`].
pub fn bytes_of(type_: Type, count: usize) -> Result<usize, Refusal> {
    Elements::of(type_)?.times(count)
}

/// What a reduction combines.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    element: Element,
    /// What functions of the program's take a multiple of, in bytes.
    atom_bytes: usize,
}

impl Operands {
    /// Elements of a type.
    ///
    /// # Errors
    ///
    /// As for [`Elements::of`].
    pub fn of(type_: Type) -> Result<Self, Refusal> {
        let layout = layout_of(type_, "the type of a reduction")?;
        Ok(Self {
            element: layout.element,
            atom_bytes: layout.atom_bytes,
        })
    }

    /// Elements that are sent as one type, and whose result is of another one.
    ///
    /// # Errors
    ///
    /// Types that do not agree.
    pub fn between(sent: Type, result: Type) -> Result<Self, Refusal> {
        let (sent, result) = (Self::of(sent)?, Self::of(result)?);
        let agree = match (sent.element.type_(), result.element.type_()) {
            (Some(sent), Some(result)) => are_alike(sent, result),
            _ => true,
        };
        if agree || result.are_bytes() {
            return Ok(sent);
        }
        Err(Refusal::Operands)
    }

    /// Elements of a result that has the own data already; the type that would be sent is looked at where the result
    /// says of itself only that it is bytes.
    ///
    /// # Errors
    ///
    /// As for [`Self::of`].
    pub fn in_place(sent: Type, result: Type) -> Result<Self, Refusal> {
        let own = Self::of(result)?;
        if own.are_bytes() && element_bytes(sent).is_some() {
            return Self::of(sent);
        }
        Ok(own)
    }

    /// Whether nobody has said what the bytes are.
    fn are_bytes(self) -> bool {
        let type_ = self.element.type_();
        type_.is_none_or(|type_| type_ == PAMI_TYPE_BYTE.0)
    }

    /// What combines them; `commutative` is what the program says of a function of its own, which gets the cookie.
    ///
    /// # Errors
    ///
    /// As for [`Reducer::new`], and [`Refusal::MixedElements`].
    pub fn reducer(
        self,
        function: DataFunction,
        cookie: *mut c_void,
        commutative: bool,
    ) -> Result<Reducer, Refusal> {
        let Self {
            element,
            atom_bytes,
        } = self;
        Reducer::on(function, (element, atom_bytes), cookie, commutative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::variables::{
        PAMI_TYPE_DOUBLE, PAMI_TYPE_FLOAT, PAMI_TYPE_SIGNED_INT, PAMI_TYPE_SIGNED_LONG,
        PAMI_TYPE_SIGNED_LONG_LONG, PAMI_TYPE_UNSIGNED_INT,
    };

    #[test]
    fn what_is_sent_says_what_is_combined() {
        let (int, unsigned) = (PAMI_TYPE_SIGNED_INT.0, PAMI_TYPE_UNSIGNED_INT.0);
        let (double, float) = (PAMI_TYPE_DOUBLE.0, PAMI_TYPE_FLOAT.0);
        let byte = PAMI_TYPE_BYTE.0;
        let element = |between: Result<Operands, Refusal>| between.unwrap().element.type_();
        assert_eq!(element(Operands::between(int, byte)), Some(int));
        assert_eq!(element(Operands::between(double, double)), Some(double));
        assert_eq!(element(Operands::in_place(int, byte)), Some(int));
        assert_eq!(element(Operands::in_place(int, float)), Some(float));
        let (long, long_long) = (PAMI_TYPE_SIGNED_LONG.0, PAMI_TYPE_SIGNED_LONG_LONG.0);
        assert_eq!(element(Operands::between(long, long_long)), Some(long));
        for (sent, result) in [(byte, int), (int, float), (int, unsigned)] {
            let refused = Operands::between(sent, result);
            assert!(matches!(refused, Err(Refusal::Operands)));
        }
        assert!(Operands::between(std::ptr::null_mut(), byte).is_err());
    }
}
