//! Receives the messages of active-message collectives, and starts operations.
//!
//! Before: a function was set, or a member starts an operation. After: what comes finds its function, or the
//! operation that it answers.

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::{ActiveError, Receive};

use crate::collective::active::head::{ANSWER, Head, START};
use crate::collective::active::{answer, awaited, broadcast};
use crate::collective::call::Call;
use crate::context::Held;
use crate::geometry::{WORLD, by_id, world};
use crate::refusal::Refusal;
use crate::structures::collective::Parameters;
use crate::structures::kind::TransferKind;

/// A START has come: calls the member's function.
fn started(object: Held, arrival: Arrival<'_>) -> Receive {
    let Some((head, header)) = Head::split(arrival.header) else {
        return Receive::unhandled();
    };
    let registration = object.active().function(head.kind, head.dispatch as usize);
    let client = object.client();
    let geometry = if head.geometry == WORLD {
        world(client).ok()
    } else {
        by_id(client, head.geometry)
    };
    let Some(geometry) = geometry else {
        return Receive::unhandled();
    };
    // It is kept until the function is set, which has it given again.
    let Some(registration) = registration else {
        return Receive::not_yet();
    };
    match head.kind {
        TransferKind::ActiveBroadcast | TransferKind::ActiveScatter => {
            broadcast::receive(object, registration, geometry, (head, header), arrival)
        }
        _ => answer::respond(
            object,
            registration,
            geometry,
            head,
            (header, arrival.origin),
        ),
    }
}

/// Lets a context receive the messages of active-message collectives.
///
/// # Errors
///
/// What the transport refuses.
pub fn listen(object: Held) -> Result<(), ActiveError> {
    let context = object.context();
    context.set_dispatch(START, move |_, arrival| started(object, arrival))?;
    context.set_dispatch(ANSWER, move |_, arrival| awaited::answered(object, arrival))
}

/// Starts an operation of an active kind.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn start(call: Call, kind: TransferKind, cmd: &Parameters) -> Result<(), Refusal> {
    listen(call.object)?;
    match kind {
        TransferKind::ActiveBroadcast | TransferKind::ActiveScatter => {
            broadcast::start(call, kind, cmd.active_send())
        }
        TransferKind::ActiveGather => awaited::gather(call, cmd.active_gather()),
        _ => awaited::reduce(call, cmd.active_reduce()),
    }
}
