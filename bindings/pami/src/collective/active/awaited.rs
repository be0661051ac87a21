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
use pamir_transport::active::{Receive, TransferError};
use pamir_transport::collective::Reduction;
use pamir_transport::collective::data::scratch::Scratch;

use crate::collective::active::answer::AnswerHead;
use crate::collective::active::starting::Start;
use crate::collective::call::Call;
use crate::collective::lists::bytes_of;
use crate::context::Held;
use crate::context::active_collectives::{Answer, Awaiting};
use crate::context::memory::{receive_into, receive_part};
use crate::edge::span::Span;
use crate::layout::reducer::Reducer;
use crate::refusal::{Refusal, ended, refused};
use crate::structures::collective::{ActiveGather, ActiveReduce};
use crate::structures::kind::TransferKind;
use crate::structures::pointer::Address;
use crate::structures::{Code, DataFunction, Type};

/// What becomes of answers.
enum Purpose {
    /// They lie side by side at the program's.
    Gather(Span),
    /// They are combined.
    Reduce(Combining),
}

/// A reduction of answers.
struct Combining {
    answers: Rc<RefCell<Scratch>>,
    result: RefCell<Span>,
    type_: Type,
    cookie: *mut c_void,
    commutative: bool,
    /// What the own member has named.
    function: Cell<DataFunction>,
}

impl Combining {
    /// Combines in the order of ranks.
    fn combine(&self, bytes: usize) -> Result<(), Refusal> {
        let (function, commutative) = (self.function.get(), self.commutative);
        let reducer = Reducer::new(function, self.type_, self.cookie, commutative)?;
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
        self.result.borrow_mut().write().copy_from_slice(lower);
        Ok(())
    }
}

/// An operation whose answers are awaited.
struct Awaited {
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
        object.active().forget(self.key);
        if let Purpose::Reduce(reduction) = &self.purpose
            && self.worst.get() == Code::Success
        {
            let combined = reduction.combine(self.bytes);
            let code = combined.map_or_else(refused, |()| Code::Success);
            self.worst.set(code);
        }
        self.call.geometry.under_way.fetch_sub(1, Ordering::AcqRel);
        if let Some(event) = self.call.event() {
            event.tell(self.worst.get());
        }
        object.end_collective();
    }
}

impl Awaiting for Awaited {
    fn answer(self: Rc<Self>, answer: Answer) -> Receive {
        let Answer { rank, bytes, .. } = answer;
        if rank >= self.call.size() {
            return Receive::unhandled();
        }
        if !answer.answered || bytes != self.bytes {
            self.one_fewer(Err(refused(Refusal::NoAnswer { rank })));
            return Receive::nowhere();
        }
        if bytes == 0 {
            self.one_fewer(Ok(()));
            return Receive::nowhere();
        }
        let awaited = Rc::clone(&self);
        let then = move |how: Result<(), TransferError>| {
            awaited.one_fewer(how.map_err(|error| ended(Err(error))));
        };
        match &self.purpose {
            Purpose::Gather(buffer) => {
                receive_into(&buffer.part(rank, bytes)).then(move |_, how| then(how))
            }
            Purpose::Reduce(reduction) => {
                receive_part(&reduction.answers, rank * bytes, bytes, then)
            }
        }
    }

    fn name(&self, function: DataFunction) {
        if let Purpose::Reduce(reduction) = &self.purpose {
            reduction.function.set(function);
        }
    }
}

/// An answer has come.
pub fn answered(object: Held, arrival: Arrival<'_>) -> Receive {
    let Some(head) = AnswerHead::of_bytes(arrival.header) else {
        return Receive::unhandled();
    };
    let answer = Answer {
        rank: head.rank as usize,
        answered: head.answered,
        bytes: arrival.bytes,
    };
    let awaited = object.active().awaited(head.key);
    awaited.map_or_else(Receive::unhandled, |awaited| awaited.answer(answer))
}

/// What an operation asks.
struct Asking {
    kind: TransferKind,
    dispatch: usize,
    headers: Address,
    headerlen: usize,
    bytes: usize,
    purpose: Purpose,
}

fn start(call: Call, asking: Asking) -> Result<(), Refusal> {
    let Asking {
        kind,
        dispatch,
        headers,
        headerlen,
        bytes,
        purpose,
    } = asking;
    let (object, size) = (call.object, call.size());
    let each = kind == TransferKind::ActiveGather;
    let headers = call.headers(headers, headerlen, if each { size } else { 1 })?;
    let head = call.head(kind, dispatch, bytes)?;
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
    let awaiting: Rc<dyn Awaiting> = Rc::<Awaited>::clone(&awaited);
    object.active().await_answers(head.key, awaiting);
    for rank in 0..size {
        let asked = Rc::clone(&awaited);
        // Only a failure: a member that has taken the question answers.
        let remote = move |how: Result<(), TransferError>| {
            if how.is_err() {
                asked.one_fewer(Err(ended(how)));
            }
        };
        let header = headers.part(if each { rank } else { 0 }, headerlen);
        let start = Start {
            head,
            header: header.read(),
            data: &Span::EMPTY,
        };
        if let Err(refusal) = awaited.call.send(rank, start, remote) {
            awaited.one_fewer(Err(refused(refusal)));
        }
    }
    Ok(())
}

/// Starts this operation at its origin.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn gather(call: Call, parameters: ActiveGather) -> Result<(), Refusal> {
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
    start(call, asking)
}

/// Starts this operation at its origin.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn reduce(call: Call, parameters: ActiveReduce) -> Result<(), Refusal> {
    let bytes = bytes_of(parameters.rtype, parameters.rtypecount)?;
    let all = bytes.checked_mul(call.size()).ok_or(Refusal::Count)?;
    let reduction = Combining {
        answers: Rc::new(RefCell::new(Scratch::new(all)?)),
        result: RefCell::new(Span::new(parameters.rcvbuf, bytes, "rcvbuf")?),
        type_: parameters.rtype,
        cookie: parameters.data_cookie,
        commutative: parameters.commutative != 0,
        function: Cell::new(None),
    };
    let asking = Asking {
        kind: TransferKind::ActiveReduce,
        dispatch: parameters.dispatch,
        headers: parameters.user_header,
        headerlen: parameters.headerlen,
        bytes,
        purpose: Purpose::Reduce(reduction),
    };
    start(call, asking)
}
