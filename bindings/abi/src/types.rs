//! The types of the standard ABI: handles, the status, callbacks.
//!
//! In C a handle is a pointer to an incomplete struct. Its value is never
//! followed: predefined handles are below 0x1000, those made while the program
//! runs are above it. In Rust it is a transparent `usize`, which is passed the
//! same way. Handle and callback types are generated from `table/constants.txt`.

// The names are C's.
#![allow(non_camel_case_types, non_snake_case)]

use std::ffi::{c_int, c_uint, c_void};

/// An address or a difference of addresses, in bytes.
pub type MPI_Aint = isize;
/// An offset in a file, in bytes or elementary types.
pub type MPI_Offset = i64;
/// A count that holds every `MPI_Aint` and `MPI_Offset`.
pub type MPI_Count = i64;
/// Fortran's `INTEGER`.
pub type MPI_Fint = c_int;

/// What is known of a received message or a completed operation.
///
/// ```text
/// byte  0           4        8          12                 20         24        32
///       | MPI_SOURCE | MPI_TAG | MPI_ERROR | bytes, low + high | cancelled | unused |
/// ```
///
/// The five internal integers are this library's: the standard only says that
/// there are five.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MPI_Status {
    /// The rank that sent the message.
    pub MPI_SOURCE: c_int,
    /// The message's tag.
    pub MPI_TAG: c_int,
    /// The operation's error code, where several operations complete in one call.
    pub MPI_ERROR: c_int,
    /// The message's length and whether it was cancelled.
    pub MPI_internal: [c_int; 5],
}

const _: () = assert!(size_of::<MPI_Status>() == 32 && align_of::<MPI_Status>() == 4);

/// The status of Fortran's `mpi_f08` module; the same bytes.
pub type MPI_F08_status = MPI_Status;

impl MPI_Status {
    /// A status without error; `bytes` is the length of the data received.
    pub const fn new(source: c_int, tag: c_int, bytes: i64) -> Self {
        let mut status = Self {
            MPI_SOURCE: source,
            MPI_TAG: tag,
            MPI_ERROR: 0,
            MPI_internal: [0; 5],
        };
        status.set_bytes(bytes);
        status
    }

    /// The empty status (MPI-5.0, section 3.7.3): any source, any tag, no data.
    pub const fn empty() -> Self {
        Self::new(
            crate::constants::MPI_ANY_SOURCE,
            crate::constants::MPI_ANY_TAG,
            0,
        )
    }

    /// The length of the data received, in bytes.
    pub const fn bytes(&self) -> i64 {
        let low = self.MPI_internal[0] as u32 as u64;
        let high = self.MPI_internal[1] as u32 as u64;
        (high << 32 | low) as i64
    }

    /// Records the length of the data received, in bytes.
    pub const fn set_bytes(&mut self, bytes: i64) {
        self.MPI_internal[0] = bytes as c_int;
        self.MPI_internal[1] = (bytes >> 32) as c_int;
    }

    /// Whether the operation was cancelled.
    pub const fn cancelled(&self) -> bool {
        self.MPI_internal[2] != 0
    }

    /// Records whether the operation was cancelled.
    pub const fn set_cancelled(&mut self, cancelled: bool) {
        self.MPI_internal[2] = cancelled as c_int;
    }
}

include!(concat!(env!("OUT_DIR"), "/types.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_keeps_lengths_beyond_32_bits() {
        for bytes in [0, 1, 0x8000_0000, 0x1_2345_6789_abcd, i64::MAX] {
            let mut status = MPI_Status::new(3, 7, bytes);
            assert_eq!(status.bytes(), bytes);
            status.set_cancelled(true);
            assert!(status.cancelled() && status.bytes() == bytes);
        }
    }
}
