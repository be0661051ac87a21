//! Fortran's parametrised types (MPI-5.0 section 19.1.5): the smallest kind
//! with the decimal precision and range asked for, as gfortran's
//! `SELECTED_INT_KIND` and `SELECTED_REAL_KIND` choose it.
//!
//! Step before: the C layer has turned `MPI_UNDEFINED` into `None`, and keeps
//! what is returned, since equal arguments must give the same handle. Step
//! after: `super::decode` answers the arguments again.

use std::rc::Rc;

use super::Datatype;
use super::argument::Combiner;
use super::error::DatatypeError;
use super::piece::Piece;
use super::primitive::Primitive;
use super::recipe::Recipe;

/// Decimal range of each kind of integer.
const INTEGERS: [(i64, Primitive); 5] = [
    (2, Primitive::Int8),
    (4, Primitive::Int16),
    (9, Primitive::Int32),
    (18, Primitive::Int64),
    (38, Primitive::Int128),
];

/// Decimal precision and range of each kind of real, with its complex twin.
/// Kind 10 is x87's extended precision.
const REALS: [(i64, i64, Primitive, Primitive); 4] = [
    (6, 37, Primitive::Float32, Primitive::Complex32),
    (15, 307, Primitive::Float64, Primitive::Complex64),
    (
        18,
        4931,
        Primitive::LongDouble,
        Primitive::ComplexLongDouble,
    ),
    (33, 4931, Primitive::Float128, Primitive::Complex128),
];

impl Datatype {
    /// `MPI_Type_create_f90_integer`: at least `range` decimal digits.
    pub fn f90_integer(range: i64) -> Result<Rc<Self>, DatatypeError> {
        let kind = INTEGERS.iter().find(|&&(most, _)| range <= most);
        let &(_, primitive) = kind.ok_or(DatatypeError::NoSuchKind {
            kind: "integer",
            precision: None,
            range: Some(range),
        })?;
        Self::fortran(Combiner::F90Integer, vec![Some(range)], primitive)
    }

    /// `MPI_Type_create_f90_real`: `None` stands for `MPI_UNDEFINED`.
    pub fn f90_real(precision: Option<i64>, range: Option<i64>) -> Result<Rc<Self>, DatatypeError> {
        let (real, _) = kind("real", precision, range)?;
        Self::fortran(Combiner::F90Real, vec![precision, range], real)
    }

    /// `MPI_Type_create_f90_complex`: `None` stands for `MPI_UNDEFINED`.
    pub fn f90_complex(
        precision: Option<i64>,
        range: Option<i64>,
    ) -> Result<Rc<Self>, DatatypeError> {
        let (_, complex) = kind("complex", precision, range)?;
        Self::fortran(Combiner::F90Complex, vec![precision, range], complex)
    }

    fn fortran(
        combiner: Combiner,
        arguments: Vec<Option<i64>>,
        primitive: Primitive,
    ) -> Result<Rc<Self>, DatatypeError> {
        let recipe = Recipe::Fortran {
            combiner,
            arguments,
            primitive,
        };
        Self::from_parts(Piece::primitive(primitive), recipe, true)
    }
}

fn kind(
    kind: &'static str,
    precision: Option<i64>,
    range: Option<i64>,
) -> Result<(Primitive, Primitive), DatatypeError> {
    let asked = precision.is_some() || range.is_some();
    REALS
        .iter()
        .find(|&&(digits, exponents, ..)| {
            asked
                && precision.is_none_or(|wanted| wanted <= digits)
                && range.is_none_or(|wanted| wanted <= exponents)
        })
        .map(|&(_, _, real, complex)| (real, complex))
        .ok_or(DatatypeError::NoSuchKind {
            kind,
            precision,
            range,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Integer;

    #[test]
    fn kinds_follow_precision_and_range() {
        let integer = |range| Datatype::f90_integer(range).unwrap().primitive().unwrap();
        assert_eq!(integer(2), Primitive::Int8);
        assert_eq!(integer(3), Primitive::Int16);
        assert_eq!(integer(9), Primitive::Int32);
        assert_eq!(integer(10), Primitive::Int64);
        assert_eq!(integer(19), Primitive::Int128);
        assert!(Datatype::f90_integer(39).is_err());
        let real = |p, r| Datatype::f90_real(p, r).unwrap().primitive().unwrap();
        assert_eq!(real(Some(6), None), Primitive::Float32);
        assert_eq!(real(Some(6), Some(38)), Primitive::Float64);
        assert_eq!(real(None, Some(300)), Primitive::Float64);
        assert_eq!(real(Some(16), None), Primitive::LongDouble);
        assert_eq!(real(Some(30), Some(4000)), Primitive::Float128);
        assert!(Datatype::f90_real(None, None).is_err());
        let complex = Datatype::f90_complex(Some(15), None).unwrap();
        assert_eq!(
            (complex.size(), complex.combiner()),
            (16, Combiner::F90Complex)
        );
        assert_eq!(
            complex.contents().integers,
            [Integer::Number(15), Integer::Undefined]
        );
        assert!(complex.is_committed() && complex.is_predefined() && complex.name().is_none());
    }
}
