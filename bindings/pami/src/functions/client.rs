//! The C functions on clients, and the clock that each of them offers.
//!
//! Before: a program's call. After: [`crate::client`] has the object, or has ended it.

use std::ffi::{CStr, c_char, c_void};

use crate::client::{ClientObject, client_of, is_attribute, machine};
use crate::edge::attributes::{entries, query, update};
use crate::edge::mark;
use crate::geometry::end_all;
use crate::refusal::{Refusal, answer};
use crate::structures::{Code, Configuration};

/// # Safety
///
/// `name` is a string, `client` writable, and the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_create(
    name: *const c_char,
    client: *mut *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let create = || {
        if name.is_null() || client.is_null() {
            let argument = "name or client";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the string.
        let name = unsafe { CStr::from_ptr(name) }.to_str();
        let name = name.ok().filter(|name| !name.is_empty());
        // SAFETY: the caller vouches for the entries.
        let configuration = unsafe { entries(configuration, num_configs)? };
        if mark::is_forked() {
            return Err(Refusal::Forked);
        }
        let object = ClientObject::create(name.ok_or(Refusal::Name)?, configuration)?;
        // SAFETY: the caller vouches for the address.
        unsafe { *client = object.handle() };
        Ok(())
    };
    answer(create())
}

/// # Safety
///
/// `client` points to a client's handle, which nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_destroy(client: *mut *mut c_void) -> Code {
    let destroy = || {
        if client.is_null() {
            let argument = "client";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the address and the handle in it.
        let object = unsafe { client_of(*client)? };
        object.end(|| end_all(object))?;
        // SAFETY: as above.
        unsafe { *client = std::ptr::null_mut() };
        Ok(())
    };
    answer(destroy())
}

/// # Safety
///
/// `client` is a client's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_query(
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { client_of(client) }.and_then(|client| unsafe {
        query("client", configuration, num_configs, |name| {
            client.answer(name)
        })
    });
    answer(outcome)
}

/// # Safety
///
/// `client` is a client's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Client_update(
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    // SAFETY: the caller vouches for the handle and the entries.
    let outcome = unsafe { client_of(client) }.and_then(|_| {
        // SAFETY: as above.
        unsafe { update("client", configuration, num_configs, is_attribute) }
    });
    answer(outcome)
}

/// Seconds since some moment in the past.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Wtime(_client: *mut c_void) -> f64 {
    machine::seconds()
}

/// Nanoseconds since that moment.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Wtimebase(_client: *mut c_void) -> u64 {
    machine::nanoseconds()
}
