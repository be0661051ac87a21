//! MPICH's status.
//!
//! ```text
//! byte  0             4                              8            12        16          20
//!       | bytes, low  | bytes, high << 1, cancelled  | MPI_SOURCE | MPI_TAG | MPI_ERROR |
//! ```
//!
//! Step before: `status`. Step after: the program's memory. Invariant: 20 bytes, as MPICH's header has them.

use std::ffi::c_int;

use crate::status::Parts;

/// `MPI_STATUS_IGNORE`.
pub const IGNORE: usize = 1;

/// `MPI_Status`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Own {
    low: c_int,
    high_and_cancelled: c_int,
    source: c_int,
    tag: c_int,
    error: c_int,
}

const _: () = assert!(size_of::<Own>() == 20);

impl Own {
    /// A status that says nothing.
    pub const NONE: Self = Self {
        low: 0,
        high_and_cancelled: 0,
        source: 0,
        tag: 0,
        error: 0,
    };

    /// Writes all but the error.
    #[inline(always)]
    pub fn set(&mut self, parts: Parts) {
        self.low = parts.bytes as c_int;
        self.high_and_cancelled =
            ((parts.bytes >> 32) as c_int) << 1 | c_int::from(parts.is_cancelled);
        self.source = parts.source;
        self.tag = parts.tag;
    }

    /// Writes the error.
    #[inline(always)]
    pub fn set_error(&mut self, error: c_int) {
        self.error = error;
    }

    /// What it says.
    pub fn parts(&self) -> Parts {
        let high = (self.high_and_cancelled as u32 >> 1) as i64;
        Parts {
            source: self.source,
            tag: self.tag,
            error: self.error,
            bytes: high << 32 | i64::from(self.low as u32),
            is_cancelled: self.high_and_cancelled & 1 != 0,
        }
    }
}
