//! The contract between `libmpi_abi.so.1` and a face: a library with another ABI that stands on it.
//!
//! What: [`Face`], what the library asks a face for, and [`Header`], what the library's table of functions begins
//! with. Why: a face exports `MPI_Send` itself, so it cannot reach the library's by that name; and what the program gave
//! as a callback wants the face's handles and codes, which the library does not know.
//!
//! ```text
//! program --MPI_Send--> face --pamir_functions.MPI_Send--> libmpi_abi.so.1
//!            callback <---------Face::{handle, code, status}------+
//! ```
//!
//! Step before: both libraries are built from one table. Step after: the face's constructor calls [`Header::set_face`].
//! Invariant: the order of the functions behind the header is that of the table, which [`fingerprint`] names.

use std::ffi::c_int;

/// The kinds of object that callbacks are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Kind {
    /// `MPI_Comm`.
    Communicator,
    /// `MPI_Datatype`.
    Datatype,
    /// `MPI_Win`.
    Window,
    /// `MPI_File`.
    File,
    /// `MPI_Session`.
    Session,
}

/// A status as integers, in either form; none is longer than the standard's.
pub type Status = [c_int; 8];

/// What a face tells the library.
#[repr(C)]
pub struct Face {
    /// The ABI's name, such as `MPICH`, filled up with zeros.
    pub name: [u8; 16],
    /// `MPI_BSEND_OVERHEAD`: programs attach buffers that are so much longer than their messages.
    pub overhead: c_int,
    /// The face's error code of one of the standard ABI.
    pub code_out: extern "C" fn(c_int) -> c_int,
    /// The standard ABI's error code of one that the program returned.
    pub code_in: extern "C" fn(c_int) -> c_int,
    /// The face's handle of one of the standard ABI, as C passes it: an integer in the lower half, or an address.
    pub handle_out: extern "C" fn(Kind, usize) -> usize,
    /// Writes the face's form of a status.
    pub status_out: extern "C" fn(standard: &Status, face: &mut Status),
    /// Writes the standard ABI's form of a status.
    pub status_in: extern "C" fn(face: &Status, standard: &mut Status),
}

impl Face {
    /// The name without what it was filled up with.
    pub fn name(&self) -> &str {
        let name = std::str::from_utf8(&self.name).unwrap_or_default();
        name.trim_end_matches('\0')
    }
}

/// The beginning of `pamir_functions`; the addresses of the functions follow it.
#[repr(C)]
pub struct Header {
    /// [`fingerprint`] of the table that the library was built from.
    pub fingerprint: u64,
    /// Takes a face. A second one, or one that comes when the standard ABI is in use, ends the process with a sentence.
    pub set_face: extern "C" fn(&'static Face),
    /// Makes an error handler whose function is given an argument; before MPI is initialised, too. Gives the handle.
    pub make_error_handler: extern "C" fn(Owner, ErrorFunction, usize) -> usize,
    /// Has the function of an operation that the program made called with a fifth argument; whether it is one.
    pub set_operation_argument: extern "C" fn(operation: usize, argument: usize) -> bool,
}

/// The function of an error handler that a language's binding makes: where the face's handle is (null where the error
/// has no object), where the face's code is, and the argument.
pub type ErrorFunction = extern "C" fn(object: *mut usize, code: *mut c_int, argument: usize);

/// The objects on which an error handler may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Owner {
    /// All of them.
    Any,
    /// Communicators.
    Communicator,
    /// Windows.
    Window,
    /// Files.
    File,
}

/// A number for the functions' names, types and order (FNV-1a of the table's text).
pub const fn fingerprint() -> u64 {
    let text = crate::FUNCTIONS.as_bytes();
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while at < text.len() {
        hash = (hash ^ text[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}
