//! The arguments of collective calls, as the bodies take them.

use std::ffi::c_void;

use pamir_transport::tagged::buffer::Buffer;

use crate::collective::Call;
use crate::collective::gathering::Elements;
use crate::collective::reducing::{Reduced, is_in_place};
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::types::{MPI_Datatype, MPI_Op};

/// The data of a send buffer.
pub fn sent<C: Count>(address: *const c_void, count: C, datatype: MPI_Datatype) -> Elements {
    Elements {
        address: address.cast_mut().cast(),
        count: count.to_i64(),
        datatype,
    }
}

/// The room of a receive buffer.
pub fn received<C: Count>(address: *mut c_void, count: C, datatype: MPI_Datatype) -> Elements {
    Elements {
        address: address.cast(),
        count: count.to_i64(),
        datatype,
    }
}

/// The data of a reduction.
pub fn reduced<C: Count>(
    from: *const c_void,
    to: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Reduced {
    Reduced {
        from: from.cast(),
        to: to.cast(),
        count: count.to_i64(),
        datatype,
        op,
    }
}

/// What `make` makes, unless the send buffer is `MPI_IN_PLACE`.
pub fn unless_in_place(
    address: *const c_void,
    make: impl FnOnce() -> Result<Vec<Buffer>>,
) -> Result<Option<Vec<Buffer>>> {
    if is_in_place(address.cast()) {
        Ok(None)
    } else {
        make().map(Some)
    }
}

/// What `make` makes of the arguments that are significant at the root alone.
pub fn at_root(
    call: &Call,
    root: i32,
    make: impl FnOnce() -> Result<Vec<Buffer>>,
) -> Result<Vec<Buffer>> {
    if call.has_root_data(root) {
        make()
    } else {
        Ok(Vec::new())
    }
}

/// An array of counts.
///
/// # Safety
///
/// The array has `length` entries.
pub unsafe fn numbers<C: Count>(array: *const C, length: usize) -> Result<Vec<i64>> {
    if array.is_null() && length > 0 {
        return Err(ErrorClass::Arg.with("the array of counts is null"));
    }
    // SAFETY: the caller vouches for the array.
    Ok((0..length)
        .map(|index| unsafe { (*array.add(index)).to_i64() })
        .collect())
}

/// A copy of an argument array, for an operation that is started later: the program may reuse its
/// arrays as soon as the call that was given them has returned.
///
/// # Safety
///
/// The array has `length` entries, or is null.
pub unsafe fn copied<T: Copy>(array: *const T, length: usize) -> Vec<T> {
    if array.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller vouches for the array.
    unsafe { std::slice::from_raw_parts(array, length) }.to_vec()
}
