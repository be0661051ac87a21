//! Closing the way to endpoints, and opening it again.
//!
//! Before: the program has fenced, and agreed with the others. After: `PAMI_Purge` refuses
//! instructions to the endpoints with `PAMI_SHUTDOWN`, until `PAMI_Resume`. While something is
//! under way to one of them, none is purged (`PAMI_EAGAIN`).

use std::ffi::c_void;

use pamir_transport::active::ActiveError;
use pamir_transport::context::Context;
use pamir_transport::context::endpoint::Endpoint;

use crate::context::context_of;
use crate::endpoint::endpoint_of;
use crate::refusal::{Code, Refusal, answer};

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
