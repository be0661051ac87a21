//! A face: the C library of another MPI's ABI, standing on `libmpi_abi.so.1`.
//!
//! What: `MPI_X` and `PMPI_X` as programs that were built for MPICH (`libmpi.so.12`) or Open MPI (`libmpi.so.40`) call
//! them. Each translates handles, constants, statuses and addresses, and calls the function of the standard ABI's
//! library. The same sources make both faces: `face` is what the build script of a face's package sets.
//!
//! ```text
//! program --MPI_Recv--> functions (generated) --+--> handle, constant, address, array   in
//!                                               +--> pamir_functions.MPI_Recv            libmpi_abi.so.1
//!                                               +--> place, status, text                 out
//!                       special  what has no rule
//! ```
//!
//! Step before: a program that was built years ago. Step after: `libmpi_abi.so.1`.
//! Invariants: what the program may see is in its own ABI; nothing is kept between calls but what `handle` says; a call
//! with up to 64 handles and statuses allocates nothing, and none takes a lock.

// The names are C's.
#![allow(non_snake_case, non_upper_case_globals, unused_unsafe)]
// What each promises is in the standard, and so is how many arguments it has.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod address;
mod array;
mod call;
mod constant;
mod functions;
mod place;
mod special;
mod status;
mod text;

#[cfg_attr(face = "mpich", path = "mpich/mod.rs")]
#[cfg_attr(face = "openmpi", path = "openmpi/mod.rs")]
mod abi;

use abi::{handle, own_status};
