//! The C functions of collective operations.
//!
//! Before: an algorithm of a geometry, and the parameters of its kind. After: [`crate::collective`] has the
//! operation under way.

use std::ffi::c_void;

use crate::collective::active::listen;
use crate::collective::{Call, start};
use crate::context::active_collectives::Registration;
use crate::context::context_of;
use crate::geometry::algorithms::Algorithm;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::collective::Transfer;

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; `transfer`
/// holds the parameters of its algorithm's kind, and buffers stay until the operation has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Collective(context: *mut c_void, transfer: *mut Transfer) -> Code {
    let begin = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, transfer) = unsafe { (context_of(context)?, transfer.as_ref()) };
        let argument = "cmd";
        let transfer = transfer.ok_or(Refusal::Null { argument })?;
        let (call, kind) = Call::new(object, transfer)?;
        // SAFETY: as the caller vouches.
        unsafe { start(call, kind, &transfer.cmd) }
    };
    answer(begin())
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; function and
/// cookie are good as long as it lives, and the function is of the type that the algorithm's kind
/// has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_AMCollective_dispatch_set(
    context: *mut c_void,
    algorithm: usize,
    dispatch: usize,
    function: *mut c_void,
    cookie: *mut c_void,
    _options: u32,
) -> Code {
    let set = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let kind = Algorithm::of_word(algorithm)?.kind;
        if !kind.is_active() {
            return Err(Refusal::Algorithm { algorithm });
        }
        if function.is_null() {
            let argument = "fn";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for having the context.
        unsafe { listen(object)? };
        let registration = Registration { function, cookie };
        object.active().set(kind, dispatch, registration);
        Ok(())
    };
    answer(set())
}
