//! The C functions on endpoints.
//!
//! Before: a client, a task and an offset, or a word. After: the word, or what it is made of.

use std::ffi::c_void;

use crate::client::client_of;
use crate::context::endpoint::{endpoint_of, word_of};
use crate::refusal::{Refusal, answer};
use crate::structures::Code;

/// # Safety
///
/// `client` is a client's handle; `endpoint` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Endpoint_create(
    client: *mut c_void,
    task: u32,
    offset: usize,
    endpoint: *mut u32,
) -> Code {
    let create = || {
        // SAFETY: the caller vouches for the handle.
        let client = unsafe { client_of(client)? };
        let made = client.client().endpoint(task as usize, offset)?;
        if endpoint.is_null() {
            let argument = "endpoint";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the address.
        unsafe { *endpoint = word_of(made) };
        Ok(())
    };
    answer(create())
}

/// # Safety
///
/// `task` and `offset` are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Endpoint_query(
    endpoint: u32,
    task: *mut u32,
    offset: *mut usize,
) -> Code {
    if task.is_null() || offset.is_null() {
        let argument = "task or offset";
        return answer(Err(Refusal::Null { argument }));
    }
    if endpoint == u32::MAX {
        return answer(Err(Refusal::Endpoint { endpoint }));
    }
    let endpoint = endpoint_of(endpoint);
    // SAFETY: the caller vouches for both addresses.
    unsafe {
        *task = endpoint.task() as u32;
        *offset = endpoint.context();
    }
    Code::Success
}
