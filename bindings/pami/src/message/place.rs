//! Where the program wants the data of a message.
//!
//! Before: a program's function has filled a `pami_recv_t`. After: the transport lands the data there, and the
//! program is told.

use pamir_transport::active::{Receive, TransferError};

use crate::context::ContextObject;
use crate::context::event::Event;
use crate::context::memory::receive_end;
use crate::layout::end::End;
use crate::layout::handling::Handling;
use crate::layout::layout_of;
use crate::refusal::{Refusal, answer};
use crate::structures::variables::PAMI_TYPE_BYTE;
use crate::structures::{self, DispatchHints, Hint};

/// Where the program wants the data of a message.
pub struct Place {
    /// Nothing if it does not want it, or cannot have it.
    pub end: Option<End>,
    /// All of it.
    pub bytes: usize,
    /// Who is told.
    pub event: Option<Event>,
    /// Why it cannot have it.
    pub refusal: Option<Refusal>,
}

/// Where the program wants the data; nothing if it does not.
fn end_of(
    hints: DispatchHints,
    receive: &structures::Receive,
    bytes: usize,
) -> Result<Option<End>, Refusal> {
    let address = receive.addr;
    if address.is_null() {
        return Ok(None);
    }
    let contiguous = hints.recv_contiguous() == Hint::Enable;
    let untyped = contiguous || receive.type_.is_null();
    let type_ = if untyped {
        PAMI_TYPE_BYTE.0
    } else {
        receive.type_
    };
    let offset = if contiguous { 0 } else { receive.offset };
    let layout = layout_of(type_, "type of pami_recv_t")?;
    let handling = match hints.recv_copy() {
        Hint::Enable => None,
        _ => Handling::of(receive.data_fn, receive.data_cookie, &layout)?,
    };
    Ok(Some(End::new(&layout, address, offset, bytes, handling)?))
}

impl Place {
    /// What a program has said of `bytes` bytes in its `pami_recv_t`, under hints.
    pub fn new(
        context: &ContextObject,
        hints: DispatchHints,
        receive: &structures::Receive,
        bytes: usize,
    ) -> Self {
        let end = end_of(hints, receive, bytes);
        let (end, refusal) = match end {
            Ok(end) => (end, None),
            Err(refusal) => (None, Some(refusal)),
        };
        Self {
            end,
            bytes,
            event: Event::new(context, receive.local_fn, receive.cookie),
            refusal,
        }
    }

    /// Tells that the data is there, or why it is not.
    pub fn tell(event: Option<Event>, refusal: Option<Refusal>) {
        let code = answer(refusal.map_or(Ok(()), Err));
        if let Some(event) = event {
            event.tell(code);
        }
    }

    /// Tells that the data did not come.
    pub fn fail(event: Option<Event>, error: TransferError) {
        if let Some(event) = event {
            event.end(Err(error));
        }
    }

    /// As the transport takes it.
    pub fn receive(self) -> Receive {
        let Self {
            end,
            event,
            refusal,
            ..
        } = self;
        let receive = end.map_or_else(Receive::nowhere, receive_end);
        receive.then(move |_, how| match (how, event) {
            (Ok(()), event) => Self::tell(event, refusal),
            (Err(error), event) => Self::fail(event, error),
        })
    }
}
