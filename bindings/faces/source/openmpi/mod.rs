//! Open MPI's ABI: `libmpi.so.40`, of its versions 4 and 5.
//!
//! What: its handles, which are addresses of objects; its status; its sentinels, and those of Fortran, which its C
//! library exports. Step before: the modules that both faces share. Step after: none. Invariant: what executables hold
//! copies of has Open MPI's size.

pub mod handle;
pub mod own_status;
pub mod sentinel;

/// The ABI's name, filled up with zeros.
pub const NAME: [u8; 16] = *b"Open MPI\0\0\0\0\0\0\0\0";

/// The library's name.
pub const LIBRARY: &str = "libmpi.so.40";
