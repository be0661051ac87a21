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
use crate::collective::span::{Span, bytes_of};
use crate::context::ContextObject;
use crate::context::active_collectives::{Answer, Awaiting};
use crate::layout::reducer::Reducer;
use crate::refusal::{Refusal, ended, refused};
use crate::structures::collective::{ActiveGather, ActiveReduce};
use crate::structures::kind::TransferKind;
use crate::structures::{Code, Type};

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
        if let Purpose::Reduce(reduction) = &self.purpose
            && rank == self.call.rank
        {
            let function = std::ptr::with_exposed_provenance_mut(answer.function as usize);
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
    let answer = Answer {
        rank: head.rank as usize,
        answered: head.answered,
        function: head.function,
        bytes: arrival.bytes,
    };
    let awaited = object.active().awaited(head.key);
    awaited.map_or_else(Receive::unhandled, |awaited| awaited.answer(answer))
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
/// As for [`crate::collective::start()`].
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
/// As for [`crate::collective::start()`].
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
/// As for [`crate::collective::start()`].
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
