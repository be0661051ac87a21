//! Control variables and the enumerations of their values (MPI-5.0 sections 15.3.5 and 15.3.6):
//! there are none.

use std::ffi::{c_char, c_int, c_void};

use super::interface::{no_handle, no_index, no_name, none};
use crate::error::Result;
use crate::types::*;

/// `MPI_T_enum_get_info`.
pub fn t_enum_get_info(
    enumtype: MPI_T_enum,
    _num: *mut c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
) -> Result {
    no_handle(enumtype.0, "enumeration")
}

/// `MPI_T_enum_get_item`.
pub fn t_enum_get_item(
    enumtype: MPI_T_enum,
    _indx: c_int,
    _value: *mut c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
) -> Result {
    no_handle(enumtype.0, "enumeration")
}

/// `MPI_T_cvar_get_num`.
///
/// # Safety
///
/// `num_cvar` is writable.
pub unsafe fn t_cvar_get_num(num_cvar: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { none(num_cvar) }
}

/// `MPI_T_cvar_get_info`.
pub fn t_cvar_get_info(
    cvar_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _verbosity: *mut c_int,
    _datatype: *mut MPI_Datatype,
    _enumtype: *mut MPI_T_enum,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _bind: *mut c_int,
    _scope: *mut c_int,
) -> Result {
    no_index(cvar_index, "control variable")
}

/// `MPI_T_cvar_get_index`.
///
/// # Safety
///
/// `name` is null or a string.
pub unsafe fn t_cvar_get_index(name: *const c_char, _cvar_index: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { no_name(name, "control variable") }
}

/// `MPI_T_cvar_handle_alloc`.
pub fn t_cvar_handle_alloc(
    cvar_index: c_int,
    _obj_handle: *mut c_void,
    _handle: *mut MPI_T_cvar_handle,
    _count: *mut c_int,
) -> Result {
    no_index(cvar_index, "control variable")
}

/// `MPI_T_cvar_handle_free`.
///
/// # Safety
///
/// `handle` points to a handle.
pub unsafe fn t_cvar_handle_free(handle: *mut MPI_T_cvar_handle) -> Result {
    // SAFETY: as the caller vouches.
    no_handle(unsafe { handle.read() }.0, "handle of a control variable")
}

/// `MPI_T_cvar_read`.
pub fn t_cvar_read(handle: MPI_T_cvar_handle, _buf: *mut c_void) -> Result {
    no_handle(handle.0, "handle of a control variable")
}

/// `MPI_T_cvar_write`.
pub fn t_cvar_write(handle: MPI_T_cvar_handle, _buf: *const c_void) -> Result {
    no_handle(handle.0, "handle of a control variable")
}
