//! The C functions on extensions.
//!
//! Before: a program names an extension. After: it has the addresses of what [`crate::extension`] offers.

use std::ffi::{CStr, c_char, c_void};

use crate::client::client_of;
use crate::extension;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;

/// # Safety
///
/// `client` is a client's handle, `name` a string, `handle` writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Extension_open(
    client: *mut c_void,
    name: *const c_char,
    handle: *mut *mut c_void,
) -> Code {
    let opening = || {
        // SAFETY: the caller vouches for the handle.
        let client = unsafe { client_of(client)? }.client();
        if name.is_null() || handle.is_null() {
            let argument = "name or extension";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the string.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let opened = extension::open(&name, client.task(), client.tasks())?;
        // SAFETY: the caller vouches for the address.
        unsafe { *handle = opened };
        Ok(())
    };
    answer(opening())
}

/// Nothing is kept for an extension that is open.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Extension_close(handle: *mut c_void) -> Code {
    answer(extension::check(handle))
}

/// # Safety
///
/// `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Extension_symbol(
    handle: *mut c_void,
    name: *const c_char,
) -> *mut c_void {
    if extension::check(handle).is_err() || name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the caller vouches for the string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    extension::symbol(handle, name)
}
