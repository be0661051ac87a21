//! The functions of MPI-1 that MPI-3.0 removed (MPI-5.0 chapter 17).
//!
//! Before: a binary that was compiled when they were there, or against a library that still has
//! them. After: the functions that took their place. The bounds that MPI-1 marked in a datatype
//! (`MPI_LB`, `MPI_UB`) are not here: the ABI has no handles for them.

use std::ffi::{c_int, c_void};

use crate::error::Result;
use crate::functions::datatypes::datatype::{
    get_address, type_create_hindexed, type_create_hvector, type_create_struct, type_get_extent,
};
use crate::functions::management::error::{
    comm_create_errhandler, comm_get_errhandler, comm_set_errhandler,
};
use crate::types::*;

/// `MPI_Address`, now `MPI_Get_address`.
///
/// # Safety
///
/// As there.
pub unsafe fn address(location: *mut c_void, address: *mut MPI_Aint) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { get_address(location, address) }
}

/// `MPI_Errhandler_create`, now `MPI_Comm_create_errhandler`.
///
/// # Safety
///
/// As there.
pub unsafe fn errhandler_create(
    function: MPI_Comm_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { comm_create_errhandler(function, errhandler) }
}

/// `MPI_Errhandler_get`, now `MPI_Comm_get_errhandler`.
///
/// # Safety
///
/// As there.
pub unsafe fn errhandler_get(comm: MPI_Comm, errhandler: *mut MPI_Errhandler) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { comm_get_errhandler(comm, errhandler) }
}

/// `MPI_Errhandler_set`, now `MPI_Comm_set_errhandler`.
pub fn errhandler_set(comm: MPI_Comm, errhandler: MPI_Errhandler) -> Result {
    comm_set_errhandler(comm, errhandler)
}

/// `MPI_Type_hindexed`, now `MPI_Type_create_hindexed`.
///
/// # Safety
///
/// As there.
pub unsafe fn type_hindexed(
    count: c_int,
    blocklengths: *mut c_int,
    displacements: *mut MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { type_create_hindexed(count, blocklengths, displacements, oldtype, newtype) }
}

/// `MPI_Type_hvector`, now `MPI_Type_create_hvector`.
///
/// # Safety
///
/// As there.
pub unsafe fn type_hvector(
    count: c_int,
    blocklength: c_int,
    stride: MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { type_create_hvector(count, blocklength, stride, oldtype, newtype) }
}

/// `MPI_Type_struct`, now `MPI_Type_create_struct`.
///
/// # Safety
///
/// As there.
pub unsafe fn type_struct(
    count: c_int,
    blocklengths: *mut c_int,
    displacements: *mut MPI_Aint,
    types: *mut MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { type_create_struct(count, blocklengths, displacements, types, newtype) }
}

/// The lower bound and the extent of a datatype.
fn bounds(datatype: MPI_Datatype) -> Result<(MPI_Aint, MPI_Aint)> {
    let (mut lower, mut extent) = (0, 0);
    // SAFETY: both are writable.
    unsafe { type_get_extent(datatype, &raw mut lower, &raw mut extent)? };
    Ok((lower, extent))
}

/// `MPI_Type_extent`, now a part of `MPI_Type_get_extent`.
///
/// # Safety
///
/// `extent` is writable.
pub unsafe fn type_extent(datatype: MPI_Datatype, extent: *mut MPI_Aint) -> Result {
    let found = bounds(datatype)?.1;
    // SAFETY: as the caller vouches.
    unsafe { extent.write(found) };
    Ok(())
}

/// `MPI_Type_lb`, now a part of `MPI_Type_get_extent`.
///
/// # Safety
///
/// `displacement` is writable.
pub unsafe fn type_lb(datatype: MPI_Datatype, displacement: *mut MPI_Aint) -> Result {
    let found = bounds(datatype)?.0;
    // SAFETY: as the caller vouches.
    unsafe { displacement.write(found) };
    Ok(())
}

/// `MPI_Type_ub`: the lower bound and the extent behind it.
///
/// # Safety
///
/// `displacement` is writable.
pub unsafe fn type_ub(datatype: MPI_Datatype, displacement: *mut MPI_Aint) -> Result {
    let (lower, extent) = bounds(datatype)?;
    // SAFETY: as the caller vouches.
    unsafe { displacement.write(lower.saturating_add(extent)) };
    Ok(())
}
