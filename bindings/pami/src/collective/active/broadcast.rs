//! `PAMI_XFER_AMBROADCAST` and `PAMI_XFER_AMSCATTER`: a message to every member.
//!
//! Before: one member starts. After: each member's function says where the data goes, and the one
//! that started is told when all have it.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::{Receive, TransferError};

use crate::collective::active::starting::Start;
use crate::collective::call::Call;
use crate::collective::span::{Span, bytes_of};
use crate::context::ContextObject;
use crate::context::active_collectives::Registration;
use crate::context::endpoint::word_of;
use crate::geometry::GeometryObject;
use crate::message::place::Place;
use crate::refusal::{Refusal, ended, refused};
use crate::structures::collective::ActiveSend;
use crate::structures::kind::TransferKind;
use crate::structures::{self, Code, DispatchHints};

/// `pami_dispatch_ambroadcast_function`, `pami_dispatch_amscatter_function`.
type Function = unsafe extern "C" fn(
    context: *mut c_void,
    cookie: *mut c_void,
    header: *const c_void,
    header_bytes: usize,
    pipe: *const c_void,
    data_bytes: usize,
    origin: u32,
    geometry: *mut c_void,
    receive: *mut structures::Receive,
);

/// Calls a member's function for a message.
pub fn receive(
    object: &'static ContextObject,
    registration: Registration,
    geometry: &GeometryObject,
    header: &[u8],
    arrival: Arrival<'_>,
) -> Receive {
    let mut wanted = structures::Receive::UNFILLED;
    // SAFETY: the program has set it for this kind; all is alive during the call.
    unsafe {
        let function: Function = std::mem::transmute(registration.function);
        function(
            object.handle(),
            registration.cookie,
            header.as_ptr().cast(),
            header.len(),
            null(),
            arrival.bytes,
            word_of(arrival.origin),
            geometry.handle(),
            &raw mut wanted,
        );
    }
    Place::new(object, DispatchHints(0), &wanted, arrival.bytes).receive()
}

/// Members that have not received yet.
struct Receivers {
    object: &'static ContextObject,
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
/// # Safety
///
/// As for [`crate::collective::start()`].
pub unsafe fn start(call: Call, kind: TransferKind, parameters: ActiveSend) -> Result<(), Refusal> {
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
    // SAFETY: the caller vouches for the headers.
    unsafe { call.header(headers, headerlen, 0)? };
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
        // SAFETY: the caller vouches for headers and data, and for having the context.
        unsafe {
            let start = Start {
                head,
                header: receivers.call.header(headers, headerlen, index)?,
                data: data.at(index * bytes, bytes).read(),
            };
            let sent = receivers
                .call
                .send(rank, start, move |how| told.received(how));
            if let Err(refusal) = sent {
                receivers.one_fewer(Err(refused(refusal)));
            }
        }
    }
    Ok(())
}
