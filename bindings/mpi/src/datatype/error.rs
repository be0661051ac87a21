//! What can be wrong with the arguments of a datatype constructor.
//!
//! Step before: a constructor of `super::Datatype` refuses its arguments.
//! Step after: the C layer turns [`DatatypeError::class`] into the standard's
//! error class; no MPI constant is known here.

use pamir_transport::gather_scatter::ProgramError;
use thiserror::Error;

/// The standard's error class that a refusal belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorClass {
    /// `MPI_ERR_COUNT`.
    Count,
    /// `MPI_ERR_ARG`.
    Argument,
    /// `MPI_ERR_TYPE`.
    Type,
    /// `MPI_ERR_DIMS`.
    Dimensions,
    /// `MPI_ERR_CONVERSION`.
    Conversion,
}

/// Why a datatype could not be made, read or decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DatatypeError {
    /// A count or block length is below zero.
    #[error("{what} is {value}; pass a value of at least 0")]
    NegativeCount {
        /// Which argument.
        what: &'static str,
        /// What was passed.
        value: i64,
    },
    /// An argument lies outside of what the constructor allows.
    #[error("{what} is {value}; it must lie in {least} to {most}")]
    OutOfRange {
        /// Which argument.
        what: &'static str,
        /// What was passed.
        value: i64,
        /// The least allowed value.
        least: i64,
        /// The greatest allowed value.
        most: i64,
    },
    /// Two arrays that belong together differ in length.
    #[error("{what} has {found} entries; pass {expected}, one for each block or dimension")]
    LengthMismatch {
        /// Which array.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// The number of dimensions is not positive.
    #[error("an array type has {found} dimensions; pass at least 1")]
    NoDimensions {
        /// What was passed.
        found: i64,
    },
    /// The process grid does not hold as many processes as the caller says.
    #[error("the process grid has {grid} places for {processes} processes; make them equal")]
    GridMismatch {
        /// Product of the grid's dimensions.
        grid: i64,
        /// The size that was passed.
        processes: i64,
    },
    /// A block distribution whose blocks do not cover the dimension.
    #[error(
        "dimension {dimension}: {processes} blocks of {block} do not cover {size} elements; \
         pass a larger block or the default"
    )]
    BlocksTooSmall {
        /// Which dimension.
        dimension: usize,
        /// Processes along it.
        processes: i64,
        /// Elements in one block.
        block: i64,
        /// Elements along the dimension.
        size: i64,
    },
    /// A size, extent or displacement does not fit in 63 bits.
    #[error("{what} does not fit in 63 bits; describe less memory with one datatype")]
    TooLarge {
        /// Which quantity.
        what: &'static str,
    },
    /// Datatypes nested in datatypes beyond the limit.
    #[error("{levels} levels of irregular nesting; stay within {limit}")]
    TooDeep {
        /// What the new type would have.
        levels: usize,
        /// The most allowed.
        limit: usize,
    },
    /// No Fortran kind has the precision or range asked for.
    #[error(
        "no {kind} kind has precision {precision:?} and range {range:?}; ask for less, \
         and for at least one of them"
    )]
    NoSuchKind {
        /// `integer`, `real` or `complex`.
        kind: &'static str,
        /// Decimal digits, where given.
        precision: Option<i64>,
        /// Decimal exponent range, where given.
        range: Option<i64>,
    },
    /// A buffer is shorter than the packed data.
    #[error("the packed buffer has {found} bytes; {needed} are needed")]
    BufferTooSmall {
        /// Bytes that are needed.
        needed: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// A value that external32 has no room for.
    #[error(
        "{value} does not fit in the {bytes} bytes that external32 has for its type; \
         use a type of fixed size, such as MPI_INT64_T"
    )]
    NotRepresentable {
        /// The value.
        value: i128,
        /// Bytes that it would have.
        bytes: usize,
    },
}

impl From<ProgramError> for DatatypeError {
    fn from(error: ProgramError) -> Self {
        match error {
            ProgramError::TooDeep { levels, limit } => Self::TooDeep { levels, limit },
            ProgramError::TooLarge { what } => Self::TooLarge { what },
            _ => Self::TooLarge {
                what: "the program",
            },
        }
    }
}

impl DatatypeError {
    /// The error class of the standard.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::NegativeCount { .. } => ErrorClass::Count,
            Self::NoDimensions { .. } => ErrorClass::Dimensions,
            Self::NotRepresentable { .. } => ErrorClass::Conversion,
            Self::TooLarge { .. } | Self::TooDeep { .. } => ErrorClass::Type,
            _ => ErrorClass::Argument,
        }
    }
}

/// Refuses a negative count.
pub(super) fn count(what: &'static str, value: i64) -> Result<usize, DatatypeError> {
    usize::try_from(value).map_err(|_| DatatypeError::NegativeCount { what, value })
}

/// Refuses a value outside of `least..=most`.
pub(super) fn within(
    what: &'static str,
    value: i64,
    least: i64,
    most: i64,
) -> Result<(), DatatypeError> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(DatatypeError::OutOfRange {
            what,
            value,
            least,
            most,
        })
    }
}

/// Refuses arrays of unequal length.
pub(super) fn same_length(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), DatatypeError> {
    if expected == found {
        Ok(())
    } else {
        Err(DatatypeError::LengthMismatch {
            what,
            expected,
            found,
        })
    }
}

/// `a * b`, refused where it overflows.
pub(super) fn product(what: &'static str, a: i64, b: i64) -> Result<i64, DatatypeError> {
    a.checked_mul(b).ok_or(DatatypeError::TooLarge { what })
}

/// `a + b`, refused where it overflows.
pub(super) fn sum(what: &'static str, a: i64, b: i64) -> Result<i64, DatatypeError> {
    a.checked_add(b).ok_or(DatatypeError::TooLarge { what })
}

/// An unsigned quantity as a signed one, refused above 63 bits.
pub(super) fn signed(what: &'static str, value: usize) -> Result<i64, DatatypeError> {
    i64::try_from(value).map_err(|_| DatatypeError::TooLarge { what })
}
