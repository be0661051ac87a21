//! Attributes of windows (MPI-5.0 sections 7.7.3 and 12.2.6).

use std::ffi::{c_int, c_void};

use pamir_mpi::attribute::ObjectKind;

use pamir_interface::face::Kind;

use crate::argument::{address, store};
use crate::constants::*;
use crate::error::Result;
use crate::face::handle_out;
use crate::functions::communicators::attribute::functions::Functions;
use crate::functions::communicators::attribute::{free, get, store_value};
use crate::process::running;
use crate::state::windows::Entry;
use crate::types::*;

/// `MPI_Win_create_keyval`, section 7.7.3.
///
/// # Safety
///
/// The functions may be called as long as the key is attached; `win_keyval` is null or writable.
pub unsafe fn win_create_keyval(
    win_copy_attr_fn: MPI_Win_copy_attr_function,
    win_delete_attr_fn: MPI_Win_delete_attr_function,
    win_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result {
    let state = running()?;
    address(win_keyval, "win_keyval")?;
    let functions = Functions {
        copy: win_copy_attr_fn,
        delete: win_delete_attr_fn,
        extra_state: extra_state as usize,
        handle: |token| MPI_Win(handle_out(Kind::Window, token)),
    };
    let made = state
        .attributes
        .create_key(ObjectKind::Window, Box::new(functions));
    // SAFETY: as the caller vouches.
    unsafe { store(win_keyval, made, "win_keyval") }
}

/// `MPI_Win_free_keyval`, section 7.7.3.
///
/// # Safety
///
/// `win_keyval` is null or points to a key.
pub unsafe fn win_free_keyval(win_keyval: *mut c_int) -> Result {
    let state = running()?;
    // SAFETY: as the caller vouches.
    unsafe { free(&state, ObjectKind::Window, win_keyval) }
}

/// `MPI_Win_set_attr`, section 7.7.3.
pub fn win_set_attr(win: MPI_Win, win_keyval: c_int, attribute_val: *mut c_void) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    let keyval = state.attributes.keyval(ObjectKind::Window, win_keyval)?;
    let set = window
        .attributes()
        .set(win.0 as u64, &keyval, attribute_val as usize);
    Ok(set?)
}

/// What a predefined attribute's value is: the base itself, or an address of what it says.
fn predefined(window: &Entry, key: c_int) -> Option<usize> {
    let facts = &window.facts;
    Some(match key {
        // Of all of a process's memory, that is MPI_BOTTOM.
        MPI_WIN_BASE => window.own().here.map_or(0, |base| base as usize),
        MPI_WIN_SIZE => &raw const facts.size as usize,
        MPI_WIN_DISP_UNIT => &raw const facts.unit as usize,
        MPI_WIN_CREATE_FLAVOR => &raw const facts.flavor as usize,
        MPI_WIN_MODEL => &raw const facts.model as usize,
        _ => return None,
    })
}

/// `MPI_Win_get_attr`, section 7.7.3.
///
/// # Safety
///
/// `attribute_val` is null or the address of a pointer; `flag` is null or writable.
pub unsafe fn win_get_attr(
    win: MPI_Win,
    win_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    let found = match predefined(&window, win_keyval) {
        Some(value) => Some(value),
        None => get(
            &state,
            ObjectKind::Window,
            Some(window.attributes()),
            win_keyval,
        )?,
    };
    // SAFETY: as the caller vouches.
    unsafe { store_value(found, attribute_val, flag) }
}

/// `MPI_Win_delete_attr`, section 7.7.3.
pub fn win_delete_attr(win: MPI_Win, win_keyval: c_int) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    let keyval = state.attributes.keyval(ObjectKind::Window, win_keyval)?;
    let deleted = window.attributes().delete(win.0 as u64, keyval.id());
    Ok(deleted?)
}
