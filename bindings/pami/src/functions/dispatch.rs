//! The C functions on dispatch ids.
//!
//! Before: a program's call. After: the context has the function, and gives it messages.

use std::ffi::c_void;

use crate::context::context_of;
use crate::context::receivers::{Call, Receiver};
use crate::edge::attributes::{query, update};
use crate::message::hints::check_hints;
use crate::message::listener::Listener;
use crate::message::long_header;
use crate::refusal::{Refusal, answer};
use crate::structures::configuration::attribute;
use crate::structures::{
    Code, Configuration, DispatchFunction, DispatchHints, Hint, MOST_ATOM_BYTES, Value,
};

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// function and the cookie are good as long as it lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Dispatch_set(
    context: *mut c_void,
    dispatch: usize,
    function: DispatchFunction,
    cookie: *mut c_void,
    options: DispatchHints,
) -> Code {
    let set = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let argument = "fn";
        let function = function.ok_or(Refusal::Null { argument })?;
        check_hints(options)?;
        let receiver = Receiver {
            call: Call { function, cookie },
            hints: options,
        };
        let listener = Listener {
            context: object,
            receiver,
        };
        // SAFETY: the caller vouches for having the context.
        let context = unsafe { object.context() };
        let id = dispatch as u16;
        context.set_dispatch(id, move |_, arrival| listener.receive(arrival))?;
        if options.long_header() != Hint::Disable {
            long_header::register(context, id, listener)?;
        }
        object.receivers().set(dispatch, receiver);
        Ok(())
    };
    answer(set())
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Dispatch_query(
    context: *mut c_void,
    dispatch: usize,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let ask = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let packet = object.immediate_bytes();
        let known = |name| {
            let intval = match name {
                attribute::DISPATCH_SEND_IMMEDIATE_MAX => packet,
                // A message whose origin waits for its reception carries a word more.
                attribute::DISPATCH_RECV_IMMEDIATE_MAX => packet - 8,
                attribute::DISPATCH_ATOM_SIZE_MAX => MOST_ATOM_BYTES,
                _ => return None,
            };
            Some(Value { intval })
        };
        // SAFETY: the caller vouches for the entries.
        unsafe { query("dispatch", configuration, num_configs, known) }
    };
    answer(ask())
}

/// # Safety
///
/// `context` is a context's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Dispatch_update(
    context: *mut c_void,
    dispatch: usize,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let change = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        object.check_dispatch_range(dispatch)?;
        let known = |name| {
            (attribute::DISPATCH_RECV_IMMEDIATE_MAX..=attribute::DISPATCH_ATOM_SIZE_MAX)
                .contains(&name)
        };
        // SAFETY: the caller vouches for the entries.
        unsafe { update("dispatch", configuration, num_configs, known) }
    };
    answer(change())
}
