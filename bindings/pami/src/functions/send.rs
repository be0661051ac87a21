//! The C functions that send active messages.
//!
//! Before: a program's call. After: [`crate::message`] has sent, or refused.

use std::ffi::c_void;

use crate::context::context_of;
use crate::message::send::{self, send_again, send_generally};
use crate::message::typed_send;
use crate::refusal::answer;
use crate::structures::{Code, Send, SendImmediate, SendTyped};

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters, header and data are readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Send_immediate(
    context: *mut c_void,
    parameters: *mut SendImmediate,
) -> Code {
    // SAFETY: as the caller vouches.
    unsafe {
        if send_again(context, parameters) {
            return Code::Success;
        }
        send_generally(context, parameters)
    }
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters are readable, and header and data are until the local event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Send(context: *mut c_void, parameters: *mut Send) -> Code {
    let start = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let parameters = parameters.ok_or_else(send::no_parameters)?;
        // SAFETY: as the caller vouches.
        unsafe { send::start(object, parameters) }
    };
    answer(start())
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters are readable, and header and what the type describes at the data's address are until the
/// local event. The data function calls nothing of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Send_typed(context: *mut c_void, parameters: *mut SendTyped) -> Code {
    let start = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let parameters = parameters.ok_or_else(send::no_parameters)?;
        // SAFETY: as the caller vouches.
        unsafe { typed_send::start(object, parameters) }
    };
    answer(start())
}
