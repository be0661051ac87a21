//! Reading and writing what a status records (MPI-5.0 sections 3.2.5 and 13.3).

use std::ffi::c_int;

use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::types::*;

/// `MPI_Get_count`: `MPI_UNDEFINED` if the data is no whole number of elements.
///
/// # Safety
///
/// `status` is readable, `count` is writable.
pub unsafe fn get_count<C: Count>(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut C,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.get(datatype)?;
    // SAFETY: the caller vouches for both.
    unsafe {
        let whole = datatype.count_in((*status).bytes() as usize);
        count.write(number(whole));
    }
    Ok(())
}

fn number<C: Count>(number: Option<usize>) -> C {
    C::from_i64(
        number.map_or(crate::constants::MPI_UNDEFINED.into(), |number| {
            number as i64
        }),
    )
}

/// `MPI_Get_elements`: in primitive elements.
///
/// # Safety
///
/// `status` is readable, `count` is writable.
pub unsafe fn get_elements<C: Count>(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut C,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.get(datatype)?;
    // SAFETY: the caller vouches for both.
    unsafe {
        let elements = datatype.elements_in((*status).bytes() as usize);
        count.write(number(elements));
    }
    Ok(())
}

/// `MPI_Get_elements_x`.
///
/// # Safety
///
/// As for [`get_elements`].
pub unsafe fn get_elements_x(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut MPI_Count,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { get_elements(status, datatype, count) }
}

/// `MPI_Status_set_elements`.
///
/// # Safety
///
/// `status` is writable.
pub unsafe fn status_set_elements<C: Count>(
    status: *mut MPI_Status,
    datatype: MPI_Datatype,
    count: C,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.get(datatype)?;
    let count = count.to_i64();
    let bytes = usize::try_from(count)
        .ok()
        .and_then(|count| datatype.bytes_of_elements(count));
    let Some(bytes) = bytes else {
        return Err(
            ErrorClass::Count.with(format!("{count} elements of the datatype have no size"))
        );
    };
    // SAFETY: the caller vouches for it.
    unsafe { (*status).set_bytes(bytes as i64) };
    Ok(())
}

/// `MPI_Status_set_elements_x`.
///
/// # Safety
///
/// `status` is writable.
pub unsafe fn status_set_elements_x(
    status: *mut MPI_Status,
    datatype: MPI_Datatype,
    count: MPI_Count,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { status_set_elements(status, datatype, count) }
}

/// `MPI_Test_cancelled`.
///
/// # Safety
///
/// `status` is readable, `flag` is writable.
pub unsafe fn test_cancelled(status: *const MPI_Status, flag: *mut c_int) -> Result {
    // SAFETY: the caller vouches for both.
    unsafe { flag.write((*status).cancelled().into()) };
    Ok(())
}

/// `MPI_Status_set_cancelled`.
///
/// # Safety
///
/// `status` is writable.
pub unsafe fn status_set_cancelled(status: *mut MPI_Status, flag: c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { (*status).set_cancelled(flag != 0) };
    Ok(())
}

/// `MPI_Status_get_source`.
///
/// # Safety
///
/// `status` is readable, `source` is writable.
pub unsafe fn status_get_source(status: *const MPI_Status, source: *mut c_int) -> Result {
    // SAFETY: the caller vouches for both.
    unsafe { source.write((*status).MPI_SOURCE) };
    Ok(())
}

/// `MPI_Status_get_tag`.
///
/// # Safety
///
/// `status` is readable, `tag` is writable.
pub unsafe fn status_get_tag(status: *const MPI_Status, tag: *mut c_int) -> Result {
    // SAFETY: the caller vouches for both.
    unsafe { tag.write((*status).MPI_TAG) };
    Ok(())
}

/// `MPI_Status_get_error`.
///
/// # Safety
///
/// `status` is readable, `error` is writable.
pub unsafe fn status_get_error(status: *const MPI_Status, error: *mut c_int) -> Result {
    // SAFETY: the caller vouches for both.
    unsafe { error.write((*status).MPI_ERROR) };
    Ok(())
}

/// `MPI_Status_set_source`.
///
/// # Safety
///
/// `status` is writable.
pub unsafe fn status_set_source(status: *mut MPI_Status, source: c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { (*status).MPI_SOURCE = source };
    Ok(())
}

/// `MPI_Status_set_tag`.
///
/// # Safety
///
/// `status` is writable.
pub unsafe fn status_set_tag(status: *mut MPI_Status, tag: c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { (*status).MPI_TAG = tag };
    Ok(())
}

/// `MPI_Status_set_error`.
///
/// # Safety
///
/// `status` is writable.
pub unsafe fn status_set_error(status: *mut MPI_Status, error: c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { (*status).MPI_ERROR = error };
    Ok(())
}
