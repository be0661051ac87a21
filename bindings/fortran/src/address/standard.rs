//! The standard ABI's sentinels: variables of one common block.
//!
//! ```text
//! COMMON /MPISENTINELS/, in bytes
//!  0 MPI_BOTTOM  4 MPI_IN_PLACE  8 MPI_BUFFER_AUTOMATIC  12 MPI_UNWEIGHTED  16 MPI_WEIGHTS_EMPTY
//! 20 MPI_ERRCODES_IGNORE  24 MPI_STATUS_IGNORE (32)  56 MPI_STATUSES_IGNORE (32)
//! 88 MPI_ARGV_NULL  89 MPI_ARGVS_NULL  90 end
//! ```
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: one comparison tells that an address is none of them.

use super::place::place_of;
use crate::c::{Integer, Status, c_char, c_int, c_void};

/// The common block, for programs that do not bring one.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static mut mpisentinels_: Block = Block {
    _variables: [0; 23],
};

/// As much memory as the block takes, rounded up.
#[repr(C, align(16))]
pub struct Block {
    _variables: [Integer; 23],
}

const BOTTOM: usize = 0;
const IN_PLACE: usize = 4;
const BUFFER_AUTOMATIC: usize = 8;
const UNWEIGHTED: usize = 12;
const WEIGHTS_EMPTY: usize = 16;
const ERRCODES_IGNORE: usize = 20;
const STATUS_IGNORE: usize = 24;
const STATUSES_IGNORE: usize = 56;
const ARGV_NULL: usize = 88;
const ARGVS_NULL: usize = 89;
const END: usize = 90;

/// Where the block is in this process.
#[inline(always)]
fn block() -> usize {
    place_of!(mpisentinels_)
}

/// An address's place in the block; [`END`] or more for all others.
#[inline(always)]
fn place<T>(address: *mut T) -> usize {
    (address as usize).wrapping_sub(block())
}

/// A buffer.
#[inline(always)]
pub fn choice(address: *mut c_void) -> *mut c_void {
    match place(address) {
        END.. => address,
        BOTTOM => std::ptr::null_mut(),
        IN_PLACE => std::ptr::without_provenance_mut(1),
        BUFFER_AUTOMATIC => std::ptr::without_provenance_mut(2),
        _ => address,
    }
}

/// A buffer that C gives back: the sentinel of the library's own one is the program's variable.
pub fn given_back(buffer: *mut c_void) -> *mut c_void {
    match buffer as usize {
        2 => std::ptr::without_provenance_mut(block() + BUFFER_AUTOMATIC),
        _ => buffer,
    }
}

/// What C takes where a status is not wanted.
pub const STATUS_IGNORE_OF_C: *mut Status = std::ptr::null_mut();

/// Whether an address is that of `MPI_IN_PLACE`.
pub fn is_in_place(address: *mut c_void) -> bool {
    place(address) == IN_PLACE
}

/// A status to be written.
#[inline(always)]
pub fn status(address: *mut Status) -> *mut Status {
    match place(address) {
        STATUS_IGNORE | STATUSES_IGNORE => std::ptr::null_mut(),
        _ => address,
    }
}

/// Statuses to be written. Programs that give `MPI_STATUS_IGNORE` mean the same.
#[inline(always)]
pub fn statuses(address: *mut Status) -> *mut Status {
    status(address)
}

/// Weights of a graph's edges.
pub fn weights(address: *mut c_int) -> *mut c_int {
    match place(address) {
        UNWEIGHTED => std::ptr::without_provenance_mut(10),
        WEIGHTS_EMPTY => std::ptr::without_provenance_mut(11),
        _ => address,
    }
}

/// Error codes to be written.
pub fn error_codes(address: *mut c_int) -> *mut c_int {
    match place(address) {
        ERRCODES_IGNORE => std::ptr::null_mut(),
        _ => address,
    }
}

/// Whether an argument vector is `MPI_ARGV_NULL` or `MPI_ARGVS_NULL`.
pub fn is_no_arguments(address: *mut c_char) -> bool {
    matches!(place(address), ARGV_NULL | ARGVS_NULL)
}
