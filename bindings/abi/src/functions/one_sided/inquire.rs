//! What a window is called, what its hints are, and whose it is.

use std::ffi::{c_char, c_int};

use crate::argument::{address, store, store_string, string};
use crate::constants::*;
use crate::error::Result;
use crate::functions::communicators::group;
use crate::functions::management::info;
use crate::process::running;
use crate::state::infos;
use crate::types::*;

/// `MPI_Win_set_name`, section 7.8.
///
/// # Safety
///
/// `win_name` is null or a string.
pub unsafe fn win_set_name(win: MPI_Win, win_name: *const c_char) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    // SAFETY: the caller vouches for it.
    let name = unsafe { string(win_name, "win_name")? };
    window.set_name(&name[..name.len().min(MPI_MAX_OBJECT_NAME as usize - 1)]);
    Ok(())
}

/// `MPI_Win_get_name`, section 7.8.
///
/// # Safety
///
/// `win_name` is null or has room for `MPI_MAX_OBJECT_NAME` characters; `resultlen` is null or writable.
pub unsafe fn win_get_name(win: MPI_Win, win_name: *mut c_char, resultlen: *mut c_int) -> Result {
    let state = running()?;
    let name = if win == MPI_WIN_NULL {
        b"MPI_WIN_NULL".as_slice().into()
    } else {
        state.windows.named(win)?.name()
    };
    address(resultlen, "resultlen")?;
    // SAFETY: the caller vouches for both.
    unsafe {
        let bytes = store_string(win_name, &name, MPI_MAX_OBJECT_NAME as usize, "win_name")?;
        store(resultlen, bytes, "resultlen")
    }
}

/// `MPI_Win_get_group`, section 12.2.6.
///
/// # Safety
///
/// `group` is null or writable.
pub unsafe fn win_get_group(win: MPI_Win, group: *mut MPI_Group) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    // SAFETY: the caller vouches for it.
    unsafe { group::give(&state, window.communicator().group().clone(), group) }
}

/// `MPI_Win_set_info`, section 12.2.7.
pub fn win_set_info(win: MPI_Win, info: MPI_Info) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    window.add_hints(&infos::hints(info)?);
    Ok(())
}

/// `MPI_Win_get_info`, section 12.2.7.
///
/// # Safety
///
/// `info_used` is null or writable.
pub unsafe fn win_get_info(win: MPI_Win, info_used: *mut MPI_Info) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    // SAFETY: the caller vouches for it.
    unsafe { info::give(window.hints(), info_used, "info_used") }
}
