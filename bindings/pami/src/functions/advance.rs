//! The C functions that advance contexts.
//!
//! Before: a program's call. After: [`crate::context::advance`] has moved on what there is.

use std::ffi::c_void;

use lock_api::RawMutex as _;

use crate::context::advance::advance_each;
use crate::context::{ContextObject, living_context, no_context};
use crate::refusal::refused;
use crate::structures::Code;

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_advance(context: *mut c_void, maximum: usize) -> Code {
    // SAFETY: the caller vouches for the handle, and for having the context.
    let object = unsafe { living_context(context) };
    // SAFETY: as above.
    let context = object.map(|object| (object, unsafe { object.context() }));
    match context {
        Some((object, context)) => object.advance(context, maximum),
        None => refused(no_context()),
    }
}

/// # Safety
///
/// `context` has `count` handles of contexts that the calling thread has for itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_advancev(
    context: *mut *mut c_void,
    count: usize,
    maximum: usize,
) -> Code {
    let advance = |object: &ContextObject| {
        // SAFETY: the caller vouches for having the contexts.
        let context = unsafe { object.context() };
        object.turn(context)
    };
    // SAFETY: the caller vouches for the handles.
    unsafe { advance_each(context, count, maximum, advance) }
}

/// # Safety
///
/// `context` has `count` handles of contexts; who uses them has their locks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Context_trylock_advancev(
    context: *mut *mut c_void,
    count: usize,
    maximum: usize,
) -> Code {
    let advance = |object: &ContextObject| {
        if !object.lock().try_lock() {
            return Ok(false);
        }
        // SAFETY: the lock was just taken, and every user takes it.
        let moved = object.turn(unsafe { object.context() });
        // SAFETY: taken above.
        unsafe { object.lock().unlock() };
        moved
    };
    // SAFETY: the caller vouches for the handles.
    unsafe { advance_each(context, count, maximum, advance) }
}
