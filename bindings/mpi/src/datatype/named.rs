//! The predefined datatypes of MPI-5.0 (section 3.2.2 and annex A.1).
//!
//! A row gives the name and the primitive; size, extent and alignment follow
//! from the primitive. Handles are the C layer's business.
//!
//! Step before: the C layer makes one `super::Datatype` of each row when MPI
//! starts. Step after: everything derived is composed of them.

use super::primitive::Primitive;

/// A predefined datatype.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// The name that `MPI_Type_get_name` answers.
    pub name: &'static str,
    /// What one element is.
    pub primitive: Primitive,
}

const fn row(name: &'static str, primitive: Primitive) -> Named {
    Named { name, primitive }
}

/// All predefined datatypes but `MPI_DATATYPE_NULL`.
pub static NAMED: &[Named] = &[
    // C's `char` has a sign here. Others reduce it as such, though the standard has no such operation.
    row("MPI_CHAR", Primitive::Int8),
    row("MPI_SIGNED_CHAR", Primitive::Int8),
    row("MPI_UNSIGNED_CHAR", Primitive::UInt8),
    row("MPI_BYTE", Primitive::Byte),
    row("MPI_PACKED", Primitive::Packed),
    row("MPI_WCHAR", Primitive::WideCharacter),
    row("MPI_SHORT", Primitive::Int16),
    row("MPI_INT", Primitive::Int32),
    row("MPI_LONG", Primitive::Long),
    row("MPI_LONG_LONG_INT", Primitive::Int64),
    row("MPI_UNSIGNED_SHORT", Primitive::UInt16),
    row("MPI_UNSIGNED", Primitive::UInt32),
    row("MPI_UNSIGNED_LONG", Primitive::UnsignedLong),
    row("MPI_UNSIGNED_LONG_LONG", Primitive::UInt64),
    row("MPI_INT8_T", Primitive::Int8),
    row("MPI_INT16_T", Primitive::Int16),
    row("MPI_INT32_T", Primitive::Int32),
    row("MPI_INT64_T", Primitive::Int64),
    row("MPI_UINT8_T", Primitive::UInt8),
    row("MPI_UINT16_T", Primitive::UInt16),
    row("MPI_UINT32_T", Primitive::UInt32),
    row("MPI_UINT64_T", Primitive::UInt64),
    row("MPI_AINT", Primitive::Int64),
    row("MPI_COUNT", Primitive::Int64),
    row("MPI_OFFSET", Primitive::Int64),
    row("MPI_FLOAT", Primitive::Float32),
    row("MPI_DOUBLE", Primitive::Float64),
    row("MPI_LONG_DOUBLE", Primitive::LongDouble),
    row("MPI_C_BOOL", Primitive::Bool),
    row("MPI_CXX_BOOL", Primitive::Bool),
    row("MPI_C_COMPLEX", Primitive::Complex32),
    row("MPI_C_DOUBLE_COMPLEX", Primitive::Complex64),
    row("MPI_C_LONG_DOUBLE_COMPLEX", Primitive::ComplexLongDouble),
    row("MPI_CXX_FLOAT_COMPLEX", Primitive::Complex32),
    row("MPI_CXX_DOUBLE_COMPLEX", Primitive::Complex64),
    row("MPI_CXX_LONG_DOUBLE_COMPLEX", Primitive::ComplexLongDouble),
    row("MPI_CHARACTER", Primitive::Character),
    row("MPI_LOGICAL", Primitive::Logical32),
    row("MPI_INTEGER", Primitive::Int32),
    row("MPI_REAL", Primitive::Float32),
    row("MPI_DOUBLE_PRECISION", Primitive::Float64),
    row("MPI_COMPLEX", Primitive::Complex32),
    row("MPI_DOUBLE_COMPLEX", Primitive::Complex64),
    row("MPI_LOGICAL1", Primitive::Logical8),
    row("MPI_LOGICAL2", Primitive::Logical16),
    row("MPI_LOGICAL4", Primitive::Logical32),
    row("MPI_LOGICAL8", Primitive::Logical64),
    row("MPI_LOGICAL16", Primitive::Logical128),
    row("MPI_INTEGER1", Primitive::Int8),
    row("MPI_INTEGER2", Primitive::Int16),
    row("MPI_INTEGER4", Primitive::Int32),
    row("MPI_INTEGER8", Primitive::Int64),
    row("MPI_INTEGER16", Primitive::Int128),
    row("MPI_REAL2", Primitive::Float16),
    row("MPI_REAL4", Primitive::Float32),
    row("MPI_REAL8", Primitive::Float64),
    row("MPI_REAL16", Primitive::Float128),
    row("MPI_COMPLEX4", Primitive::Complex16),
    row("MPI_COMPLEX8", Primitive::Complex32),
    row("MPI_COMPLEX16", Primitive::Complex64),
    row("MPI_COMPLEX32", Primitive::Complex128),
    row("MPI_FLOAT_INT", Primitive::FloatInt),
    row("MPI_DOUBLE_INT", Primitive::DoubleInt),
    row("MPI_LONG_INT", Primitive::LongInt),
    row("MPI_2INT", Primitive::TwoInt),
    row("MPI_SHORT_INT", Primitive::ShortInt),
    row("MPI_LONG_DOUBLE_INT", Primitive::LongDoubleInt),
    row("MPI_2REAL", Primitive::TwoReal),
    row("MPI_2DOUBLE_PRECISION", Primitive::TwoDoublePrecision),
    row("MPI_2INTEGER", Primitive::TwoInt),
];

/// Second names of the same datatypes.
const SYNONYMS: &[(&str, &str)] = &[
    ("MPI_LONG_LONG", "MPI_LONG_LONG_INT"),
    ("MPI_C_FLOAT_COMPLEX", "MPI_C_COMPLEX"),
];

/// The row of an MPI name or of one of its synonyms.
pub fn find(name: &str) -> Option<&'static Named> {
    let name = SYNONYMS
        .iter()
        .find(|(other, _)| *other == name)
        .map_or(name, |&(_, first)| first);
    NAMED.iter().find(|named| named.name == name)
}

/// The classes of `MPI_Type_match_size` (MPI-5.0 section 19.1.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeClass {
    /// `MPI_TYPECLASS_INTEGER`.
    Integer,
    /// `MPI_TYPECLASS_REAL`.
    Real,
    /// `MPI_TYPECLASS_COMPLEX`.
    Complex,
}

/// The Fortran type of a class with `bytes` bytes.
pub fn match_size(class: TypeClass, bytes: i64) -> Option<&'static Named> {
    let name = match (class, bytes) {
        (TypeClass::Integer, 1) => "MPI_INTEGER1",
        (TypeClass::Integer, 2) => "MPI_INTEGER2",
        (TypeClass::Integer, 4) => "MPI_INTEGER4",
        (TypeClass::Integer, 8) => "MPI_INTEGER8",
        (TypeClass::Integer, 16) => "MPI_INTEGER16",
        (TypeClass::Real, 2) => "MPI_REAL2",
        (TypeClass::Real, 4) => "MPI_REAL4",
        (TypeClass::Real, 8) => "MPI_REAL8",
        (TypeClass::Real, 16) => "MPI_REAL16",
        (TypeClass::Complex, 4) => "MPI_COMPLEX4",
        (TypeClass::Complex, 8) => "MPI_COMPLEX8",
        (TypeClass::Complex, 16) => "MPI_COMPLEX16",
        (TypeClass::Complex, 32) => "MPI_COMPLEX32",
        _ => return None,
    };
    find(name)
}

/// The pair type of a value and an index (`MPI_Type_get_value_index`), by the
/// names of the two; `None` where the standard has no such pair.
pub fn value_index(value: &str, index: &str) -> Option<&'static Named> {
    find(match (value, index) {
        ("MPI_FLOAT", "MPI_INT") => "MPI_FLOAT_INT",
        ("MPI_DOUBLE", "MPI_INT") => "MPI_DOUBLE_INT",
        ("MPI_LONG", "MPI_INT") => "MPI_LONG_INT",
        ("MPI_INT", "MPI_INT") => "MPI_2INT",
        ("MPI_SHORT", "MPI_INT") => "MPI_SHORT_INT",
        ("MPI_LONG_DOUBLE", "MPI_INT") => "MPI_LONG_DOUBLE_INT",
        ("MPI_REAL", "MPI_REAL") => "MPI_2REAL",
        ("MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION") => "MPI_2DOUBLE_PRECISION",
        ("MPI_INTEGER", "MPI_INTEGER") => "MPI_2INTEGER",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Datatype;

    #[test]
    fn pairs_have_the_compilers_layout() {
        let expected = [
            ("MPI_SHORT_INT", 6, 8, false),
            ("MPI_LONG_INT", 12, 16, false),
            ("MPI_LONG_DOUBLE_INT", 20, 32, false),
            ("MPI_DOUBLE_INT", 12, 16, false),
            ("MPI_FLOAT_INT", 8, 8, true),
            ("MPI_2INT", 8, 8, true),
        ];
        for (name, size, extent, dense) in expected {
            let datatype = Datatype::named(find(name).unwrap());
            assert_eq!(
                (datatype.size(), datatype.extent()),
                (size, extent),
                "{name}"
            );
            assert_eq!(datatype.dense(), dense, "{name}");
        }
    }

    #[test]
    fn every_name_is_found_once_and_is_a_valid_type() {
        for named in NAMED {
            assert!(
                std::ptr::eq(find(named.name).unwrap(), named),
                "{} twice",
                named.name
            );
            let datatype = Datatype::named(named);
            assert_eq!(datatype.name(), Some(named.name));
            assert_eq!(datatype.size(), named.primitive.bytes());
            assert!(datatype.is_committed() && datatype.is_predefined());
            assert!(datatype.extent() >= datatype.size() as i64);
            assert_eq!(datatype.extent() % datatype.alignment() as i64, 0);
        }
    }

    #[test]
    fn sizes_match() {
        for class in [TypeClass::Integer, TypeClass::Real, TypeClass::Complex] {
            let mut found = 0;
            for bytes in 0..=64 {
                if let Some(named) = match_size(class, bytes) {
                    assert_eq!(named.primitive.bytes() as i64, bytes);
                    found += 1;
                }
            }
            assert!(found >= 4);
        }
    }
}
