//! Performance variables (MPI-5.0 section 15.3.7): there are none, but sessions of them can be made.

use std::ffi::{c_char, c_int, c_void};

use super::interface::{Interface, initialised, no_index, no_name, none};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::types::*;

/// `MPI_T_pvar_get_num`.
///
/// # Safety
///
/// `num_pvar` is writable.
pub unsafe fn t_pvar_get_num(num_pvar: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { none(num_pvar) }
}

/// `MPI_T_pvar_get_info`.
pub fn t_pvar_get_info(
    pvar_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _verbosity: *mut c_int,
    _var_class: *mut c_int,
    _datatype: *mut MPI_Datatype,
    _enumtype: *mut MPI_T_enum,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _bind: *mut c_int,
    _readonly: *mut c_int,
    _continuous: *mut c_int,
    _atomic: *mut c_int,
) -> Result {
    no_index(pvar_index, "performance variable")
}

/// `MPI_T_pvar_get_index`.
///
/// # Safety
///
/// `name` is null or a string.
pub unsafe fn t_pvar_get_index(
    name: *const c_char,
    _var_class: c_int,
    _pvar_index: *mut c_int,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { no_name(name, "performance variable") }
}

/// Refuses a session that is none.
fn check_session(interface: &Interface, session: MPI_T_pvar_session) -> Result {
    if interface.sessions.contains(&session.0) {
        return Ok(());
    }
    let text = format!(
        "{:#x} is no session of performance variables, or was freed",
        session.0
    );
    Err(ErrorClass::ToolInvalidSession.with(text))
}

/// Refuses the handle of a variable in a session, which has none.
fn no_variable(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    check_session(&*initialised()?, session)?;
    let text = format!(
        "{:#x} is no handle of a performance variable: this library has none",
        handle.0
    );
    Err(ErrorClass::ToolInvalidHandle.with(text))
}

/// As [`no_variable`], but for all variables of the session at once there is nothing to do.
fn every_variable(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    if handle == MPI_T_PVAR_ALL_HANDLES {
        return check_session(&*initialised()?, session);
    }
    no_variable(session, handle)
}

/// `MPI_T_pvar_session_create`.
///
/// # Safety
///
/// `session` is writable.
pub unsafe fn t_pvar_session_create(session: *mut MPI_T_pvar_session) -> Result {
    let mut interface = initialised()?;
    interface.last_session += 1;
    let made = interface.last_session;
    interface.sessions.push(made);
    // SAFETY: as the caller vouches.
    unsafe { session.write(MPI_T_pvar_session(made)) };
    Ok(())
}

/// `MPI_T_pvar_session_free`.
///
/// # Safety
///
/// `session` points to a session.
pub unsafe fn t_pvar_session_free(session: *mut MPI_T_pvar_session) -> Result {
    let mut interface = initialised()?;
    // SAFETY: as the caller vouches.
    let freed = unsafe { session.read() };
    check_session(&interface, freed)?;
    interface.sessions.retain(|open| *open != freed.0);
    // SAFETY: as above.
    unsafe { session.write(MPI_T_PVAR_SESSION_NULL) };
    Ok(())
}

/// `MPI_T_pvar_handle_alloc`.
pub fn t_pvar_handle_alloc(
    session: MPI_T_pvar_session,
    pvar_index: c_int,
    _obj_handle: *mut c_void,
    _handle: *mut MPI_T_pvar_handle,
    _count: *mut c_int,
) -> Result {
    check_session(&*initialised()?, session)?;
    no_index(pvar_index, "performance variable")
}

/// `MPI_T_pvar_handle_free`.
///
/// # Safety
///
/// `handle` points to a handle.
pub unsafe fn t_pvar_handle_free(
    session: MPI_T_pvar_session,
    handle: *mut MPI_T_pvar_handle,
) -> Result {
    // SAFETY: as the caller vouches.
    no_variable(session, unsafe { handle.read() })
}

/// `MPI_T_pvar_start`.
pub fn t_pvar_start(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    every_variable(session, handle)
}

/// `MPI_T_pvar_stop`.
pub fn t_pvar_stop(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    every_variable(session, handle)
}

/// `MPI_T_pvar_reset`.
pub fn t_pvar_reset(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result {
    every_variable(session, handle)
}

/// `MPI_T_pvar_read`.
pub fn t_pvar_read(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    _buf: *mut c_void,
) -> Result {
    no_variable(session, handle)
}

/// `MPI_T_pvar_readreset`.
pub fn t_pvar_readreset(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    _buf: *mut c_void,
) -> Result {
    no_variable(session, handle)
}

/// `MPI_T_pvar_write`.
pub fn t_pvar_write(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    _buf: *const c_void,
) -> Result {
    no_variable(session, handle)
}
