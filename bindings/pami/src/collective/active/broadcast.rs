//! `PAMI_XFER_AMBROADCAST` and `PAMI_XFER_AMSCATTER`: a message to every member.
//!
//! Before: one member starts. After: each member's function says where the data goes, and the one
//! that started is told when all have it.
//!
//! | | whose functions run | the origin's end is told to |
//! |---|---|---|
//! | broadcast | the others' | `cb_done` of the call |
//! | scatter | all members' | `local_fn` of the own member, or else `cb_done` |
//!
//! So it is in IBM's library, by which programs count.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::{Receive, TransferError};

use crate::collective::active::head::Head;
use crate::collective::active::starting::{Data, Start};
use crate::collective::call::Call;
use crate::context::Held;
use crate::context::active_collectives::{Answer, Awaiting, OwnPart, Registration, Told};
use crate::context::endpoint::word_of;
use crate::context::event::Event;
use crate::edge::handle::Object;
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
    (head, header): (Head, &[u8]),
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
    let mut place = Place::new(&object, DispatchHints(0), &wanted, arrival.bytes);
    if arrival.origin == object.endpoint()
        && let Some(receivers) = object.active().awaited(head.key)
    {
        receivers.own_part(OwnPart {
            function: None,
            told: place.event.take().map(Event::teller),
            refusal: place.refusal.take(),
        });
    }
    place.receive()
}

/// Members that have not received yet.
struct Receivers {
    object: Held,
    call: Call,
    key: u64,
    left: Cell<usize>,
    worst: Cell<Code>,
    /// Whom the own member has named.
    told: Cell<Option<Told>>,
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
        self.object.active().forget(self.key);
        self.call.geometry.under_way.fetch_sub(1, Ordering::AcqRel);
        let told = self.told.take().or(self.call.event().map(Event::teller));
        if let Some(told) = told {
            told(self.worst.get());
        }
        self.object.end_collective();
    }
}

impl Awaiting for Receivers {
    fn answer(self: Rc<Self>, _: Answer) -> Receive {
        // Nobody was asked.
        Receive::unhandled()
    }

    fn own_part(&self, part: OwnPart) {
        self.told.set(part.told);
        if let Some(refusal) = part.refusal {
            self.worst.set(refused(refusal));
        }
    }
}

/// Starts an operation that sends to all.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn start(call: Call, kind: TransferKind, parameters: ActiveSend) -> Result<(), Refusal> {
    let each = kind == TransferKind::ActiveScatter;
    let (object, size, own) = (call.object, call.size(), call.rank);
    let blocks = if each { size } else { 1 };
    let ActiveSend { stype, sndbuf, .. } = parameters;
    let count = parameters
        .stypecount
        .checked_mul(blocks)
        .ok_or(Refusal::Count)?;
    let data = call.filled(stype, sndbuf, count, "sndbuf")?;
    let bytes = data.bytes() / blocks;
    let headerlen = parameters.headerlen;
    let headers = call.headers(parameters.headers, headerlen, blocks)?;
    let head = call.head(kind, parameters.dispatch, 0)?;
    object.begin_collective();
    call.geometry.under_way.fetch_add(1, Ordering::AcqRel);
    let receivers = Rc::new(Receivers {
        object,
        call,
        key: head.key,
        left: Cell::new(size),
        worst: Cell::new(Code::Success),
        told: Cell::new(None),
    });
    let awaiting: Rc<dyn Awaiting> = Rc::<Receivers>::clone(&receivers);
    object.active().await_answers(head.key, awaiting);
    let span = data.span();
    for rank in 0..size {
        if rank == own && !each {
            continue;
        }
        let index = if each { rank } else { 0 };
        let told = Rc::clone(&receivers);
        let header = headers.part(index, headerlen);
        let data = match &span {
            Some(span) => Data::There(span.part(index, bytes)),
            None => Data::Copied(data.read()[index * bytes..][..bytes].to_vec()),
        };
        let start = Start {
            head,
            header: header.read(),
            data,
        };
        let sent = (receivers.call).send(rank, start, move |how| told.received(how));
        if let Err(refusal) = sent {
            receivers.one_fewer(Err(refused(refusal)));
        }
    }
    if !each {
        // The origin has the data; the program is told by an advance.
        object
            .object()
            .post_once(move |_| receivers.one_fewer(Ok(())));
    }
    Ok(())
}
