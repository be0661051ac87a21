//! The class that a communicator's object has.
//!
//! What: [`class_of`], for callbacks that C gives a handle; [`is_null`]. Step before: [`crate::special`]. Step after: the
//! C library says what the communicator is. Invariant: C is not asked about `MPI_COMM_NULL`, which would be an error.

use std::ffi::c_int;

use crate::c_library::{MPI_Comm_test_inter, MPI_Topo_test};
use crate::class;
use crate::object::Maker;

/// The class of a communicator's object.
pub fn class_of(comm: usize) -> Maker {
    if is_null(comm) {
        return class::Intracomm();
    }
    let (mut inter, mut topology): (c_int, c_int) = (0, 0);
    // SAFETY: the communicator is one, and both places are good.
    unsafe {
        MPI_Comm_test_inter(comm, &mut inter);
        if inter != 0 {
            return class::Intercomm();
        }
        MPI_Topo_test(comm, &mut topology);
    }
    match topology {
        GRAPH => class::Graphcomm(),
        CART => class::Cartcomm(),
        _ => class::Intracomm(),
    }
}

/// `MPI_GRAPH` and `MPI_CART` of each ABI.
#[cfg(face = "mpich")]
const GRAPH: c_int = 1;
#[cfg(face = "mpich")]
const CART: c_int = 2;
#[cfg(face = "openmpi")]
const GRAPH: c_int = 2;
#[cfg(face = "openmpi")]
const CART: c_int = 1;

/// Whether a communicator's handle is `MPI_COMM_NULL`.
pub fn is_null(comm: usize) -> bool {
    let null = crate::class::Comm().handle.addr();
    match cfg!(face = "mpich") {
        true => comm as u32 == null as u32,
        false => comm == null,
    }
}
