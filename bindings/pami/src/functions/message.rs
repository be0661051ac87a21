//! The C functions of active messages: what receives those of a dispatch id, and sends.
//!
//! Before: a program's call. After: [`crate::message`] has sent, or refused; a context gives what comes to its
//! function.

use std::cell::Cell;
use std::ffi::c_void;

use crate::context::receivers::{Call, Receiver};
use crate::context::{ContextObject, HeldHandle};
use crate::edge::attributes::{query, update};
use crate::edge::handle::Handle;
use crate::message::hints::check_hints;
use crate::message::listener::Listener;
use crate::message::send::{self, send_again, send_generally};
use crate::message::{long_header, typed_send};
use crate::refusal::{Refusal, answer};
use crate::structures::configuration::attribute;
use crate::structures::pointer::{In, InOut};
use crate::structures::{
    Code, Configuration, DispatchFunction, DispatchHints, Hint, MOST_ATOM_BYTES, Send,
    SendImmediate, SendTyped, Value,
};

/// Has a function receive the messages of a dispatch id; function and cookie are good as long as the context lives.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Dispatch_set(
    context: HeldHandle,
    dispatch: usize,
    function: DispatchFunction,
    cookie: *mut c_void,
    options: DispatchHints,
) -> Code {
    let set = || {
        let object = context.get()?;
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
        let context = object.context();
        let id = dispatch as u16;
        let early = context.has_early_messages(id);
        let opened = Cell::new(!early);
        context.set_dispatch(id, move |_, arrival| {
            if !opened.replace(true) {
                object.receivers().open(dispatch);
            }
            listener.receive(arrival)
        })?;
        if options.long_header() != Hint::Disable {
            long_header::register(context, id, listener)?;
        }
        object.receivers().set(dispatch, receiver, early);
        Ok(())
    };
    answer(set())
}

/// Asks a dispatch id for attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Dispatch_query(
    context: Handle<ContextObject>,
    dispatch: usize,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let mut ask = || {
        let object = context.get()?;
        object.check_dispatch_range(dispatch)?;
        let known = |name| {
            let number = match name {
                attribute::DISPATCH_SEND_IMMEDIATE_MAX => object.immediate_bytes(),
                attribute::DISPATCH_RECV_IMMEDIATE_MAX => object.received_immediately(),
                attribute::DISPATCH_ATOM_SIZE_MAX => MOST_ATOM_BYTES,
                _ => return None,
            };
            Some(Value::number(number))
        };
        query("dispatch", &mut configuration, num_configs, known)
    };
    answer(ask())
}

/// Refuses to change a dispatch id's attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Dispatch_update(
    context: Handle<ContextObject>,
    dispatch: usize,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let mut change = || {
        let object = context.get()?;
        object.check_dispatch_range(dispatch)?;
        let known = |name| {
            (attribute::DISPATCH_RECV_IMMEDIATE_MAX..=attribute::DISPATCH_ATOM_SIZE_MAX)
                .contains(&name)
        };
        update("dispatch", &mut configuration, num_configs, known)
    };
    answer(change())
}

/// Sends a message; header and data may be changed when it returns.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Send_immediate(context: HeldHandle, parameters: In<SendImmediate>) -> Code {
    if send_again(context, parameters) {
        return Code::Success;
    }
    send_generally(context, parameters)
}

/// Sends a message; header and data stay until the local event.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Send(context: HeldHandle, parameters: In<Send>) -> Code {
    let start = || {
        let (context, parameters) = (context.get()?, parameters.get());
        send::start(context, parameters.ok_or_else(send::no_parameters)?)
    };
    answer(start())
}

/// Sends what a type describes at the data's address, which stays until the local event. The data function calls nothing of this library.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Send_typed(context: HeldHandle, parameters: In<SendTyped>) -> Code {
    let start = || {
        let (context, parameters) = (context.get()?, parameters.get());
        typed_send::start(context, parameters.ok_or_else(send::no_parameters)?)
    };
    answer(start())
}
