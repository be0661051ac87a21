//! Sending active messages.
//!
//! Before: `PAMI_Send_immediate`, `PAMI_Send`. After: the transport sends, by a protocol that it
//! selects by size; at the target a [dispatch](crate::message::listener) function receives.

use std::ffi::c_void;
use std::ptr::null;

use pamir_transport::active::Way;
use pamir_transport::active::send::ActiveMessage;

use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::context::{ContextObject, context_of, living_context};
use crate::message::long_header;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::{Hint, Send, SendImmediate, Vector};

/// The bytes of a `struct iovec`.
///
/// # Safety
///
/// Its address is readable for its bytes during `'a`, if they are any.
#[inline(always)]
pub unsafe fn bytes_of<'a>(vector: Vector) -> Result<&'a [u8], Refusal> {
    if vector.bytes == 0 {
        return Ok(&[]);
    }
    if vector.address.is_null() {
        let argument = "header or data";
        return Err(Refusal::Null { argument });
    }
    // SAFETY: the caller vouches for it.
    Ok(unsafe { std::slice::from_raw_parts(vector.address.cast(), vector.bytes) })
}

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

#[inline(always)]
fn part(vector: Vector) -> (*const u8, usize) {
    (vector.address.cast_const().cast(), vector.bytes)
}

/// Sends a message of one line that goes where the last one went, and whose lane has room; whether
/// it was that.
///
/// # Safety
///
/// As for `PAMI_Send_immediate`.
#[inline(always)]
pub unsafe fn send_again(context: *mut c_void, parameters: *const SendImmediate) -> bool {
    // SAFETY: the caller vouches for handle and parameters.
    let (Some(object), Some(parameters)) =
        (unsafe { (living_context(context), parameters.as_ref()) })
    else {
        return false;
    };
    let (header, data, way) = (parameters.header, parameters.data, way_of(parameters));
    if data.address.is_null() {
        return false;
    }
    // SAFETY: the caller vouches for having the context.
    let context = unsafe { object.context() };
    // Most messages have no header; without one nothing is asked of it.
    if header.bytes == 0 {
        // SAFETY: the caller vouches for the data.
        return unsafe { context.send_again(way, [(null(), 0), part(data)]) };
    }
    // SAFETY: the caller vouches for both.
    !header.address.is_null() && unsafe { context.send_again(way, [part(header), part(data)]) }
}

/// Sends a message of one packet, where all is as it should be and the lane has room; false
/// otherwise: then [`send_immediate`] sends, or says what is wrong.
///
/// # Safety
///
/// As for `PAMI_Send_immediate`.
unsafe fn send_packet(context: *mut c_void, parameters: *const SendImmediate) -> bool {
    // SAFETY: the caller vouches for handle and parameters.
    let (Some(object), Some(parameters)) =
        (unsafe { (living_context(context), parameters.as_ref()) })
    else {
        return false;
    };
    let SendImmediate { header, data, .. } = *parameters;
    let lacks = |vector: Vector| vector.address.is_null() && vector.bytes != 0;
    if lacks(header) || lacks(data) {
        return false;
    }
    let (way, parts) = (way_of(parameters), [part(header), part(data)]);
    // SAFETY: the caller vouches for having the context.
    let context = unsafe { object.context() };
    let target = (object.words().unit(parameters.dest))
        .filter(|_| object.receivers().is_set(parameters.dispatch));
    // SAFETY: the caller vouches for header and data.
    target.is_some_and(|target| unsafe { context.send_at_once(target, way, parts) })
}

/// # Safety
///
/// As for `PAMI_Send_immediate`.
#[inline(never)]
pub unsafe fn send_generally(context: *mut c_void, parameters: *const SendImmediate) -> Code {
    // SAFETY: as the caller vouches.
    if unsafe { send_packet(context, parameters) } {
        return Code::Success;
    }
    // SAFETY: as the caller vouches.
    answer(unsafe { send_immediate(context, parameters) })
}

/// # Safety
///
/// As for `PAMI_Send_immediate`.
unsafe fn send_immediate(
    context: *mut c_void,
    parameters: *const SendImmediate,
) -> Result<(), Refusal> {
    // SAFETY: the caller vouches for handle and parameters.
    let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
    let parameters = parameters.ok_or_else(no_parameters)?;
    let hints = object.receivers().hints(parameters.dispatch)?;
    // SAFETY: the caller vouches for header and data, and for having the context.
    let (header, data, context) = unsafe {
        (
            bytes_of(parameters.header)?,
            bytes_of(parameters.data)?,
            object.context(),
        )
    };
    let (to, dispatch) = (endpoint_of(parameters.dest), parameters.dispatch as u16);
    if hints.queue_immediate() == Hint::Disable {
        let sent = context.try_send_immediate(to, dispatch, header, data)?;
        return if sent { Ok(()) } else { Err(Refusal::NoRoom) };
    }
    Ok(context.send_immediate(to, dispatch, header, data)?)
}

/// # Safety
///
/// As for `PAMI_Send`.
pub unsafe fn start(object: &ContextObject, parameters: &Send) -> Result<(), Refusal> {
    let Send { send, events } = parameters;
    let hints = object.receivers().hints(send.dispatch)?;
    // SAFETY: the caller vouches for header and data, and for having the context.
    let (header, data, context) = unsafe {
        (
            bytes_of(send.header)?,
            bytes_of(send.data)?,
            object.context(),
        )
    };
    let told = |function| Event::new(object, function, events.cookie).map(Event::completion);
    let (local, remote) = (told(events.local_fn), told(events.remote_fn));
    let (to, dispatch) = (endpoint_of(send.dest), send.dispatch as u16);
    let most = context.longest_header_bytes();
    if header.len() > most {
        if hints.long_header() == Hint::Disable {
            let bytes = header.len();
            return Err(Refusal::LongHeader { bytes, most });
        }
        long_header::send(context, to, dispatch, header, data, [local, remote])?;
        return Ok(());
    }
    let message = ActiveMessage {
        to,
        dispatch,
        header,
        local,
        remote,
    };
    // SAFETY: the caller vouches for the data until the local event.
    unsafe { context.send_active(message, data.as_ptr(), data.len())? };
    Ok(())
}
