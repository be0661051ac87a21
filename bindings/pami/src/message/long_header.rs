//! Headers that do not fit a packet.
//!
//! Before: `PAMI_Send` with a long header. After: at the target, once all of the message is
//! there, the dispatch function is called as for any other.
//!
//! ```text
//! transport message:  header │ bytes of the program's header │    data │ header │ data │
//! ```
//!
//! Such messages have a dispatch id of their own for each of the program's. Both ends keep a
//! copy; other messages may overtake, which is why consistency refuses them.

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{ActiveError, Receive};
use pamir_transport::context::Context;

use crate::context::Held;
use crate::context::endpoint::word_of;
use crate::context::memory::receive_copy;
use crate::message::listener::Listener;
use crate::message::place::Place;
use crate::refusal::Refusal;
use crate::structures::{DispatchHints, HIGHEST_DISPATCH, Hint};

/// The transport's dispatch id for messages with long headers.
fn id_of(dispatch: u16) -> u16 {
    dispatch + HIGHEST_DISPATCH as u16 + 1
}

/// Lets a receiver receive them.
pub fn register(context: &Context, dispatch: u16, listener: Listener) -> Result<(), ActiveError> {
    context.set_dispatch(id_of(dispatch), move |_, arrival| {
        receive(arrival, listener)
    })
}

/// Whether a header does not fit a packet.
///
/// # Errors
///
/// [`Refusal::LongHeader`] where the program's hints say that none is long, and it is longer than a dispatch function gets
/// with its call.
pub fn is_needed(context: Held, header: &[u8], hints: DispatchHints) -> Result<bool, Refusal> {
    let (bytes, most) = (header.len(), context.context().longest_header_bytes());
    if hints.long_header() == Hint::Disable {
        let most = most.min(context.received_immediately());
        if bytes > most {
            return Err(Refusal::LongHeader { bytes, most });
        }
        return Ok(false);
    }
    Ok(bytes > most)
}

/// Sends a message whose header is long; header and data are copied.
pub fn send(context: Held, message: ActiveMessage<'_>, data: &[u8]) -> Result<(), ActiveError> {
    let header = message.header;
    let message = ActiveMessage {
        dispatch: id_of(message.dispatch),
        header: &header.len().to_ne_bytes(),
        ..message
    };
    context.send_copy(message, [header, data].concat())
}

fn receive(arrival: Arrival<'_>, listener: Listener) -> Receive {
    let words = arrival.header.try_into().map(usize::from_ne_bytes);
    let header_bytes = words.unwrap_or(0).min(arrival.bytes);
    let origin = word_of(arrival.origin);
    receive_copy(arrival.bytes, move |whole| {
        let (header, data) = whole.split_at(header_bytes);
        deliver(listener, origin, header, data);
    })
}

/// The whole message is here.
fn deliver(listener: Listener, origin: u32, header: &[u8], data: &[u8]) {
    if listener.takes_immediately(header, data) {
        return listener.give(origin, header, data);
    }
    let place = listener.ask(origin, header, data.len());
    if let Some(end) = place.end {
        end.take(data);
    }
    Place::tell(place.event, place.refusal);
}
