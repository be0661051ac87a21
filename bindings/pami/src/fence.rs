//! Fences: the program is told when everything it sent is where it should be.
//!
//! Before: transfers of a context. After: the transport's fence calls the event.
//!
//! | from   | to     | by |
//! |--------|--------|----|
//! | closed | open   | `PAMI_Fence_begin` |
//! | open   | open   | `PAMI_Fence_all`, `PAMI_Fence_endpoint` |
//! | open   | closed | `PAMI_Fence_end` |
//!
//! Anything else is refused.

use std::ffi::c_void;

use crate::context::{ContextObject, context_of};
use crate::endpoint::endpoint_of;
use crate::event::Event;
use crate::refusal::{Code, Refusal, answer};
use crate::structures::EventFunction;

impl ContextObject {
    fn change_fencing(&self, open: bool, reason: &'static str) -> Result<(), Refusal> {
        if self.fencing.replace(open) == open {
            return Err(Refusal::FenceRegion { reason });
        }
        Ok(())
    }

    /// # Safety
    ///
    /// As for [`ContextObject::context`].
    unsafe fn fence(
        &self,
        done_fn: EventFunction,
        cookie: *mut c_void,
        target: Option<u32>,
    ) -> Result<(), Refusal> {
        if !self.fencing.get() {
            let reason = "a fence outside of a fence region: call PAMI_Fence_begin before";
            return Err(Refusal::FenceRegion { reason });
        }
        let event = Event::new(self, done_fn, cookie);
        let done = Box::new(move |_: &_, how| {
            if let Some(event) = event {
                event.end(how);
            }
        });
        // SAFETY: as the caller vouches.
        unsafe { self.context() }.fence(target.map(endpoint_of), done)?;
        Ok(())
    }
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Fence_begin(context: *mut c_void) -> Code {
    let reason = "a fence region is open already: end it with PAMI_Fence_end";
    // SAFETY: the caller vouches for the handle.
    let object = unsafe { context_of(context) };
    answer(object.and_then(|object| object.change_fencing(true, reason)))
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Fence_end(context: *mut c_void) -> Code {
    let reason = "no fence region is open: call PAMI_Fence_begin before";
    // SAFETY: the caller vouches for the handle.
    let object = unsafe { context_of(context) };
    answer(object.and_then(|object| object.change_fencing(false, reason)))
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
    answer(object.and_then(|object| unsafe { object.fence(done_fn, cookie, None) }))
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
    answer(object.and_then(|object| unsafe { object.fence(done_fn, cookie, Some(target)) }))
}
