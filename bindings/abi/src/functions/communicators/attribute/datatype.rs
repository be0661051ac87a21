//! Attributes of datatypes. They belong to a handle, so predefined datatypes have some too.

use std::ffi::{c_int, c_void};

use pamir_mpi::attribute::ObjectKind;

use super::functions::Functions;
use super::{free, get, store_value};
use pamir_interface::face::Kind;

use crate::argument::{address, store};
use crate::error::Result;
use crate::face::handle_out;
use crate::process::running;
use crate::types::*;

/// `MPI_Type_create_keyval`, section 7.7.4.
///
/// # Safety
///
/// The functions may be called as long as the key is attached; `type_keyval` is null or
/// writable.
pub unsafe fn type_create_keyval(
    type_copy_attr_fn: MPI_Type_copy_attr_function,
    type_delete_attr_fn: MPI_Type_delete_attr_function,
    type_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result {
    let state = running()?;
    address(type_keyval, "type_keyval")?;
    let functions = Functions {
        copy: type_copy_attr_fn,
        delete: type_delete_attr_fn,
        extra_state: extra_state as usize,
        handle: |token| MPI_Datatype(handle_out(Kind::Datatype, token)),
    };
    let made = state
        .attributes
        .create_key(ObjectKind::Datatype, Box::new(functions));
    // SAFETY: as the caller vouches.
    unsafe { store(type_keyval, made, "type_keyval") }
}

/// `MPI_Type_free_keyval`, section 7.7.4.
///
/// # Safety
///
/// `type_keyval` is null or points to a key.
pub unsafe fn type_free_keyval(type_keyval: *mut c_int) -> Result {
    let state = running()?;
    // SAFETY: as the caller vouches.
    unsafe { free(&state, ObjectKind::Datatype, type_keyval) }
}

/// `MPI_Type_set_attr`, section 7.7.4.
pub fn type_set_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: *mut c_void,
) -> Result {
    let state = running()?;
    state.datatypes.get(datatype)?;
    let keyval = state.attributes.keyval(ObjectKind::Datatype, type_keyval)?;
    let attached = state.attributes.made_of_datatype(datatype);
    let set = attached.set(datatype.0 as u64, &keyval, attribute_val as usize);
    Ok(set?)
}

/// `MPI_Type_get_attr`, section 7.7.4.
///
/// # Safety
///
/// `attribute_val` is null or the address of a pointer; `flag` is null or writable.
pub unsafe fn type_get_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result {
    let state = running()?;
    state.datatypes.get(datatype)?;
    let attached = state.attributes.of_datatype(datatype);
    let found = get(
        &state,
        ObjectKind::Datatype,
        attached.as_deref(),
        type_keyval,
    )?;
    // SAFETY: as the caller vouches.
    unsafe { store_value(found, attribute_val, flag) }
}

/// `MPI_Type_delete_attr`, section 7.7.4.
pub fn type_delete_attr(datatype: MPI_Datatype, type_keyval: c_int) -> Result {
    let state = running()?;
    state.datatypes.get(datatype)?;
    let keyval = state.attributes.keyval(ObjectKind::Datatype, type_keyval)?;
    let Some(attached) = state.attributes.of_datatype(datatype) else {
        return Ok(());
    };
    let deleted = attached.delete(datatype.0 as u64, keyval.id());
    Ok(deleted?)
}
