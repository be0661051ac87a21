//! Attributes of communicators, by today's names and by those of MPI-1.

use std::ffi::{c_int, c_void};

use pamir_mpi::attribute::ObjectKind;

use super::functions::Functions;
use super::{free, get, predefined, store_value};
use pamir_interface::face::Kind;

use crate::argument::{address, store};
use crate::error::Result;
use crate::face::handle_out;
use crate::process::running;
use crate::types::*;

/// `MPI_Comm_create_keyval`, section 7.7.2.
///
/// # Safety
///
/// The functions may be called as long as the key is attached; `comm_keyval` is null or
/// writable.
pub unsafe fn comm_create_keyval(
    comm_copy_attr_fn: MPI_Comm_copy_attr_function,
    comm_delete_attr_fn: MPI_Comm_delete_attr_function,
    comm_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result {
    let state = running()?;
    address(comm_keyval, "comm_keyval")?;
    let functions = Functions {
        copy: comm_copy_attr_fn,
        delete: comm_delete_attr_fn,
        extra_state: extra_state as usize,
        handle: |token| MPI_Comm(handle_out(Kind::Communicator, token)),
    };
    let made = state
        .attributes
        .create_key(ObjectKind::Communicator, Box::new(functions));
    // SAFETY: as the caller vouches.
    unsafe { store(comm_keyval, made, "comm_keyval") }
}

/// `MPI_Comm_free_keyval`, section 7.7.2.
///
/// # Safety
///
/// `comm_keyval` is null or points to a key.
pub unsafe fn comm_free_keyval(comm_keyval: *mut c_int) -> Result {
    let state = running()?;
    // SAFETY: as the caller vouches.
    unsafe { free(&state, ObjectKind::Communicator, comm_keyval) }
}

/// `MPI_Comm_set_attr`, section 7.7.2.
pub fn comm_set_attr(comm: MPI_Comm, comm_keyval: c_int, attribute_val: *mut c_void) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let keyval = state
        .attributes
        .keyval(ObjectKind::Communicator, comm_keyval)?;
    let attributes = communicator.attributes();
    let set = attributes.set(comm.0 as u64, &keyval, attribute_val as usize);
    Ok(set?)
}

/// `MPI_Comm_get_attr`, section 7.7.2.
///
/// # Safety
///
/// `attribute_val` is null or the address of a pointer; `flag` is null or writable.
pub unsafe fn comm_get_attr(
    comm: MPI_Comm,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let found = match predefined::value(&state, comm_keyval) {
        Some(address) => Some(address),
        None => get(
            &state,
            ObjectKind::Communicator,
            Some(communicator.attributes()),
            comm_keyval,
        )?,
    };
    // SAFETY: as the caller vouches.
    unsafe { store_value(found, attribute_val, flag) }
}

/// `MPI_Comm_delete_attr`, section 7.7.2.
pub fn comm_delete_attr(comm: MPI_Comm, comm_keyval: c_int) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let keyval = state
        .attributes
        .keyval(ObjectKind::Communicator, comm_keyval)?;
    let attributes = communicator.attributes();
    let deleted = attributes.delete(comm.0 as u64, keyval.id());
    Ok(deleted?)
}

/// `MPI_Keyval_create`, [`comm_create_keyval`] by its first name.
///
/// # Safety
///
/// As there.
pub unsafe fn keyval_create(
    copy_fn: MPI_Copy_function,
    delete_fn: MPI_Delete_function,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result {
    // SAFETY: as the caller vouches; the function types are the same.
    unsafe { comm_create_keyval(copy_fn, delete_fn, keyval, extra_state) }
}

/// `MPI_Keyval_free`, [`comm_free_keyval`] by its first name.
///
/// # Safety
///
/// As there.
pub unsafe fn keyval_free(keyval: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { comm_free_keyval(keyval) }
}

/// `MPI_Attr_put`, [`comm_set_attr`] by its first name.
pub fn attr_put(comm: MPI_Comm, keyval: c_int, attribute_val: *mut c_void) -> Result {
    comm_set_attr(comm, keyval, attribute_val)
}

/// `MPI_Attr_get`, [`comm_get_attr`] by its first name.
///
/// # Safety
///
/// As there.
pub unsafe fn attr_get(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { comm_get_attr(comm, keyval, attribute_val, flag) }
}

/// `MPI_Attr_delete`, [`comm_delete_attr`] by its first name.
pub fn attr_delete(comm: MPI_Comm, keyval: c_int) -> Result {
    comm_delete_attr(comm, keyval)
}
