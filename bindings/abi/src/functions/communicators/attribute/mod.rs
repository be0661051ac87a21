//! Values that programs cache on communicators and datatypes (MPI-5.0 section 7.7).
//!
//! Before: the C call. After: `pamir_mpi::attribute`, whose objects' tokens are handles
//! here. A program's key is the keyval's number, moved behind the predefined keys.
//!
//! The predefined attributes are the same on every communicator; their values are addresses
//! of integers, which the program may read but not set.

pub mod communicator;
pub mod datatype;
pub mod functions;
pub mod predefined;

pub use communicator::{
    attr_delete, attr_get, attr_put, comm_create_keyval, comm_delete_attr, comm_free_keyval,
    comm_get_attr, comm_set_attr, keyval_create, keyval_free,
};
pub use datatype::{
    type_create_keyval, type_delete_attr, type_free_keyval, type_get_attr, type_set_attr,
};

use std::ffi::{c_int, c_void};

use pamir_mpi::attribute::{AttributeTable, ObjectKind};

use crate::argument::{address, store};
use crate::constants::MPI_KEYVAL_INVALID;
use crate::error::Result;
use crate::state::State;

/// Frees the key at an address.
///
/// # Safety
///
/// `keyval` is null or points to a key.
pub unsafe fn free(state: &State, kind: ObjectKind, keyval: *mut c_int) -> Result {
    address(keyval, "keyval")?;
    // SAFETY: it is not null, so the caller vouches for it.
    state.attributes.free_key(kind, unsafe { keyval.read() })?;
    // SAFETY: as above.
    unsafe { store(keyval, MPI_KEYVAL_INVALID, "keyval") }
}

/// Stores an attribute's value, and whether it is there.
///
/// # Safety
///
/// `value` is null or the address of a pointer; `flag` is null or writable.
pub unsafe fn store_value(found: Option<usize>, value: *mut c_void, flag: *mut c_int) -> Result {
    address(flag, "flag")?;
    // SAFETY: as the caller vouches.
    unsafe {
        if let Some(found) = found {
            store(value.cast::<usize>(), found, "attribute_val")?;
        }
        store(flag, found.is_some().into(), "flag")
    }
}

/// The value of a key of the program's.
pub fn get(
    state: &State,
    kind: ObjectKind,
    attributes: Option<&AttributeTable>,
    key: c_int,
) -> Result<Option<usize>> {
    let keyval = state.attributes.keyval(kind, key)?;
    Ok(attributes.and_then(|attributes| attributes.get(keyval.id())))
}
