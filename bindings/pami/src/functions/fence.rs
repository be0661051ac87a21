//! The C functions that fence, and those that close and reopen the way to endpoints.
//!
//! Before: transfers of a context. After: the program is told when they are where they should be.
//!
//! Once it has fenced, and agreed with the others, `PAMI_Purge` refuses instructions to endpoints with
//! `PAMI_SHUTDOWN`, until `PAMI_Resume`. While something is under way to one of them, none is purged
//! (`PAMI_EAGAIN`).

use std::ffi::c_void;

use pamir_transport::active::ActiveError;
use pamir_transport::context::Context;
use pamir_transport::context::endpoint::Endpoint;

use crate::context::context_of;
use crate::context::endpoint::endpoint_of;
use crate::one_sided::fence::{change_fencing, fence};
use crate::refusal::{Refusal, answer};
use crate::structures::{Code, EventFunction};

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Fence_begin(context: *mut c_void) -> Code {
    let reason = "a fence region is open already: end it with PAMI_Fence_end";
    // SAFETY: the caller vouches for the handle.
    let object = unsafe { context_of(context) };
    answer(object.and_then(|object| change_fencing(object, true, reason)))
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Fence_end(context: *mut c_void) -> Code {
    let reason = "no fence region is open: call PAMI_Fence_begin before";
    // SAFETY: the caller vouches for the handle.
    let object = unsafe { context_of(context) };
    answer(object.and_then(|object| change_fencing(object, false, reason)))
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Fence_all(
    context: *mut c_void,
    done_fn: EventFunction,
    cookie: *mut c_void,
) -> Code {
    // SAFETY: the caller vouches for the handle.
    let object = unsafe { context_of(context) };
    // SAFETY: the caller vouches for having the context.
    answer(object.and_then(|object| unsafe { fence(object, done_fn, cookie, None) }))
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Fence_endpoint(
    context: *mut c_void,
    done_fn: EventFunction,
    cookie: *mut c_void,
    target: u32,
) -> Code {
    // SAFETY: the caller vouches for the handle.
    let object = unsafe { context_of(context) };
    // SAFETY: the caller vouches for having the context.
    answer(object.and_then(|object| unsafe { fence(object, done_fn, cookie, Some(target)) }))
}

/// # Safety
///
/// `context` is a context's handle that the calling thread has for itself; `dest` has `count`
/// endpoints.
unsafe fn change(
    context: *mut c_void,
    dest: *const u32,
    count: usize,
    change: impl Fn(&Context, &[Endpoint]) -> Result<(), ActiveError>,
) -> Result<(), Refusal> {
    // SAFETY: the caller vouches for the handle.
    let object = unsafe { context_of(context)? };
    if count == 0 {
        return Ok(());
    }
    if dest.is_null() {
        let argument = "dest";
        return Err(Refusal::Null { argument });
    }
    // SAFETY: the caller vouches for the endpoints, and for having the context.
    let (words, context) = unsafe { (std::slice::from_raw_parts(dest, count), object.context()) };
    let endpoints: Vec<_> = words.iter().map(|word| endpoint_of(*word)).collect();
    if let Some(index) = endpoints.iter().position(|one| *one == context.endpoint()) {
        let endpoint = words[index];
        return Err(Refusal::OwnEndpoint { endpoint });
    }
    Ok(change(context, &endpoints)?)
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; `dest`
/// has `count` endpoints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Purge(context: *mut c_void, dest: *mut u32, count: usize) -> Code {
    let close = |context: &Context, endpoints: &[Endpoint]| {
        for (index, endpoint) in endpoints.iter().enumerate() {
            if let Err(error) = context.close_endpoint(*endpoint) {
                for closed in &endpoints[..index] {
                    context.reopen_endpoint(*closed)?;
                }
                return Err(error);
            }
        }
        Ok(())
    };
    // SAFETY: as the caller vouches.
    answer(unsafe { change(context, dest, count, close) })
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; `dest`
/// has `count` endpoints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Resume(context: *mut c_void, dest: *mut u32, count: usize) -> Code {
    let open = |context: &Context, endpoints: &[Endpoint]| {
        let mut opened = endpoints.iter().map(|one| context.reopen_endpoint(*one));
        opened.try_for_each(|outcome| outcome)
    };
    // SAFETY: as the caller vouches.
    answer(unsafe { change(context, dest, count, open) })
}
