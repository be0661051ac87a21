//! Sending data that a type describes.
//!
//! Before: `PAMI_Send_typed`. After: the transport packs the data straight into packets; at the
//! target it is received like any other message, into the same type, another one, or none.

use crate::context::Held;
use crate::layout::end::End;
use crate::layout::handling::Handling;
use crate::layout::layout_of;
use crate::message::long_header;
use crate::message::send::{bytes_of, message_of};
use crate::refusal::Refusal;
use crate::structures::SendTyped;

fn source_of(parameters: &SendTyped) -> Result<End, Refusal> {
    let (data, typed) = (parameters.send.data, parameters.typed);
    let layout = layout_of(typed.type_, "typed.type")?;
    if data.address.is_null() && data.bytes != 0 {
        let argument = "send.data";
        return Err(Refusal::Null { argument });
    }
    let handling = Handling::of_origin(typed.data_fn, typed.data_cookie, &layout)?;
    End::new(&layout, data.address, typed.offset, data.bytes, handling)
}

/// Starts a send of what a type describes.
///
/// # Errors
///
/// What is wrong with the parameters, and what the transport refuses.
pub fn start(context: Held, parameters: &SendTyped) -> Result<(), Refusal> {
    let SendTyped { send, events, .. } = parameters;
    let hints = context.receivers().hints(send.dispatch)?;
    let (header, mut source) = (bytes_of(&send.header)?, source_of(parameters)?);
    let message = message_of(context, send, events, header);
    if long_header::is_needed(context, header, hints)? {
        let data = source.packed(send.data.bytes);
        return Ok(long_header::send(context, message, &data)?);
    }
    Ok(context.send_end(message, source)?)
}
