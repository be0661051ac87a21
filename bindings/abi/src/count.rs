//! One handwritten function for `MPI_X` and its large-count twin `MPI_X_c`.
//!
//! The two differ in the C types of counts and displacements only. Functions in
//! [`crate::functions`] take them as a generic `C: Count` (or `*const C` for
//! arrays, `*mut C` for results) and compute with `i64`.
//!
//! A function whose displacements or extents change their type in another way
//! than its counts (`int` to `MPI_Aint`, `MPI_Aint` to `MPI_Count`) has a second
//! parameter, `D: Count`, for these.

use crate::constants::MPI_UNDEFINED;
use std::ffi::c_int;

/// A C integer type that counts, displacements or extents have in some function.
pub trait Count: Copy + Send + Sync + 'static {
    /// The value; every type widens without loss.
    fn to_i64(self) -> i64;

    /// The value in this type; `MPI_UNDEFINED` if it does not fit, as the
    /// standard asks of counts that are returned (MPI-5.0, section 3.2.5).
    fn from_i64(value: i64) -> Self;
}

impl Count for c_int {
    #[inline(always)]
    fn to_i64(self) -> i64 {
        self.into()
    }

    #[inline(always)]
    fn from_i64(value: i64) -> Self {
        Self::try_from(value).unwrap_or(MPI_UNDEFINED)
    }
}

/// `MPI_Count`.
impl Count for i64 {
    #[inline(always)]
    fn to_i64(self) -> i64 {
        self
    }

    #[inline(always)]
    fn from_i64(value: i64) -> Self {
        value
    }
}

/// `MPI_Aint`, as wide as `MPI_Count` on the machines that are supported.
impl Count for isize {
    #[inline(always)]
    fn to_i64(self) -> i64 {
        self as i64
    }

    #[inline(always)]
    fn from_i64(value: i64) -> Self {
        value as Self
    }
}

const _: () = assert!(size_of::<isize>() == size_of::<i64>());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_too_large_for_int_is_undefined() {
        assert_eq!(c_int::from_i64(i64::from(c_int::MAX)), c_int::MAX);
        assert_eq!(c_int::from_i64(i64::from(c_int::MAX) + 1), MPI_UNDEFINED);
        assert_eq!(i64::from_i64(1 << 40), 1 << 40);
        assert_eq!(isize::from_i64(-(1 << 40)).to_i64(), -(1 << 40));
    }
}
