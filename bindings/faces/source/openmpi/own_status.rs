//! Open MPI's status.
//!
//! ```text
//! byte  0            4         8           12           16       24
//!       | MPI_SOURCE | MPI_TAG | MPI_ERROR | _cancelled | _ucount |
//! ```
//!
//! Step before: `status`. Step after: the program's memory. Invariant: 24 bytes, as Open MPI's header has them.

use std::ffi::c_int;

use crate::status::Parts;

/// `MPI_STATUS_IGNORE`.
pub const IGNORE: usize = 0;

/// `MPI_Status`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Own {
    source: c_int,
    tag: c_int,
    error: c_int,
    cancelled: c_int,
    bytes: usize,
}

const _: () = assert!(size_of::<Own>() == 24);

impl Own {
    /// Writes all but the error.
    #[inline(always)]
    pub fn set(&mut self, parts: Parts) {
        self.source = parts.source;
        self.tag = parts.tag;
        self.cancelled = parts.is_cancelled.into();
        self.bytes = parts.bytes as usize;
    }

    /// Writes the error.
    #[inline(always)]
    pub fn set_error(&mut self, error: c_int) {
        self.error = error;
    }

    /// What it says.
    pub fn parts(&self) -> Parts {
        Parts {
            source: self.source,
            tag: self.tag,
            error: self.error,
            bytes: self.bytes as i64,
            is_cancelled: self.cancelled != 0,
        }
    }
}
