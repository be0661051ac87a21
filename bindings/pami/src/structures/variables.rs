//! The variables that the interface gives programs: handles of nothing, predefined types, data functions.
//!
//! Before: a program names one of them. After: [`element_bytes`] says how long an element of a type is,
//! [`numbered`] which operation a data function stands for.
//!
//! A predefined type's handle is a small number, where no object can lie. Data functions but
//! [`PAMI_DATA_COPY`] are such numbers too, and cannot be called: each stands for an operation on whatever
//! type the elements have, as those of IBM's library do.

use std::ffi::c_void;
use std::ptr::null_mut;

use pamir_transport::operation::Operation;

use crate::structures::Type;
use crate::structures::function::{DataCall, DataFunction};

/// A variable of the interface that nobody changes.
#[repr(transparent)]
pub struct Variable<T>(pub T);

// SAFETY: it is only read; what a pointer in it points to is used under rules of its own.
unsafe impl<T> Sync for Variable<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Variable<T> {}

/// No client.
#[unsafe(no_mangle)]
pub static PAMI_CLIENT_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No context.
#[unsafe(no_mangle)]
pub static PAMI_CONTEXT_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No type.
#[unsafe(no_mangle)]
pub static PAMI_TYPE_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No geometry.
#[unsafe(no_mangle)]
pub static PAMI_GEOMETRY_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No algorithm.
#[unsafe(no_mangle)]
pub static PAMI_ALGORITHM_NULL: Variable<usize> = Variable(usize::MAX);
/// No endpoint.
#[unsafe(no_mangle)]
pub static PAMI_ENDPOINT_NULL: Variable<u32> = Variable(u32::MAX);
/// All contexts of a task, where an offset is asked for.
#[unsafe(no_mangle)]
pub static PAMI_ALL_CONTEXTS: Variable<usize> = Variable(usize::MAX);

macro_rules! predefined {
    ($($(#[$documentation:meta])* $name:ident = $number:literal, $element:ty;)*) => {
        $(
            $(#[$documentation])*
            #[unsafe(no_mangle)]
            pub static $name: Variable<Type> = Variable(std::ptr::without_provenance_mut($number));
        )*

        /// Bytes of one element of a predefined type; `None` for any other handle.
        pub fn element_bytes(handle: Type) -> Option<usize> {
            match handle.addr() {
                $($number => Some(size_of::<$element>()),)*
                _ => None,
            }
        }
    };
}

predefined! {
    /// Bytes.
    PAMI_TYPE_BYTE = 1, u8;
    /// `signed char`.
    PAMI_TYPE_SIGNED_CHAR = 2, std::ffi::c_schar;
    /// `unsigned char`.
    PAMI_TYPE_UNSIGNED_CHAR = 3, std::ffi::c_uchar;
    /// `short`.
    PAMI_TYPE_SIGNED_SHORT = 4, std::ffi::c_short;
    /// `unsigned short`.
    PAMI_TYPE_UNSIGNED_SHORT = 5, std::ffi::c_ushort;
    /// `int`.
    PAMI_TYPE_SIGNED_INT = 6, std::ffi::c_int;
    /// `unsigned int`.
    PAMI_TYPE_UNSIGNED_INT = 7, std::ffi::c_uint;
    /// `long`.
    PAMI_TYPE_SIGNED_LONG = 8, std::ffi::c_long;
    /// `unsigned long`.
    PAMI_TYPE_UNSIGNED_LONG = 9, std::ffi::c_ulong;
    /// `long long`.
    PAMI_TYPE_SIGNED_LONG_LONG = 10, std::ffi::c_longlong;
    /// `unsigned long long`.
    PAMI_TYPE_UNSIGNED_LONG_LONG = 11, std::ffi::c_ulonglong;
    /// `float`.
    PAMI_TYPE_FLOAT = 12, f32;
    /// `double`.
    PAMI_TYPE_DOUBLE = 13, f64;
    /// `long double`.
    PAMI_TYPE_LONG_DOUBLE = 14, [u8; 16];
    /// A truth of 1 byte.
    PAMI_TYPE_LOGICAL1 = 15, u8;
    /// A truth of 2 bytes.
    PAMI_TYPE_LOGICAL2 = 16, u16;
    /// A truth of 4 bytes.
    PAMI_TYPE_LOGICAL4 = 17, u32;
    /// A truth of 8 bytes.
    PAMI_TYPE_LOGICAL8 = 18, u64;
    /// `float _Complex`.
    PAMI_TYPE_SINGLE_COMPLEX = 19, [f32; 2];
    /// `double _Complex`.
    PAMI_TYPE_DOUBLE_COMPLEX = 20, [f64; 2];
    /// `struct { int; int }`.
    PAMI_TYPE_LOC_2INT = 21, [i32; 2];
    /// `struct { float; float }`.
    PAMI_TYPE_LOC_2FLOAT = 22, [f32; 2];
    /// `struct { double; double }`.
    PAMI_TYPE_LOC_2DOUBLE = 23, [f64; 2];
    /// `struct { short; int }`.
    PAMI_TYPE_LOC_SHORT_INT = 24, [i32; 2];
    /// `struct { float; int }`.
    PAMI_TYPE_LOC_FLOAT_INT = 25, [i32; 2];
    /// `struct { double; int }`.
    PAMI_TYPE_LOC_DOUBLE_INT = 26, [f64; 2];
    /// `struct { long; int }`.
    PAMI_TYPE_LOC_LONG_INT = 27, [i64; 2];
    /// `struct { long double; int }`.
    PAMI_TYPE_LOC_LONGDOUBLE_INT = 28, [u8; 32];
}

/// Bytes of an element that read-modify-write can work on: one of the six integer types.
pub fn integer_bytes(handle: Type) -> Option<usize> {
    let integer = (PAMI_TYPE_SIGNED_INT.0.addr()..=PAMI_TYPE_UNSIGNED_LONG_LONG.0.addr())
        .contains(&handle.addr());
    integer.then(|| element_bytes(handle)).flatten()
}

/// Copies.
#[unsafe(no_mangle)]
pub static PAMI_DATA_COPY: Variable<DataFunction> = Variable(Some(DataCall::COPY));

/// Whether a data function copies: none was given, or the one that does.
pub fn copies(function: DataFunction) -> bool {
    function.is_none_or(|function| function.address() == DataCall::COPY.address())
}

macro_rules! data_functions {
    ($($(#[$documentation:meta])* $name:ident = $number:literal, $operation:ident;)*) => {
        $(
            $(#[$documentation])*
            #[unsafe(no_mangle)]
            pub static $name: Variable<usize> = Variable($number);
        )*

        /// The operation of a predefined data function, but for the copying one.
        pub fn numbered(function: usize) -> Option<Operation> {
            match function {
                $($number => Some(Operation::$operation),)*
                _ => None,
            }
        }
    };
}

data_functions! {
    /// Does nothing.
    PAMI_DATA_NOOP = 2, NoOperation;
    /// The greater element.
    PAMI_DATA_MAX = 3, Max;
    /// The lesser element.
    PAMI_DATA_MIN = 4, Min;
    /// The sum.
    PAMI_DATA_SUM = 5, Sum;
    /// The product.
    PAMI_DATA_PROD = 6, Prod;
    /// 1 where both are true.
    PAMI_DATA_LAND = 7, LogicalAnd;
    /// 1 where one is true.
    PAMI_DATA_LOR = 8, LogicalOr;
    /// 1 where exactly one is true.
    PAMI_DATA_LXOR = 9, LogicalXor;
    /// Bits of both.
    PAMI_DATA_BAND = 10, BitAnd;
    /// Bits of either.
    PAMI_DATA_BOR = 11, BitOr;
    /// Bits of exactly one.
    PAMI_DATA_BXOR = 12, BitXor;
    /// The greater value and the least index it stands at.
    PAMI_DATA_MAXLOC = 13, MaxLocation;
    /// The lesser value and the least index it stands at.
    PAMI_DATA_MINLOC = 14, MinLocation;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_are_modified() {
        assert_eq!(element_bytes(PAMI_TYPE_BYTE.0), Some(1));
        assert_eq!(integer_bytes(PAMI_TYPE_BYTE.0), None);
        assert_eq!(integer_bytes(PAMI_TYPE_UNSIGNED_INT.0), Some(4));
        assert_eq!(integer_bytes(PAMI_TYPE_SIGNED_LONG_LONG.0), Some(8));
        assert_eq!(element_bytes(std::ptr::null_mut()), None);
        assert!(copies(None) && copies(PAMI_DATA_COPY.0));
    }
}
