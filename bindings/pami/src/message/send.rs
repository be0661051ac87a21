//! Sending active messages.
//!
//! Before: `PAMI_Send_immediate`, `PAMI_Send`. After: the transport sends, by a protocol that it
//! selects by size; at the target a [dispatch](crate::message::listener) function receives.

use std::ptr::null;

use pamir_transport::active::Way;
use pamir_transport::active::send::ActiveMessage;

use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::context::{Held, HeldHandle};
use crate::edge::span::Span;
use crate::message::long_header;
use crate::refusal::{Refusal, answer};
use crate::structures::pointer::In;
use crate::structures::{Code, Hint, Send, SendEvents, SendImmediate, Vector};

/// The bytes of a `struct iovec`.
///
/// # Errors
///
/// [`Refusal::Null`] where there are some, and no address.
#[inline(always)]
pub fn bytes_of(vector: &Vector) -> Result<&[u8], Refusal> {
    let argument = "header or data";
    vector.get().ok_or(Refusal::Null { argument })
}

/// The parameters are missing.
#[cold]
pub fn no_parameters() -> Refusal {
    let argument = "parameters";
    Refusal::Null { argument }
}

/// The way of a message, as the transport remembers it.
#[inline(always)]
fn way_of(parameters: &SendImmediate) -> Way {
    Way {
        endpoint: parameters.dest.into(),
        dispatch: parameters.dispatch,
    }
}

/// Sends a message of one line that goes where the last one went, and whose lane has room; whether
/// it was that.
#[inline(always)]
pub fn send_again(context: HeldHandle, parameters: In<SendImmediate>) -> bool {
    let (Some(context), Some(parameters)) = (context.living(), parameters.get()) else {
        return false;
    };
    let (header, data, way) = (parameters.header, parameters.data, way_of(parameters));
    if data.address.is_null() {
        return false;
    }
    // Most messages have no header; without one nothing is asked of it.
    if header.bytes == 0 {
        return context.send_again(way, (null(), 0), data);
    }
    !header.address.is_null() && context.send_again(way, header.part(), data)
}

/// Sends a message of one packet, where all is as it should be and the lane has room; false
/// otherwise: then [`send_immediate`] sends, or says what is wrong.
fn send_packet(context: HeldHandle, parameters: In<SendImmediate>) -> bool {
    let (Some(context), Some(parameters)) = (context.living(), parameters.get()) else {
        return false;
    };
    let SendImmediate { header, data, .. } = *parameters;
    let lacks = |vector: Vector| vector.address.is_null() && vector.bytes != 0;
    if lacks(header) || lacks(data) {
        return false;
    }
    let way = way_of(parameters);
    let target = (context.words().unit(parameters.dest))
        .filter(|_| context.receivers().is_set(parameters.dispatch));
    target.is_some_and(|target| context.send_at_once(target, way, header, data))
}

/// Sends any other message.
#[inline(never)]
pub fn send_generally(context: HeldHandle, parameters: In<SendImmediate>) -> Code {
    if send_packet(context, parameters) {
        return Code::Success;
    }
    answer(send_immediate(context, parameters))
}

fn send_immediate(context: HeldHandle, parameters: In<SendImmediate>) -> Result<(), Refusal> {
    let object = context.get()?;
    let parameters = parameters.get().ok_or_else(no_parameters)?;
    let hints = object.receivers().hints(parameters.dispatch)?;
    let (header, data) = (bytes_of(&parameters.header)?, bytes_of(&parameters.data)?);
    let (to, dispatch) = (endpoint_of(parameters.dest), parameters.dispatch as u16);
    let context = object.context();
    if hints.queue_immediate() == Hint::Disable {
        let sent = context.try_send_immediate(to, dispatch, header, data)?;
        return if sent { Ok(()) } else { Err(Refusal::NoRoom) };
    }
    Ok(context.send_immediate(to, dispatch, header, data)?)
}

/// The message that a send's parameters describe, whose ends the program is told of.
pub fn message_of<'h>(
    context: Held,
    send: &SendImmediate,
    events: &SendEvents,
    header: &'h [u8],
) -> ActiveMessage<'h> {
    let told = |function| Event::new(&context, function, events.cookie).map(Event::completion);
    ActiveMessage {
        to: endpoint_of(send.dest),
        dispatch: send.dispatch as u16,
        header,
        local: told(events.local_fn),
        remote: told(events.remote_fn),
    }
}

/// Starts a send.
///
/// # Errors
///
/// What is wrong with the parameters, and what the transport refuses.
pub fn start(context: Held, parameters: &Send) -> Result<(), Refusal> {
    let Send { send, events } = parameters;
    let hints = context.receivers().hints(send.dispatch)?;
    let (header, data) = (bytes_of(&send.header)?, bytes_of(&send.data)?);
    let message = message_of(context, send, events, header);
    if long_header::is_needed(context, header, hints)? {
        return Ok(long_header::send(context, message, data)?);
    }
    let data = Span::new(send.data.address, send.data.bytes, "header or data")?;
    Ok(context.send(message, &data)?)
}
