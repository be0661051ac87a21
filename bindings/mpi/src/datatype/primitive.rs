//! The primitive element kinds that every predefined datatype is made of.
//!
//! A named MPI type (`MPI_INT`, `MPI_INT32_T`, `MPI_INTEGER4`) is a name for a
//! primitive; the operations (`crate::op`) and the external32 form are defined
//! on primitives, never on names. Sizes are those of the x86-64 System V ABI.

/// An elementary kind of data, with its size and alignment in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Primitive {
    /// Signed integer of 1 byte.
    Int8,
    /// Signed integer of 2 bytes.
    Int16,
    /// Signed integer of 4 bytes.
    Int32,
    /// Signed integer of 8 bytes.
    Int64,
    /// Unsigned integer of 1 byte.
    UInt8,
    /// Unsigned integer of 2 bytes.
    UInt16,
    /// Unsigned integer of 4 bytes.
    UInt32,
    /// Unsigned integer of 8 bytes.
    UInt64,
    /// IEEE 754 binary16, Fortran's `REAL*2`.
    Float16,
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary64.
    Float64,
    /// C's `long double`: x87 extended precision in 16 bytes.
    LongDouble,
    /// IEEE 754 binary128, Fortran's `REAL*16`: moved, not computed with.
    Float128,
    /// Two `Float16`: Fortran's `COMPLEX*4`.
    Complex16,
    /// Two `Float32`.
    Complex32,
    /// Two `Float64`.
    Complex64,
    /// Two `LongDouble`.
    ComplexLongDouble,
    /// Two `Float128`: Fortran's `COMPLEX*32`.
    Complex128,
    /// C's `_Bool`, C++'s `bool`: 1 byte.
    Bool,
    /// Fortran `LOGICAL` of 1 byte.
    Logical8,
    /// Fortran `LOGICAL` of 2 bytes.
    Logical16,
    /// Fortran `LOGICAL` of 4 bytes.
    Logical32,
    /// Fortran `LOGICAL` of 8 bytes.
    Logical64,
    /// Fortran `LOGICAL` of 16 bytes: moved, not computed with.
    Logical128,
    /// Integer of 16 bytes (`MPI_INTEGER16`): moved, not computed with.
    Int128,
    /// A printable character of 1 byte (`MPI_CHAR`, `MPI_CHARACTER`): no operation is defined on it.
    Character,
    /// C's `wchar_t`: 4 bytes.
    WideCharacter,
    /// Uninterpreted byte (`MPI_BYTE`): bitwise operations only.
    Byte,
    /// Packed data (`MPI_PACKED`).
    Packed,
    /// `struct { float; int }`.
    FloatInt,
    /// `struct { double; int }`.
    DoubleInt,
    /// `struct { long; int }`.
    LongInt,
    /// `struct { int; int }`, also Fortran's `2INTEGER`.
    TwoInt,
    /// `struct { short; int }`.
    ShortInt,
    /// `struct { long double; int }`.
    LongDoubleInt,
    /// Fortran's `2REAL`.
    TwoReal,
    /// Fortran's `2DOUBLE PRECISION`.
    TwoDoublePrecision,
}
