//! MPICH's ABI: `libmpi.so.12`, which Intel MPI, MVAPICH and others share.
//!
//! What: its handles, which are integers; its status; its sentinels and the variables that hold them. Step before: the
//! modules that both faces share. Step after: none. Invariant: what executables hold copies of has MPICH's size.

pub mod handle;
pub mod own_status;
pub mod sentinel;

/// The ABI's name, filled up with zeros.
pub const NAME: [u8; 16] = *b"MPICH\0\0\0\0\0\0\0\0\0\0\0";

/// The library's name.
pub const LIBRARY: &str = "libmpi.so.12";
