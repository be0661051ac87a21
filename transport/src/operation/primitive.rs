//! The primitive element kinds that every predefined datatype is made of.
//!
//! A named MPI type (`MPI_INT`, `MPI_INT32_T`, `MPI_INTEGER4`) is a name for a
//! primitive, and so is PAMI's (`PAMI_TYPE_SIGNED_INT`); the operations ([`super`]) and the
//! external32 form are defined on primitives, never on names: two names with different external32
//! forms have different primitives. Sizes are those of the x86-64 System V ABI.

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
    /// C's `long`: 8 bytes in memory, 4 in external32.
    Long,
    /// C's `unsigned long`: 8 bytes in memory, 4 in external32.
    UnsignedLong,
    /// IEEE 754 binary16, Fortran's `REAL*2`.
    Float16,
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary64.
    Float64,
    /// C's `long double`: x87 extended precision in 16 bytes.
    LongDouble,
    /// IEEE 754 binary128, Fortran's `REAL*16`.
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
    /// Fortran `LOGICAL` of 16 bytes.
    Logical128,
    /// Integer of 16 bytes (`MPI_INTEGER16`).
    Int128,
    /// Fortran's `CHARACTER` of 1 byte: no operation is defined on it.
    Character,
    /// C's `wchar_t`: 4 bytes in memory, 2 in external32.
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

impl Primitive {
    /// All there are, each at its number.
    pub const ALL: [Self; 39] = {
        use Primitive::*;
        [
            Int8,
            Int16,
            Int32,
            Int64,
            UInt8,
            UInt16,
            UInt32,
            UInt64,
            Long,
            UnsignedLong,
            Float16,
            Float32,
            Float64,
            LongDouble,
            Float128,
            Complex16,
            Complex32,
            Complex64,
            ComplexLongDouble,
            Complex128,
            Bool,
            Logical8,
            Logical16,
            Logical32,
            Logical64,
            Logical128,
            Int128,
            Character,
            WideCharacter,
            Byte,
            Packed,
            FloatInt,
            DoubleInt,
            LongInt,
            TwoInt,
            ShortInt,
            LongDoubleInt,
            TwoReal,
            TwoDoublePrecision,
        ]
    };

    /// Bytes of one element in memory that carry data. Pairs count without
    /// their padding: `MPI_SHORT_INT` is 6.
    pub const fn bytes(self) -> usize {
        use Primitive::*;
        match self {
            Int8 | UInt8 | Bool | Logical8 | Character | Byte | Packed => 1,
            Int16 | UInt16 | Float16 | Logical16 => 2,
            Int32 | UInt32 | Float32 | Logical32 | WideCharacter | Complex16 => 4,
            Int64 | UInt64 | Long | UnsignedLong | Float64 | Logical64 | Complex32 => 8,
            LongDouble | Float128 | Logical128 | Int128 | Complex64 => 16,
            ComplexLongDouble | Complex128 => 32,
            ShortInt => 6,
            FloatInt | TwoInt | TwoReal => 8,
            DoubleInt | LongInt => 12,
            TwoDoublePrecision => 16,
            LongDoubleInt => 20,
        }
    }

    /// Alignment in bytes that the C compiler gives the type, from which the
    /// padding at the end of a structure follows.
    pub const fn alignment(self) -> usize {
        use Primitive::*;
        match self {
            Int8 | UInt8 | Bool | Logical8 | Character | Byte | Packed => 1,
            Int16 | UInt16 | Float16 | Logical16 | Complex16 => 2,
            Int32 | UInt32 | Float32 | Logical32 | WideCharacter | Complex32 | FloatInt
            | TwoInt | TwoReal | ShortInt => 4,
            Int64 | UInt64 | Long | UnsignedLong | Float64 | Logical64 | Complex64 | DoubleInt
            | LongInt | TwoDoublePrecision => 8,
            LongDouble | Float128 | Logical128 | Int128 | ComplexLongDouble | Complex128
            | LongDoubleInt => 16,
        }
    }

    /// Distance in bytes between two neighbours in an array: the size with
    /// the padding of a pair.
    pub const fn extent(self) -> usize {
        use Primitive::*;
        match self {
            ShortInt => 8,
            DoubleInt | LongInt => 16,
            LongDoubleInt => 32,
            other => other.bytes(),
        }
    }

    /// The two members of a pair type, which `MPI_Get_elements` counts one by
    /// one; `None` for everything that is a single basic element. A complex
    /// number is one element.
    pub const fn pair(self) -> Option<(Primitive, Primitive)> {
        use Primitive::*;
        match self {
            FloatInt => Some((Float32, Int32)),
            DoubleInt => Some((Float64, Int32)),
            LongInt => Some((Long, Int32)),
            TwoInt => Some((Int32, Int32)),
            ShortInt => Some((Int16, Int32)),
            LongDoubleInt => Some((LongDouble, Int32)),
            TwoReal => Some((Float32, Float32)),
            TwoDoublePrecision => Some((Float64, Float64)),
            _ => None,
        }
    }

    /// Basic elements in one: 2 for a pair, 1 for everything else.
    pub const fn elements(self) -> usize {
        if self.pair().is_some() { 2 } else { 1 }
    }
}
