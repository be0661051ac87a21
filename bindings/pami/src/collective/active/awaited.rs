//! `PAMI_XFER_AMGATHER` and `PAMI_XFER_AMREDUCE`: every member answers.
//!
//! Before: one member starts. After: each member's function says what is answered; the answers lie
//! side by side at the one that started, or are combined in the order of ranks.
//!
//! | answers    | by |
//! |------------|----|
//! | awaited    | the start |
//! | one fewer  | an answer whose data is there; a member that cannot answer |
//! | complete   | the last one: the result is in the program's buffer, and the program is told |
//!
//! The data function of a reduction and the type of what it combines are those that the origin's own member names. So is
//! whom the end is told to: its `local_fn` takes the place of the call's `cb_done`, as in IBM's library.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use pamir_transport::active::dispatch::Arrival;
use pamir_transport::active::{Receive, TransferError};
use pamir_transport::collective::Reduction;
use pamir_transport::collective::data::scratch::Scratch;

use crate::collective::active::answer::AnswerHead;
use crate::collective::active::starting::{Data, Start};
use crate::collective::buffer::Buffer;
use crate::collective::call::Call;
use crate::collective::elements::{Operands, bytes_of};
use crate::context::Held;
use crate::context::active_collectives::{Answer, Awaiting, OwnPart, Told};
use crate::context::event::Event;
use crate::context::memory::{receive_into, receive_part};
use crate::edge::span::Span;
use crate::refusal::{Refusal, ended, refused};
use crate::structures::collective::{ActiveGather, ActiveReduce};
use crate::structures::kind::TransferKind;
use crate::structures::pointer::Address;
use crate::structures::{Code, DataFunction, Type};

/// Where answers lie until all have come.
enum Answers {
    /// At the program's, side by side.
    There(Span),
    /// In memory of the operation's own.
    Kept(Rc<RefCell<Scratch>>),
}

/// A reduction of answers.
struct Combining {
    type_: Type,
    cookie: *mut c_void,
    commutative: bool,
    /// What the own member has named, and of which type.
    function: Cell<Option<(DataFunction, Type)>>,
}

impl Combining {
    /// Combines in the order of ranks.
    fn combine(&self, answers: &mut [u8], bytes: usize, result: &mut [u8]) -> Result<(), Refusal> {
        let (function, sent) = self.function.get().unwrap_or((None, self.type_));
        // Without a type, what is sent is bytes, as for the other functions of a member.
        let sent = if sent.is_null() { self.type_ } else { sent };
        let operands = Operands::between(sent, self.type_)?;
        let reducer = operands.reducer(function, self.cookie, self.commutative)?;
        if bytes == 0 {
            return Ok(());
        }
        let mut lower: &[u8] = &[];
        for block in answers.chunks_exact_mut(bytes) {
            if !lower.is_empty() {
                reducer.combine(lower, block);
            }
            lower = block;
        }
        result.copy_from_slice(lower);
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
    answers: Answers,
    /// Where the result goes, unless the answers are it.
    result: RefCell<Buffer>,
    /// Nothing for a gather.
    combining: Option<Combining>,
    /// Whom the own member has named.
    told: Cell<Option<Told>>,
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
        if self.worst.get() == Code::Success {
            self.worst
                .set(self.result().map_or_else(refused, |()| Code::Success));
        }
        self.call.geometry.under_way.fetch_sub(1, Ordering::AcqRel);
        let told = self.told.take().or(self.call.event().map(Event::teller));
        if let Some(told) = told {
            told(self.worst.get());
        }
        object.end_collective();
    }

    /// Puts the result where the program wants it.
    fn result(&self) -> Result<(), Refusal> {
        let Answers::Kept(answers) = &self.answers else {
            return Ok(());
        };
        let (mut answers, mut result) = (answers.borrow_mut(), self.result.borrow_mut());
        match &self.combining {
            Some(combining) => combining.combine(&mut answers, self.bytes, result.write())?,
            None => result.write().copy_from_slice(&answers),
        }
        result.finish();
        Ok(())
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
        match &self.answers {
            Answers::There(buffer) => {
                receive_into(&buffer.part(rank, bytes)).then(move |_, how| then(how))
            }
            Answers::Kept(answers) => receive_part(answers, rank * bytes, bytes, then),
        }
    }

    fn own_part(&self, part: OwnPart) {
        let OwnPart {
            function,
            told,
            refusal,
        } = part;
        self.told.set(told);
        if let Some(combining) = &self.combining {
            combining.function.set(function);
        }
        if let Some(refusal) = refusal {
            self.worst.set(refused(refusal));
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
    answers: Answers,
    result: Buffer,
    combining: Option<Combining>,
}

fn start(call: Call, asking: Asking) -> Result<(), Refusal> {
    let Asking {
        kind,
        dispatch,
        headers,
        headerlen,
        bytes,
        answers,
        result,
        combining,
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
        answers,
        result: RefCell::new(result),
        combining,
        told: Cell::new(None),
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
            data: Data::There(Span::EMPTY),
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
    let ActiveGather {
        rtype,
        rcvbuf,
        rtypecount,
        ..
    } = parameters;
    let bytes = bytes_of(rtype, rtypecount)?;
    let count = rtypecount.checked_mul(call.size()).ok_or(Refusal::Count)?;
    let result = call.buffer(rtype, rcvbuf, count, "rcvbuf")?;
    let answers = match result.span() {
        Some(span) => Answers::There(span),
        None => kept(result.bytes())?,
    };
    let asking = Asking {
        kind: TransferKind::ActiveGather,
        dispatch: parameters.dispatch,
        headers: parameters.headers,
        headerlen: parameters.headerlen,
        bytes,
        answers,
        result,
        combining: None,
    };
    start(call, asking)
}

fn kept(bytes: usize) -> Result<Answers, Refusal> {
    Ok(Answers::Kept(Rc::new(RefCell::new(Scratch::new(bytes)?))))
}

/// Starts this operation at its origin.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn reduce(call: Call, parameters: ActiveReduce) -> Result<(), Refusal> {
    let ActiveReduce {
        rtype,
        rcvbuf,
        rtypecount,
        ..
    } = parameters;
    let bytes = bytes_of(rtype, rtypecount)?;
    let combining = Combining {
        type_: rtype,
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
        answers: kept(bytes.checked_mul(call.size()).ok_or(Refusal::Count)?)?,
        result: call.buffer(rtype, rcvbuf, rtypecount, "rcvbuf")?,
        combining: Some(combining),
    };
    start(call, asking)
}
