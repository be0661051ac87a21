//! The library of the removed C++ bindings, for binaries that were built with MPICH's or Open MPI's.
//!
//! What: the functions, tables of virtual functions, type information and objects that such binaries import, as Rust. The
//! same sources make both libraries: `face` is what the build script of a library's package sets, and what differs in
//! hundreds of places stands in its tables.
//!
//! ```text
//! program --+-- inline functions of the header ---------------> C library (a face)
//!           +-- virtual functions --> layout --> methods -----> C library
//!           +-- what the header only declares --> methods ----> C library --+
//!           +<------------- special (callbacks) <---------------------------+
//! ```
//!
//! Step before: a program that was built years ago. Step after: the face's C library.
//! Invariants: an object is a pointer to a table and a handle, as C++ lays it out on x86-64, the only processor for which
//! there are such binaries here; no C++ exception passes a frame of Rust's.

#![cfg(target_arch = "x86_64")]
// The names are C++'s and C's.
#![allow(non_snake_case, non_upper_case_globals)]
// What each promises is in the standard, and so is how many arguments it has.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]
// A handle in an array is a word in one face, and half of one in the other.
#![allow(clippy::unnecessary_cast)]

mod c_library;
#[cfg_attr(face = "mpich", path = "mpich/error.rs")]
#[cfg_attr(face = "openmpi", path = "openmpi/error.rs")]
mod error;
mod kind;
mod layout;
mod methods;
mod object;
mod special;
#[cfg(face = "mpich")]
#[path = "mpich/throw.rs"]
mod throw;

use layout::class;
