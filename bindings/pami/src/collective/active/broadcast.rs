//! `PAMI_XFER_AMBROADCAST` and `PAMI_XFER_AMSCATTER`: a message to every member.
//!
//! Before: one member starts. After: each member's function says where the data goes, and the one
//! that started is told when all have it.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::{Receive, TransferError};

use crate::collective::active::starting::Start;
use crate::collective::call::Call;
use crate::collective::lists::bytes_of;
use crate::context::Held;
use crate::context::active_collectives::Registration;
use crate::context::endpoint::word_of;
use crate::edge::handle::Object;
use crate::edge::span::Span;
use crate::geometry::GeometryObject;
use crate::message::place::Place;
use crate::refusal::{Refusal, ended, refused};
use crate::structures::collective::ActiveSend;
use crate::structures::function::Question;
use crate::structures::kind::TransferKind;
use crate::structures::{Code, DispatchHints};

/// Calls a member's function for a message.
pub fn receive(
    object: Held,
    registration: Registration,
    geometry: &GeometryObject,
    header: &[u8],
    arrival: Arrival<'_>,
) -> Receive {
    let wanted = registration.function.take(&Question {
        context: object.handle().raw(),
        cookie: registration.cookie,
        header,
        bytes: arrival.bytes,
        origin: word_of(arrival.origin),
        geometry: geometry.handle().raw(),
    });
    Place::new(&object, DispatchHints(0), &wanted, arrival.bytes).receive()
}

/// Members that have not received yet.
struct Receivers {
    object: Held,
    call: Call,
    left: Cell<usize>,
    worst: Cell<Code>,
}

impl Receivers {
    fn received(&self, how: Result<(), TransferError>) {
        self.one_fewer(how.map_err(|error| ended(Err(error))));
    }

    fn one_fewer(&self, how: Result<(), Code>) {
        if let Err(code) = how {
            self.worst.set(code);
        }
        self.left.set(self.left.get() - 1);
        if self.left.get() > 0 {
            return;
        }
        self.call.geometry.under_way.fetch_sub(1, Ordering::AcqRel);
        if let Some(event) = self.call.event() {
            event.tell(self.worst.get());
        }
        self.object.end_collective();
    }
}

/// Starts an operation that sends to all.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn start(call: Call, kind: TransferKind, parameters: ActiveSend) -> Result<(), Refusal> {
    let ActiveSend {
        dispatch,
        headers,
        headerlen,
        sndbuf,
        stype,
        stypecount,
    } = parameters;
    let each = kind == TransferKind::ActiveScatter;
    let (object, size) = (call.object, call.size());
    let bytes = bytes_of(stype, stypecount)?;
    let blocks = if each { size } else { 1 };
    let all = bytes.checked_mul(blocks).ok_or(Refusal::Count)?;
    let data = Span::new(sndbuf, all, "sndbuf")?;
    let headers = call.headers(headers, headerlen, blocks)?;
    let head = call.head(kind, dispatch, 0)?;
    object.begin_collective();
    call.geometry.under_way.fetch_add(1, Ordering::AcqRel);
    let receivers = Rc::new(Receivers {
        object,
        call,
        left: Cell::new(size),
        worst: Cell::new(Code::Success),
    });
    for rank in 0..size {
        let index = if each { rank } else { 0 };
        let told = Rc::clone(&receivers);
        let (header, data) = (
            headers.part(index, headerlen),
            data.at(index * bytes, bytes),
        );
        let start = Start {
            head,
            header: header.read(),
            data: &data,
        };
        let sent = (receivers.call).send(rank, start, move |how| told.received(how));
        if let Err(refusal) = sent {
            receivers.one_fewer(Err(refused(refusal)));
        }
    }
    Ok(())
}
