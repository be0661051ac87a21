//! Functions that only MPICH's library has.
//!
//! What: explicit calls of error handlers, keys, generalized requests, names of C++'s datatypes. Step before:
//! [`crate::methods`]. Step after: the C library. Invariant: errors go to [`crate::error`].

use std::ffi::{c_int, c_void};
use std::sync::Once;

use super::attribute::{Key, Owner, create, function};
use super::callback::{Request, cancel, free, query};
use crate::c_library::*;
use crate::error;
use crate::layout::{
    OBJECT_BOOL, OBJECT_COMPLEX, OBJECT_DOUBLE_COMPLEX, OBJECT_LONG_DOUBLE_COMPLEX,
};
use crate::object::{Maker, handle, make, place, room};

/// The bytes of `MPI_Status`.
pub const STATUS_BYTES: usize = 20;

/// `MPI::MPIR_Call_world_errhand`.
///
/// # Safety
///
/// None is needed.
pub unsafe fn call_world_errhandler(code: usize) -> usize {
    // SAFETY: there is no object beside the world's.
    unsafe { error::world(0, code as c_int) };
    0
}

/// `MPI::Comm::Call_errhandler`.
///
/// # Safety
///
/// There is an object.
pub unsafe fn call_comm_errhandler(this: usize, code: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { error::comm(handle(this), code as c_int) };
    0
}

/// `MPI::Win::Call_errhandler`.
///
/// # Safety
///
/// There is an object.
pub unsafe fn call_win_errhandler(this: usize, code: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { error::win(handle(this), code as c_int) };
    0
}

/// `MPI::File::Call_errhandler`.
///
/// # Safety
///
/// There is an object.
pub unsafe fn call_file_errhandler(this: usize, code: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { error::file(handle(this), code as c_int) };
    0
}

/// Makes a key of C++ functions.
///
/// # Safety
///
/// They are functions for this owner, or null.
unsafe fn key(owner: Owner, copy: usize, delete: usize, extra: usize) -> usize {
    let mut keyval = 0;
    // SAFETY: the caller's promise; errors are the world's.
    unsafe {
        let key = Key {
            owner,
            copy: None,
            copy_cxx: function(copy),
            delete: None,
            delete_cxx: function(delete),
            extra: extra as *mut c_void,
        };
        error::world(0, create(key, &mut keyval));
    }
    keyval as u32 as usize
}

/// `MPI::Comm::Create_keyval`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn comm_create_keyval(copy: usize, delete: usize, extra: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { key(Owner::Comm, copy, delete, extra) }
}

/// `MPI::Datatype::Create_keyval`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn type_create_keyval(copy: usize, delete: usize, extra: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { key(Owner::Type, copy, delete, extra) }
}

/// `MPI::Win::Create_keyval`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn win_create_keyval(copy: usize, delete: usize, extra: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { key(Owner::Win, copy, delete, extra) }
}

/// `MPI::Nullcomm::Clone`.
///
/// # Safety
///
/// There is an object.
pub unsafe fn clone_null(_this: usize, maker: Maker) -> usize {
    let null = maker.handle.addr();
    // SAFETY: there is room for an object.
    unsafe { make(room(), &maker, null) }
}

/// `MPI::Grequest::Start`, in MPICH a function of an object, which it does not touch.
///
/// # Safety
///
/// As the standard says; there is room for an object.
pub unsafe fn grequest_start(
    place_of: usize,
    _this: usize,
    query_function: usize,
    free_function: usize,
    cancel_function: usize,
    extra: usize,
    maker: Maker,
) -> usize {
    const { assert!(size_of::<Request>() == 32) };
    // SAFETY: the caller's promise; the state has the size of two objects, and `free` gives it back.
    unsafe {
        let request = place(place_of, maker) as *mut usize;
        let state = crate::object::memory(size_of::<Request>()) as *mut Request;
        state.write(Request {
            extra: extra as *mut c_void,
            query: function(query_function),
            free: function(free_function),
            cancel: function(cancel_function),
        });
        let code = MPI_Grequest_start(
            query as *const c_void,
            free as *const c_void,
            cancel as *const c_void,
            state.cast(),
            request,
        );
        error::world(0, code);
    }
    place_of
}

/// `MPI::MPIR_CXX_InitDatatypeNames`: C++'s datatypes are shown under C++'s names.
///
/// # Safety
///
/// MPI is initialised.
pub unsafe fn name_datatypes() -> usize {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (datatype, name) in [
            (&raw const OBJECT_BOOL, c"MPI::BOOL"),
            (&raw const OBJECT_COMPLEX, c"MPI::COMPLEX"),
            (&raw const OBJECT_DOUBLE_COMPLEX, c"MPI::DOUBLE_COMPLEX"),
            (
                &raw const OBJECT_LONG_DOUBLE_COMPLEX,
                c"MPI::LONG_DOUBLE_COMPLEX",
            ),
        ] {
            // SAFETY: the handle is that of a datatype, and the name ends with a zero.
            unsafe { MPI_Type_set_name(handle(datatype as usize), name.as_ptr()) };
        }
    });
    0
}
