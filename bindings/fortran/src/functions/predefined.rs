//! The predefined procedures: what a program hands over instead of one of its own.
//!
//! What: `MPI_COMM_DUP_FN` and its like are procedures that do what they say. The two that say
//! "no conversion" are known by their address.
//! Step before: a program passes one. Step after: `callback` calls it like any other.
//! Invariant: addresses are read from the global offset table: a program may have a place of its own for them.

// They are Fortran's names.
#![allow(non_snake_case, clippy::missing_safety_doc)]

use crate::c::{self, Integer, c_void};
use crate::entry::spell;

unsafe extern "C" fn copy_not(
    _object: *mut Integer,
    _keyval: *mut Integer,
    _extra: *mut i64,
    _from: *mut i64,
    _to: *mut i64,
    flag: *mut Integer,
    ierror: *mut Integer,
) {
    // SAFETY: whoever calls gives places for the flag and the code.
    unsafe {
        *flag = c::logical(false);
        *ierror = c::SUCCESS;
    }
}

unsafe extern "C" fn copy_value(
    _object: *mut Integer,
    _keyval: *mut Integer,
    _extra: *mut i64,
    from: *mut i64,
    to: *mut i64,
    flag: *mut Integer,
    ierror: *mut Integer,
) {
    // SAFETY: whoever calls gives places for the value, the flag and the code.
    unsafe {
        *to = *from;
        *flag = c::logical(true);
        *ierror = c::SUCCESS;
    }
}

/// As MPI-1 had it: the value is an `INTEGER`, and so is its place.
unsafe extern "C" fn copy_integer(
    _object: *mut Integer,
    _keyval: *mut Integer,
    _extra: *mut Integer,
    from: *mut Integer,
    to: *mut Integer,
    flag: *mut Integer,
    ierror: *mut Integer,
) {
    // SAFETY: whoever calls gives places for the value, the flag and the code.
    unsafe {
        *to = *from;
        *flag = c::logical(true);
        *ierror = c::SUCCESS;
    }
}

unsafe extern "C" fn delete_not(
    _object: *mut Integer,
    _keyval: *mut Integer,
    _value: *mut i64,
    _extra: *mut i64,
    ierror: *mut Integer,
) {
    // SAFETY: whoever calls gives a place for the code.
    unsafe { *ierror = c::SUCCESS };
}

/// Never called: its address says that there is no conversion.
unsafe extern "C" fn convert_not() {}

spell!(copy_not: mpi_null_copy_fn_ mpi_null_copy_fn__ MPI_NULL_COPY_FN mpi_null_copy_fn);
spell!(copy_integer: mpi_dup_fn_ mpi_dup_fn__ MPI_DUP_FN mpi_dup_fn);
spell!(delete_not: mpi_null_delete_fn_ mpi_null_delete_fn__ MPI_NULL_DELETE_FN mpi_null_delete_fn);
spell!(copy_not: mpi_comm_null_copy_fn_ mpi_comm_null_copy_fn__ MPI_COMM_NULL_COPY_FN mpi_comm_null_copy_fn);
spell!(copy_value: mpi_comm_dup_fn_ mpi_comm_dup_fn__ MPI_COMM_DUP_FN mpi_comm_dup_fn);
spell!(delete_not: mpi_comm_null_delete_fn_ mpi_comm_null_delete_fn__ MPI_COMM_NULL_DELETE_FN mpi_comm_null_delete_fn);
spell!(copy_not: mpi_type_null_copy_fn_ mpi_type_null_copy_fn__ MPI_TYPE_NULL_COPY_FN mpi_type_null_copy_fn);
spell!(copy_value: mpi_type_dup_fn_ mpi_type_dup_fn__ MPI_TYPE_DUP_FN mpi_type_dup_fn);
spell!(delete_not: mpi_type_null_delete_fn_ mpi_type_null_delete_fn__ MPI_TYPE_NULL_DELETE_FN mpi_type_null_delete_fn);
spell!(copy_not: mpi_win_null_copy_fn_ mpi_win_null_copy_fn__ MPI_WIN_NULL_COPY_FN mpi_win_null_copy_fn);
spell!(copy_value: mpi_win_dup_fn_ mpi_win_dup_fn__ MPI_WIN_DUP_FN mpi_win_dup_fn);
spell!(delete_not: mpi_win_null_delete_fn_ mpi_win_null_delete_fn__ MPI_WIN_NULL_DELETE_FN mpi_win_null_delete_fn);
spell!(convert_not: mpi_conversion_fn_null_ mpi_conversion_fn_null__ MPI_CONVERSION_FN_NULL mpi_conversion_fn_null);
spell!(convert_not: mpi_conversion_fn_null_c_ mpi_conversion_fn_null_c__ MPI_CONVERSION_FN_NULL_C mpi_conversion_fn_null_c);

/// The names that gfortran gives them in `mpi_f08` of MPICH and of Open MPI.
#[cfg(not(face = "standard"))]
mod of_modules {
    use super::{convert_not, copy_not, copy_value, delete_not, spell};

    spell!(copy_value: __mpi_f08_callbacks_MOD_mpi_comm_dup_fn __mpi_f08_callbacks_MOD_mpi_type_dup_fn);
    spell!(copy_value: __mpi_f08_callbacks_MOD_mpi_win_dup_fn);
    spell!(copy_not: __mpi_f08_callbacks_MOD_mpi_comm_null_copy_fn);
    spell!(copy_not: __mpi_f08_callbacks_MOD_mpi_type_null_copy_fn);
    spell!(copy_not: __mpi_f08_callbacks_MOD_mpi_win_null_copy_fn);
    spell!(delete_not: __mpi_f08_callbacks_MOD_mpi_comm_null_delete_fn);
    spell!(delete_not: __mpi_f08_callbacks_MOD_mpi_type_null_delete_fn);
    spell!(delete_not: __mpi_f08_callbacks_MOD_mpi_win_null_delete_fn);
    spell!(convert_not: __mpi_f08_callbacks_MOD_mpi_conversion_fn_null);
    spell!(convert_not: __mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c);
}

#[cfg(not(face = "standard"))]
use of_modules::{
    __mpi_f08_callbacks_MOD_mpi_conversion_fn_null,
    __mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c,
};

/// Whether a procedure is one of the names that mean no conversion.
pub fn is_no_conversion(procedure: *mut c_void) -> bool {
    let names = [
        mpi_conversion_fn_null_ as *const (),
        mpi_conversion_fn_null__ as *const (),
        MPI_CONVERSION_FN_NULL as *const (),
        mpi_conversion_fn_null as *const (),
        mpi_conversion_fn_null_c_ as *const (),
        mpi_conversion_fn_null_c__ as *const (),
        MPI_CONVERSION_FN_NULL_C as *const (),
        mpi_conversion_fn_null_c as *const (),
    ];
    let of_a_module = [
        #[cfg(not(face = "standard"))]
        (__mpi_f08_callbacks_MOD_mpi_conversion_fn_null as *const ()),
        #[cfg(not(face = "standard"))]
        (__mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c as *const ()),
    ];
    let procedure = procedure.cast_const().cast();
    names.contains(&procedure) || of_a_module.contains(&procedure)
}
