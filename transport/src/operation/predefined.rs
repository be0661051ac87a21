//! The predefined operations, and on which types each is defined.
//!
//! The standard's table (MPI-5.0 section 6.9.2) gives allowed pairs of an
//! operation and a *group* of types:
//!
//! ```text
//!                     C int  Fortran int  float  logical  complex  byte  multi-language  pair
//! MAX  MIN              x         x         x                                  x
//! SUM  PROD             x         x         x                x                 x
//! LAND LOR  LXOR        x                           x                              (x)
//! BAND BOR  BXOR        x         x                                  x         x
//! MINLOC MAXLOC                                                                             x
//! REPLACE NO_OP         every predefined type, in one-sided calls only (section 12.3.4)
//! ```
//!
//! `(x)` is not in that table, but other libraries compute it, and programs rely on it. So it is
//! with C's `char`, for the standard a character without operations: here it is a C integer.
//!
//! A [`Primitive`] does not know the language of its name: a Fortran `INTEGER`
//! and a C `int` are both `Int32`. Code that has the name at hand refuses
//! `MPI_LAND` on `MPI_INTEGER`; [`Operation::check`] is the most that can be said of a primitive.

use super::primitive::Primitive;

/// A predefined operation (MPI-5.0 sections 6.9.2, 6.9.4 and 12.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// `MPI_MAX`: `a > b ? a : b`, where `a` is the incoming element.
    Max,
    /// `MPI_MIN`: `a < b ? a : b`, where `a` is the incoming element.
    Min,
    /// `MPI_SUM`; integers wrap around.
    Sum,
    /// `MPI_PROD`; integers wrap around.
    Prod,
    /// `MPI_LAND`: 1 where both are nonzero, else 0.
    LogicalAnd,
    /// `MPI_BAND`.
    BitAnd,
    /// `MPI_LOR`: 1 where one is nonzero, else 0.
    LogicalOr,
    /// `MPI_BOR`.
    BitOr,
    /// `MPI_LXOR`: 1 where exactly one is nonzero, else 0.
    LogicalXor,
    /// `MPI_BXOR`.
    BitXor,
    /// `MPI_MINLOC`: the least value and the least index it stands at.
    MinLocation,
    /// `MPI_MAXLOC`: the greatest value and the least index it stands at.
    MaxLocation,
    /// `MPI_REPLACE`: the incoming element. One-sided calls only.
    Replace,
    /// `MPI_NO_OP`: the element that was there. One-sided calls only.
    NoOperation,
}

/// A group of types that the standard allows operations on as a whole (MPI-5.0 section 6.9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeGroup {
    /// `MPI_INT`, `MPI_CHAR`, `MPI_UNSIGNED_CHAR`, `MPI_INT8_T` and so on.
    CInteger,
    /// `MPI_INTEGER`, `MPI_INTEGER1` to `MPI_INTEGER16`.
    FortranInteger,
    /// `MPI_FLOAT`, `MPI_REAL8`, `MPI_LONG_DOUBLE` and so on.
    FloatingPoint,
    /// `MPI_LOGICAL` and its sized forms, `MPI_C_BOOL`, `MPI_CXX_BOOL`.
    Logical,
    /// `MPI_COMPLEX`, `MPI_C_DOUBLE_COMPLEX` and so on.
    Complex,
    /// `MPI_BYTE`.
    Byte,
    /// `MPI_AINT`, `MPI_OFFSET`, `MPI_COUNT`.
    MultiLanguage,
    /// The value and index pairs of section 6.9.4.
    Pair,
    /// Fortran's and wide characters, and packed data: no reduction is defined on them.
    Unreducible,
}

impl TypeGroup {
    /// The group of a primitive; integers count as C integers, on which the most is defined.
    pub const fn of(primitive: Primitive) -> Self {
        use Primitive::*;
        match primitive {
            Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Long
            | UnsignedLong | Int128 => Self::CInteger,
            Float16 | Float32 | Float64 | LongDouble | Float128 => Self::FloatingPoint,
            Complex16 | Complex32 | Complex64 | ComplexLongDouble | Complex128 => Self::Complex,
            Bool | Logical8 | Logical16 | Logical32 | Logical64 | Logical128 => Self::Logical,
            Byte => Self::Byte,
            FloatInt | DoubleInt | LongInt | TwoInt | ShortInt | LongDoubleInt | TwoReal
            | TwoDoublePrecision => Self::Pair,
            Character | WideCharacter | Packed => Self::Unreducible,
        }
    }
}

/// Why elements could not be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The standard does not define the operation on the type (`MPI_ERR_OP`).
    #[error(
        "{} is not defined on {primitive:?}: see the table in MPI-5.0 section 6.9.2, or make an operation with MPI_Op_create",
        .operation.name()
    )]
    Undefined {
        /// What was to be done.
        operation: Operation,
        /// On what.
        primitive: Primitive,
    },
    /// A buffer holds fewer elements than were to be combined (`MPI_ERR_BUFFER`).
    #[error(
        "{needed_bytes} bytes are to be combined where a buffer has {available_bytes}: pass the whole buffer, or a smaller count"
    )]
    Short {
        /// Bytes that the elements take.
        needed_bytes: usize,
        /// Bytes of the shorter buffer.
        available_bytes: usize,
    },
}

impl Operation {
    /// Every predefined operation.
    pub const ALL: [Self; 14] = [
        Self::Max,
        Self::Min,
        Self::Sum,
        Self::Prod,
        Self::LogicalAnd,
        Self::BitAnd,
        Self::LogicalOr,
        Self::BitOr,
        Self::LogicalXor,
        Self::BitXor,
        Self::MinLocation,
        Self::MaxLocation,
        Self::Replace,
        Self::NoOperation,
    ];

    /// The standard's name of the operation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Max => "MPI_MAX",
            Self::Min => "MPI_MIN",
            Self::Sum => "MPI_SUM",
            Self::Prod => "MPI_PROD",
            Self::LogicalAnd => "MPI_LAND",
            Self::BitAnd => "MPI_BAND",
            Self::LogicalOr => "MPI_LOR",
            Self::BitOr => "MPI_BOR",
            Self::LogicalXor => "MPI_LXOR",
            Self::BitXor => "MPI_BXOR",
            Self::MinLocation => "MPI_MINLOC",
            Self::MaxLocation => "MPI_MAXLOC",
            Self::Replace => "MPI_REPLACE",
            Self::NoOperation => "MPI_NO_OP",
        }
    }

    /// Whether the order of the operands does not matter (`MPI_Op_commutative`).
    /// True but for `MPI_REPLACE` and `MPI_NO_OP`, which choose by position.
    pub const fn is_commutative(self) -> bool {
        !self.is_one_sided_only()
    }

    /// Whether the operation may appear in one-sided calls only; reductions refuse it.
    pub const fn is_one_sided_only(self) -> bool {
        matches!(self, Self::Replace | Self::NoOperation)
    }

    /// Whether this operation is defined on a group of types: the table above.
    pub const fn is_defined_on_group(self, group: TypeGroup) -> bool {
        use TypeGroup::*;
        match self {
            Self::Max | Self::Min => {
                matches!(
                    group,
                    CInteger | FortranInteger | FloatingPoint | MultiLanguage
                )
            }
            Self::Sum | Self::Prod => matches!(
                group,
                CInteger | FortranInteger | FloatingPoint | Complex | MultiLanguage
            ),
            Self::LogicalAnd | Self::LogicalOr | Self::LogicalXor => {
                matches!(group, CInteger | Logical | MultiLanguage)
            }
            Self::BitAnd | Self::BitOr | Self::BitXor => {
                matches!(group, CInteger | FortranInteger | Byte | MultiLanguage)
            }
            Self::MinLocation | Self::MaxLocation => matches!(group, Pair),
            Self::Replace | Self::NoOperation => true,
        }
    }

    /// Whether [`combine`](super::combine) will accept this operation on this primitive.
    ///
    /// # Errors
    ///
    /// [`OperationError::Undefined`] where the standard's table has no entry.
    pub const fn check(self, primitive: Primitive) -> Result<(), OperationError> {
        let operation = self;
        if !self.is_defined_on_group(TypeGroup::of(primitive)) {
            return Err(OperationError::Undefined {
                operation,
                primitive,
            });
        }
        Ok(())
    }
}

/// Distance in bytes between consecutive elements of a primitive in memory,
/// padding included: the spacing [`combine`](super::combine) walks its buffers with.
pub const fn extent_bytes(primitive: Primitive) -> usize {
    use Primitive::*;
    match primitive {
        Int8 | UInt8 | Bool | Logical8 | Character | Byte | Packed => 1,
        Int16 | UInt16 | Float16 | Logical16 => 2,
        Int32 | UInt32 | Float32 | Complex16 | Logical32 | WideCharacter => 4,
        Int64 | UInt64 | Long | UnsignedLong | Float64 | Complex32 | Logical64 => 8,
        FloatInt | TwoInt | ShortInt | TwoReal => 8,
        LongDouble | Float128 | Complex64 | Logical128 | Int128 => 16,
        DoubleInt | LongInt | TwoDoublePrecision => 16,
        ComplexLongDouble | Complex128 | LongDoubleInt => 32,
    }
}
