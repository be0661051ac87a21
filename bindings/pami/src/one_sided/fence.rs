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

use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::context::{ContextObject, Held};
use crate::refusal::Refusal;
use crate::structures::EventFunction;

/// Opens or closes the fence region of a context.
///
/// # Errors
///
/// [`Refusal::FenceRegion`] with the reason, where it is so already.
pub fn change_fencing(
    object: &ContextObject,
    open: bool,
    reason: &'static str,
) -> Result<(), Refusal> {
    if object.fencing.replace(open) == open {
        return Err(Refusal::FenceRegion { reason });
    }
    Ok(())
}

/// Tells when everything to `target`, or to all, is where it should be.
///
/// # Errors
///
/// [`Refusal::FenceRegion`] where no fence region is open.
pub fn fence(
    object: Held,
    done_fn: EventFunction,
    cookie: *mut c_void,
    target: Option<u32>,
) -> Result<(), Refusal> {
    if !object.fencing.get() {
        let reason = "a fence outside of a fence region: call PAMI_Fence_begin before";
        return Err(Refusal::FenceRegion { reason });
    }
    let event = Event::new(&object, done_fn, cookie);
    let done = Box::new(move |_: &_, how| {
        if let Some(event) = event {
            event.end(how);
        }
    });
    object.context().fence(target.map(endpoint_of), done)?;
    Ok(())
}
