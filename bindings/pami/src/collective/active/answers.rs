//! `PAMI_XFER_AMGATHER` and `PAMI_XFER_AMREDUCE`: every member answers.
//!
//! Before: one member starts. After: each member's function says what is answered; the answers lie
//! side by side at the one that started, or are combined in the order of ranks.
//!
//! | answers    | by |
//! |------------|----|
//! | awaited    | the start |
//! | one fewer  | an answer whose data is there; a member that cannot answer |
//! | complete   | the last one: the program is told |
//!
//! The data function of a reduction is what the origin's own member names.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{ActiveError, Completion, Receive, TransferError};
use pamir_transport::collective::Reduction;
use pamir_transport::collective::data::scratch::Scratch;
use pamir_transport::context::Context;
use pamir_transport::context::endpoint::Endpoint;

use crate::collective::Call;
use crate::collective::active::send::unfilled;
use crate::collective::active::{ANSWER, Head, Registration, Start, listen};
use crate::collective::kind::TransferKind;
use crate::collective::span::{Span, bytes_of};
use crate::collective::structures::{ActiveGather, ActiveReduce};
use crate::context::ContextObject;
use crate::dispatch::Place;
use crate::endpoint::word_of;
use crate::geometry::GeometryObject;
use crate::layout::end::End;
use crate::reduction::Reducer;
use crate::refusal::{Code, Refusal, ended, refused};
use crate::structures::{self, DispatchHints, Type};

/// `pami_dispatch_amgather_function`.
type GatherFunction = unsafe extern "C" fn(
    context: *mut c_void,
    cookie: *mut c_void,
    header: *const c_void,
    header_bytes: usize,
    data_bytes: usize,
    origin: u32,
    geometry: *mut c_void,
    send: *mut structures::Receive,
);

/// `pami_dispatch_amreduce_function`.
type ReduceFunction = unsafe extern "C" fn(
    context: *mut c_void,
    cookie: *mut c_void,
    header: *const c_void,
    header_bytes: usize,
    data_bytes: usize,
    origin: u32,
    geometry: *mut c_void,
    operation: *mut *mut c_void,
    send: *mut structures::Receive,
);

/// What comes before an answer's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AnswerHead {
    /// The operation, as the origin calls it.
    key: u64,
    /// Who answers.
    rank: u32,
    /// Whether there is an answer.
    answered: bool,
    /// The data function that the member has named; an address is good in its own task only.
    function: u64,
}

impl AnswerHead {
    const BYTES: usize = 24;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.key.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.rank.to_ne_bytes());
        bytes[12..16].copy_from_slice(&u32::from(self.answered).to_ne_bytes());
        bytes[16..].copy_from_slice(&self.function.to_ne_bytes());
        bytes
    }

    fn of_bytes(header: &[u8]) -> Option<Self> {
        let header: &[u8; Self::BYTES] = header.try_into().ok()?;
        let half = |at: usize| {
            header[at..]
                .first_chunk()
                .map(|bytes| u32::from_ne_bytes(*bytes))
        };
        let word = |at: usize| {
            header[at..]
                .first_chunk()
                .map(|bytes| u64::from_ne_bytes(*bytes))
        };
        Some(Self {
            key: word(0)?,
            rank: half(8)?,
            answered: half(12)? != 0,
            function: word(16)?,
        })
    }
}

/// Calls a member's function for a question, and sends what it answers.
pub(super) fn respond(
    object: &'static ContextObject,
    registration: Registration,
    geometry: &GeometryObject,
    head: Head,
    (header, origin): (&[u8], Endpoint),
) -> Receive {
    let Ok(members) = geometry.geometry() else {
        return Receive::unhandled();
    };
    let Ok(rank) = members.member(object).map(|here| here.rank) else {
        return Receive::unhandled();
    };
    let bytes = head.answer_bytes as usize;
    let question = Question {
        object,
        registration,
        geometry,
        header,
        origin: word_of(origin),
        bytes,
    };
    let (place, function) = question.ask(head.kind);
    let answer = AnswerHead {
        key: head.key,
        rank: rank as u32,
        answered: bytes == 0 || place.end.is_some(),
        function: function.addr() as u64,
    };
    // SAFETY: the handler runs in the thread that has the context.
    let context = unsafe { object.context() };
    match answer.send(context, origin, place) {
        Ok(()) => Receive::nowhere(),
        Err(_) => Receive::unhandled(),
    }
}

impl AnswerHead {
    /// Sends the answer that is at `place`.
    fn send(self, context: &Context, to: Endpoint, place: Place) -> Result<(), ActiveError> {
        let Place {
            end,
            bytes,
            event,
            refusal,
        } = place;
        let mut packed = Vec::new();
        let (address, bytes) = match end {
            Some(End::Contiguous(address)) => (address.cast_const(), bytes),
            Some(mut end) => {
                // SAFETY: the program vouched for the data until its function is told.
                packed = unsafe { end.packed(bytes) };
                (packed.as_ptr(), bytes)
            }
            None => (std::ptr::null(), 0),
        };
        let local: Completion = Box::new(move |_, how: Result<(), TransferError>| {
            drop(packed);
            match how {
                Ok(()) => Place::tell(event, refusal),
                Err(error) => Place::fail(event, error),
            }
        });
        let message = ActiveMessage {
            to,
            dispatch: ANSWER,
            header: &self.to_bytes(),
            local: Some(local),
            remote: None,
        };
        // SAFETY: the program vouched for the data until its function is told, which owns a copy.
        unsafe { context.send_active(message, address, bytes) }
    }
}

/// A question to the program.
struct Question<'a> {
    object: &'static ContextObject,
    registration: Registration,
    geometry: &'a GeometryObject,
    header: &'a [u8],
    origin: u32,
    bytes: usize,
}

impl Question<'_> {
    /// Where the answer is, and the data function of a reduction.
    fn ask(&self, kind: TransferKind) -> (Place, *mut c_void) {
        let mut send = unfilled();
        let mut operation = std::ptr::null_mut();
        let (context, cookie) = (self.object.handle(), self.registration.cookie);
        let (header, header_bytes) = (self.header.as_ptr().cast(), self.header.len());
        let (geometry, function) = (self.geometry.handle(), self.registration.function);
        // SAFETY: the program has set it for this kind; all is alive during the call.
        unsafe {
            if kind == TransferKind::ActiveReduce {
                let function: ReduceFunction = std::mem::transmute(function);
                function(
                    context,
                    cookie,
                    header,
                    header_bytes,
                    self.bytes,
                    self.origin,
                    geometry,
                    &raw mut operation,
                    &raw mut send,
                );
            } else {
                let function: GatherFunction = std::mem::transmute(function);
                function(
                    context,
                    cookie,
                    header,
                    header_bytes,
                    self.bytes,
                    self.origin,
                    geometry,
                    &raw mut send,
                );
            }
        }
        (
            Place::new(self.object, DispatchHints(0), &send, self.bytes),
            operation,
        )
    }
}

/// What becomes of answers.
enum Purpose {
    /// They lie side by side at the program's.
    Gather(Span),
    /// They are combined.
    Reduce(Combining),
}

/// A reduction of answers.
struct Combining {
    answers: RefCell<Scratch>,
    result: Span,
    type_: Type,
    cookie: *mut c_void,
    commutative: bool,
    /// What the own member has named.
    function: Cell<*mut c_void>,
}

impl Combining {
    /// Combines in the order of ranks.
    ///
    /// # Safety
    ///
    /// The operation is under way.
    unsafe fn combine(&self, bytes: usize) -> Result<(), Refusal> {
        let (function, commutative) = (self.function.get(), self.commutative);
        // SAFETY: the own member has named it for this.
        let reducer = unsafe { Reducer::new(function, self.type_, self.cookie, commutative)? };
        if bytes == 0 {
            return Ok(());
        }
        let mut answers = self.answers.borrow_mut();
        let mut lower: &[u8] = &[];
        for block in answers.chunks_exact_mut(bytes) {
            if !lower.is_empty() {
                reducer.combine(lower, block);
            }
            lower = block;
        }
        // SAFETY: as the caller vouches.
        unsafe { self.result.write() }.copy_from_slice(lower);
        Ok(())
    }
}

/// An operation whose answers are awaited.
pub struct Awaited {
    call: Call,
    key: u64,
    bytes: usize,
    left: Cell<usize>,
    worst: Cell<Code>,
    purpose: Purpose,
}

impl Awaited {
    fn one_fewer(&self, how: Result<(), Code>) {
        if let Err(code) = how {
            self.worst.set(code);
        }
        self.left.set(self.left.get() - 1);
        if self.left.get() == 0 {
            self.complete();
        }
    }

    fn complete(&self) {
        let object = self.call.object;
        object.active().awaited.borrow_mut().remove(&self.key);
        if let Purpose::Reduce(reduction) = &self.purpose
            && self.worst.get() == Code::Success
        {
            // SAFETY: nobody was told yet.
            let combined = unsafe { reduction.combine(self.bytes) };
            let code = combined.map_or_else(refused, |()| Code::Success);
            self.worst.set(code);
        }
        self.call.geometry.under_way.fetch_sub(1, Ordering::AcqRel);
        if let Some(event) = self.call.event() {
            event.tell(self.worst.get());
        }
        object.end_collective();
    }

    /// Where the answer of a member goes.
    fn block(&self, rank: usize) -> *mut u8 {
        match &self.purpose {
            Purpose::Gather(buffer) => buffer.part(rank, self.bytes).address(),
            Purpose::Reduce(reduction) => {
                let mut answers = reduction.answers.borrow_mut();
                answers[rank * self.bytes..].as_mut_ptr()
            }
        }
    }

    fn answer(self: Rc<Self>, head: AnswerHead, bytes: usize) -> Receive {
        let rank = head.rank as usize;
        if rank >= self.call.size() {
            return Receive::unhandled();
        }
        if !head.answered || bytes != self.bytes {
            self.one_fewer(Err(refused(Refusal::NoAnswer { rank })));
            return Receive::nowhere();
        }
        if let Purpose::Reduce(reduction) = &self.purpose
            && rank == self.call.rank
        {
            let function = std::ptr::with_exposed_provenance_mut(head.function as usize);
            reduction.function.set(function);
        }
        if bytes == 0 {
            self.one_fewer(Ok(()));
            return Receive::nowhere();
        }
        let address = self.block(rank);
        // SAFETY: the block is of the buffer, which stays until all answers are there.
        unsafe { Receive::into(address, bytes) }
            .then(move |_, how| self.one_fewer(how.map_err(|error| ended(Err(error)))))
    }
}

/// An answer has come.
pub fn answered(object: &'static ContextObject, arrival: Arrival<'_>) -> Receive {
    let Some(head) = AnswerHead::of_bytes(arrival.header) else {
        return Receive::unhandled();
    };
    let awaited = object.active().awaited.borrow().get(&head.key).cloned();
    awaited.map_or_else(Receive::unhandled, |awaited| {
        awaited.answer(head, arrival.bytes)
    })
}

/// What an operation asks.
struct Asking {
    kind: TransferKind,
    dispatch: usize,
    headers: *const u8,
    headerlen: usize,
    bytes: usize,
    purpose: Purpose,
}

/// # Safety
///
/// As for [`crate::collective::PAMI_Collective`].
unsafe fn start(call: Call, asking: Asking) -> Result<(), Refusal> {
    let Asking {
        kind,
        dispatch,
        headers,
        headerlen,
        bytes,
        purpose,
    } = asking;
    let (object, size) = (call.object, call.size());
    // SAFETY: the caller vouches for the headers.
    unsafe { call.header(headers, headerlen, 0)? };
    let head = call.head(kind, dispatch, bytes)?;
    // SAFETY: the caller has the context.
    unsafe { listen(object)? };
    object.begin_collective();
    call.geometry.under_way.fetch_add(1, Ordering::AcqRel);
    let awaited = Rc::new(Awaited {
        call,
        key: head.key,
        bytes,
        left: Cell::new(size),
        worst: Cell::new(Code::Success),
        purpose,
    });
    let mut table = object.active().awaited.borrow_mut();
    table.insert(head.key, Rc::clone(&awaited));
    drop(table);
    let each = kind == TransferKind::ActiveGather;
    for rank in 0..size {
        let asked = Rc::clone(&awaited);
        // Only a failure: a member that has taken the question answers.
        let remote = move |how: Result<(), TransferError>| {
            if how.is_err() {
                asked.one_fewer(Err(ended(how)));
            }
        };
        // SAFETY: the caller vouches for the headers, and for having the context.
        unsafe {
            let index = if each { rank } else { 0 };
            let header = awaited.call.header(headers, headerlen, index)?;
            let data = &[];
            let sent = awaited
                .call
                .send(rank, Start { head, header, data }, remote);
            if let Err(refusal) = sent {
                awaited.one_fewer(Err(refused(refusal)));
            }
        }
    }
    Ok(())
}

/// # Safety
///
/// As for [`crate::collective::PAMI_Collective`].
pub unsafe fn gather(call: Call, parameters: ActiveGather) -> Result<(), Refusal> {
    let bytes = bytes_of(parameters.rtype, parameters.rtypecount)?;
    let all = bytes.checked_mul(call.size()).ok_or(Refusal::Count)?;
    let asking = Asking {
        kind: TransferKind::ActiveGather,
        dispatch: parameters.dispatch,
        headers: parameters.headers,
        headerlen: parameters.headerlen,
        bytes,
        purpose: Purpose::Gather(Span::new(parameters.rcvbuf, all, "rcvbuf")?),
    };
    // SAFETY: as the caller vouches.
    unsafe { start(call, asking) }
}

/// # Safety
///
/// As for [`crate::collective::PAMI_Collective`].
pub unsafe fn reduce(call: Call, parameters: ActiveReduce) -> Result<(), Refusal> {
    let bytes = bytes_of(parameters.rtype, parameters.rtypecount)?;
    let all = bytes.checked_mul(call.size()).ok_or(Refusal::Count)?;
    let reduction = Combining {
        answers: RefCell::new(Scratch::new(all)?),
        result: Span::new(parameters.rcvbuf, bytes, "rcvbuf")?,
        type_: parameters.rtype,
        cookie: parameters.data_cookie,
        commutative: parameters.commutative != 0,
        function: Cell::new(std::ptr::null_mut()),
    };
    let asking = Asking {
        kind: TransferKind::ActiveReduce,
        dispatch: parameters.dispatch,
        headers: parameters.user_header,
        headerlen: parameters.headerlen,
        bytes,
        purpose: Purpose::Reduce(reduction),
    };
    // SAFETY: as the caller vouches.
    unsafe { start(call, asking) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_answers_come_back() {
        let head = AnswerHead {
            key: 7 << 33,
            rank: 1023,
            answered: true,
            function: 5,
        };
        let bytes = head.to_bytes();
        assert_eq!(AnswerHead::of_bytes(&bytes), Some(head));
        assert_eq!(AnswerHead::of_bytes(&bytes[1..]), None);
    }
}
