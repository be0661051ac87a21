//! Datatypes that a datatype was made of.
//!
//! Step before: `entry`. Step after: C.
//! Invariant: as many handles are converted as the datatype has, and no more than there is room for.

use crate::c::{self, Handle, Integer, c_int};
use crate::handle;

/// `MPI_Type_get_contents`.
pub unsafe fn type_get_contents(
    call: c::MPI_Type_get_contents,
    datatype: *mut Integer,
    max_integers: *mut Integer,
    max_addresses: *mut Integer,
    max_datatypes: *mut Integer,
    integers: *mut Integer,
    addresses: *mut i64,
    datatypes: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let datatype = handle::datatype::to_c(*datatype);
        give(datatypes, i64::from(*max_datatypes), |made| {
            call(
                datatype,
                *max_integers,
                *max_addresses,
                *max_datatypes,
                integers,
                addresses,
                made,
            )
        })
    }
}

/// `MPI_Type_get_contents_c`.
pub unsafe fn type_get_contents_c(
    call: c::MPI_Type_get_contents_c,
    datatype: *mut Integer,
    max_integers: *mut i64,
    max_addresses: *mut i64,
    max_large_counts: *mut i64,
    max_datatypes: *mut i64,
    integers: *mut Integer,
    addresses: *mut i64,
    large_counts: *mut i64,
    datatypes: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let datatype = handle::datatype::to_c(*datatype);
        give(datatypes, *max_datatypes, |made| {
            call(
                datatype,
                *max_integers,
                *max_addresses,
                *max_large_counts,
                *max_datatypes,
                integers,
                addresses,
                large_counts,
                made,
            )
        })
    }
}

unsafe fn give(
    datatypes: *mut Integer,
    room: i64,
    ask: impl FnOnce(*mut Handle) -> c_int,
) -> c_int {
    // 0 is no handle: what C leaves so it has not written.
    let mut made: Vec<Handle> = vec![0; usize::try_from(room).unwrap_or(0).max(1)];
    let code = ask(made.as_mut_ptr());
    if code == c::SUCCESS {
        for (index, handle) in made
            .into_iter()
            .enumerate()
            .take_while(|(_, handle)| *handle != 0)
        {
            // SAFETY: the program's array has room for as many as it says.
            unsafe { *datatypes.add(index) = handle::datatype::to_fortran(handle) };
        }
    }
    code
}
