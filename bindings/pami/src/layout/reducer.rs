//! Reductions: PAMI's data functions on its types, as the collective algorithms take them.
//!
//! Before: a collective operation names a type and a data function. After: the algorithms call
//! [`Reducer::combine`], which is the transport's loop over primitives for a predefined function,
//! and the program's own function otherwise.
//!
//! The predefined functions cannot be called: they are small numbers that stand for an operation on
//! whatever type the elements have, as those of IBM's library are. `PAMI_DATA_COPY` is a function
//! besides ([`crate::structures::variables`]).
//!
//! Operands: `target` belongs to the higher ranks and becomes the result, `source` to the lower
//! ones. So the copying function gives the data of the lowest rank, and the one that does nothing
//! that of the highest.

use std::ffi::c_void;

use pamir_transport::collective::Reduction;
use pamir_transport::operation::{Operation, Primitive, combine, extent_bytes};

use crate::layout::element::Element;
use crate::refusal::Refusal;
use crate::structures::function::DataCall;
use crate::structures::variables::{element_bytes, numbered};
use crate::structures::{DataFunction, Type};

/// What a predefined type's elements are.
fn primitive_of(type_: Type) -> Option<Primitive> {
    Some(match type_.addr() {
        // A byte counts, as the interface's text has it among the integers.
        1 | 3 => Primitive::UInt8,
        2 => Primitive::Int8,
        4 => Primitive::Int16,
        5 => Primitive::UInt16,
        6 => Primitive::Int32,
        7 => Primitive::UInt32,
        8 | 10 => Primitive::Int64,
        9 | 11 => Primitive::UInt64,
        12 => Primitive::Float32,
        13 => Primitive::Float64,
        14 => Primitive::LongDouble,
        15 => Primitive::Logical8,
        16 => Primitive::Logical16,
        17 => Primitive::Logical32,
        18 => Primitive::Logical64,
        19 => Primitive::Complex32,
        20 => Primitive::Complex64,
        21 => Primitive::TwoInt,
        22 => Primitive::TwoReal,
        23 => Primitive::TwoDoublePrecision,
        24 => Primitive::ShortInt,
        25 => Primitive::FloatInt,
        26 => Primitive::DoubleInt,
        27 => Primitive::LongInt,
        28 => Primitive::LongDoubleInt,
        _ => return None,
    })
}

/// Whether operations do the same with elements of two predefined types.
pub fn are_alike(one: Type, other: Type) -> bool {
    primitive_of(one) == primitive_of(other)
}

/// The operation of a data function as C has it, or nothing for the program's own.
fn operation_of(function: DataFunction) -> Option<Operation> {
    let address = function?.address();
    if address == DataCall::COPY.address() {
        Some(Operation::Replace)
    } else {
        numbered(address)
    }
}

/// Whether the operands of a data function may change places; of the program's own it has said.
pub fn is_commutative(function: DataFunction, said: bool) -> bool {
    operation_of(function).map_or(said, Operation::is_commutative)
}

/// A data function on elements of a type.
#[derive(Clone, Copy, Debug)]
pub struct Reducer {
    action: Action,
    element_bytes: usize,
    commutative: bool,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Predefined(Operation, Primitive),
    Own {
        function: DataCall,
        cookie: *mut c_void,
    },
}

impl Reducer {
    /// The data function `function` on elements of `type_`; `commutative` is what the program says
    /// of a function of its own, which gets the cookie.
    ///
    /// # Errors
    ///
    /// A type that is none, and a function that is none or cannot be used on it.
    pub fn new(
        function: DataFunction,
        type_: Type,
        cookie: *mut c_void,
        commutative: bool,
    ) -> Result<Self, Refusal> {
        let bytes = element_bytes(type_).ok_or(Refusal::ElementType)?;
        let element = Element::Each(type_.addr() as u8);
        Self::on(function, (element, bytes), cookie, commutative)
    }

    /// The same on what the data of a type is made of; a function of the program's gets a multiple of `atom_bytes`.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and [`Refusal::MixedElements`] for a predefined function where the elements are of no one
    /// predefined type.
    pub fn on(
        function: DataFunction,
        (element, atom_bytes): (Element, usize),
        cookie: *mut c_void,
        commutative: bool,
    ) -> Result<Self, Refusal> {
        let commutative = is_commutative(function, commutative);
        let mut element_bytes = atom_bytes;
        let action = match operation_of(function) {
            Some(operation) => {
                let type_ = element.type_().ok_or(Refusal::MixedElements)?;
                let primitive = primitive_of(type_).ok_or(Refusal::ElementType)?;
                element_bytes = extent_bytes(primitive);
                let reason = |error| Refusal::Operation { reason: error };
                operation.check(primitive).map_err(reason)?;
                Action::Predefined(operation, primitive)
            }
            None => {
                let argument = "op";
                let function = function.ok_or(Refusal::Null { argument })?;
                if function.is_number() {
                    let function = function.address();
                    return Err(Refusal::NoDataFunction { function });
                }
                Action::Own { function, cookie }
            }
        };
        Ok(Self {
            action,
            element_bytes,
            commutative,
        })
    }
}

impl Reduction for Reducer {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        match self.action {
            Action::Predefined(operation, primitive) => {
                let count = inout.len() / self.element_bytes;
                let combined = combine(operation, primitive, incoming, inout, count);
                debug_assert!(combined.is_ok(), "it was checked when the reducer was made");
            }
            Action::Own { function, cookie } => {
                function.combine(incoming, inout, cookie);
            }
        }
    }

    fn commutative(&self) -> bool {
        self.commutative
    }

    fn element_bytes(&self) -> usize {
        self.element_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::function::vouched::number;
    use crate::structures::variables::{
        PAMI_DATA_BAND, PAMI_DATA_COPY, PAMI_DATA_MAX, PAMI_DATA_SUM, PAMI_TYPE_BYTE,
        PAMI_TYPE_DOUBLE, PAMI_TYPE_LOC_SHORT_INT, PAMI_TYPE_SINGLE_COMPLEX,
    };

    fn reducer(function: DataFunction, type_: Type) -> Result<Reducer, Refusal> {
        Reducer::new(function, type_, std::ptr::null_mut(), false)
    }

    #[test]
    fn primitives_are_as_long_as_their_types() {
        for number in 0..64_usize {
            let handle = std::ptr::without_provenance_mut(number);
            let bytes = primitive_of(handle).map(extent_bytes);
            assert_eq!(bytes, element_bytes(handle), "type {number}");
        }
    }

    #[test]
    fn predefined_functions_combine_what_they_are_defined_on() {
        let sum = reducer(number(PAMI_DATA_SUM.0), PAMI_TYPE_DOUBLE.0).unwrap();
        let mut inout = 2.5_f64.to_ne_bytes();
        sum.combine(&1.25_f64.to_ne_bytes(), &mut inout);
        assert_eq!(f64::from_ne_bytes(inout), 3.75);
        assert!(sum.commutative());
        let copying = reducer(PAMI_DATA_COPY.0, PAMI_TYPE_BYTE.0).unwrap();
        let mut inout = [1];
        copying.combine(&[7], &mut inout);
        assert_eq!(inout, [7]);
        assert!(!copying.commutative());
        for (function, type_) in [
            (number(PAMI_DATA_BAND.0), PAMI_TYPE_DOUBLE.0),
            (number(PAMI_DATA_MAX.0), PAMI_TYPE_SINGLE_COMPLEX.0),
            (number(PAMI_DATA_SUM.0), PAMI_TYPE_LOC_SHORT_INT.0),
        ] {
            let refused = matches!(reducer(function, type_), Err(Refusal::Operation { .. }));
            assert!(refused, "{function:?}");
        }
        assert!(matches!(
            reducer(number(PAMI_DATA_SUM.0), std::ptr::null_mut()),
            Err(Refusal::ElementType)
        ));
        assert!(matches!(
            reducer(None, PAMI_TYPE_BYTE.0),
            Err(Refusal::Null { .. })
        ));
        for no_such in [1, 15, 4095] {
            let refused = reducer(number(no_such), PAMI_TYPE_BYTE.0);
            assert!(matches!(refused, Err(Refusal::NoDataFunction { .. })));
        }
    }
}
