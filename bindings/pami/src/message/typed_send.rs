//! Sending data that a type describes.
//!
//! Before: `PAMI_Send_typed`. After: the transport packs the data straight into packets; at the
//! target it is received like any other message, into the same type, another one, or none.

use pamir_transport::active::send::ActiveMessage;

use crate::context::ContextObject;
use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::layout::end::End;
use crate::layout::handling::Handling;
use crate::layout::layout_of;
use crate::message::long_header;
use crate::message::send::bytes_of;
use crate::refusal::Refusal;
use crate::structures::Hint;
use crate::structures::SendTyped;

/// # Safety
///
/// As for `PAMI_Send_typed`.
unsafe fn source_of(parameters: &SendTyped) -> Result<End, Refusal> {
    let (data, typed) = (parameters.send.data, parameters.typed);
    let layout = layout_of(typed.type_, "typed.type")?;
    if data.address.is_null() && data.bytes != 0 {
        let argument = "send.data";
        return Err(Refusal::Null { argument });
    }
    let handling = Handling::of_origin(typed.data_fn, typed.data_cookie, &layout)?;
    let address = data.address.cast();
    // SAFETY: the caller vouches for what the type describes.
    unsafe { End::new(&layout, address, typed.offset, data.bytes, handling) }
}

/// # Safety
///
/// As for `PAMI_Send_typed`.
pub unsafe fn start(object: &ContextObject, parameters: &SendTyped) -> Result<(), Refusal> {
    let SendTyped { send, events, .. } = parameters;
    let hints = object.receivers().hints(send.dispatch)?;
    // SAFETY: the caller vouches for header and data, and for having the context.
    let (header, mut source, context) = unsafe {
        (
            bytes_of(send.header)?,
            source_of(parameters)?,
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
        // SAFETY: the caller vouches for the data.
        let data = unsafe { source.packed(send.data.bytes) };
        long_header::send(context, to, dispatch, header, &data, [local, remote])?;
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
    unsafe {
        match source {
            End::Contiguous(address) => context.send_active(message, address, send.data.bytes)?,
            End::Scattered(section) => context.send_active_scattered(message, section)?,
            End::Function(memory) => context.send_active_scattered(message, *memory)?,
        }
    }
    Ok(())
}
