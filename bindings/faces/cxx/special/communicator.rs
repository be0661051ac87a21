//! Communicators: copies on the heap, and topologies, whose logical arguments C has as integers.
//!
//! What: `Clone`, and those functions of `Cartcomm` and `Intracomm` that have arrays of `bool`. Step before:
//! [`crate::methods`]. Step after: the C library, and its error. Invariant: an array is as long as the topology has
//! dimensions, or as the program says.

use std::ffi::c_int;

use crate::c_library::*;
use crate::error;
use crate::object::{Maker, handle, make, place, room};

/// Logical values as C has them.
///
/// # Safety
///
/// There are so many, each a byte.
unsafe fn integers(logicals: usize, count: c_int) -> Vec<c_int> {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller's promise; a byte is read whatever its value.
    let value = |index| unsafe { *(logicals as *const u8).add(index) };
    (0..count).map(|index| (value(index) != 0).into()).collect()
}

/// `Clone` of all classes of communicators.
///
/// # Safety
///
/// There is an object.
pub unsafe fn clone(this: usize, maker: Maker) -> usize {
    let mut new = maker.handle.addr();
    // SAFETY: the caller's promise.
    unsafe {
        let comm = handle(this);
        let code = MPI_Comm_dup(comm, &mut new);
        error::comm(comm, code);
        make(room(), &maker, new)
    }
}

/// `MPI::Cartcomm::Get_topo`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn cart_get_topo(
    this: usize,
    maxdims: usize,
    dims: usize,
    periods: usize,
    coords: usize,
) -> usize {
    let maxdims = maxdims as c_int;
    // SAFETY: the caller's promise. What the topology does not fill stays as it was.
    unsafe {
        let comm = handle(this);
        let mut own = integers(periods, maxdims);
        let code = MPI_Cart_get(
            comm,
            maxdims,
            dims as *mut c_int,
            own.as_mut_ptr(),
            coords as *mut c_int,
        );
        error::comm(comm, code);
        for (index, period) in own.iter().enumerate() {
            *(periods as *mut u8).add(index) = (*period != 0).into();
        }
    }
    0
}

/// `MPI::Cartcomm::Map`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn cart_map(this: usize, ndims: usize, dims: usize, periods: usize) -> usize {
    let (ndims, mut rank) = (ndims as c_int, 0);
    // SAFETY: the caller's promise.
    unsafe {
        let comm = handle(this);
        let periods = integers(periods, ndims);
        let dims = dims as *const c_int;
        let code = MPI_Cart_map(comm, ndims, dims, periods.as_ptr(), &mut rank);
        error::comm(comm, code);
    }
    rank as u32 as usize
}

/// `MPI::Cartcomm::Sub`.
///
/// # Safety
///
/// As the standard says; there is room for an object.
pub unsafe fn cart_sub(room: usize, this: usize, remain: usize, maker: Maker) -> usize {
    let mut ndims = 0;
    // SAFETY: the caller's promise.
    unsafe {
        let comm = handle(this);
        let new = place(room, maker) as *mut usize;
        let mut code = MPI_Cartdim_get(comm, &mut ndims);
        if code == 0 {
            let remain = integers(remain, ndims);
            code = MPI_Cart_sub(comm, remain.as_ptr(), new);
        }
        error::comm(comm, code);
    }
    room
}

/// `MPI::Intracomm::Create_cart`.
///
/// # Safety
///
/// As the standard says; there is room for an object.
pub unsafe fn create_cart(
    room: usize,
    this: usize,
    ndims: usize,
    dims: usize,
    periods: usize,
    reorder: usize,
    maker: Maker,
) -> usize {
    let (ndims, reorder) = (ndims as c_int, (reorder as u8 != 0).into());
    // SAFETY: the caller's promise.
    unsafe {
        let comm = handle(this);
        let new = place(room, maker) as *mut usize;
        let periods = integers(periods, ndims);
        let dims = dims as *const c_int;
        let code = MPI_Cart_create(comm, ndims, dims, periods.as_ptr(), reorder, new);
        error::comm(comm, code);
    }
    room
}
