//! Point-to-point messages between ranks of a communicator (MPI-5.0 chapter 3).
//!
//! Before: the C call, with arguments checked. After: the transport's tagged messages.

use std::rc::Rc;

use pamir_driver::unit::UnitError;
use pamir_transport::context::Context;
use pamir_transport::tagged::buffer::Buffer;
use pamir_transport::tagged::envelope::{Envelope, Pattern};
use pamir_transport::tagged::request::{Outcome, Request, RequestId};
use pamir_transport::tagged::send::{Address, Completion};

use crate::communicator::Communicator;

/// Where a send of a communicator goes.
#[inline(always)]
pub fn address(communicator: &Communicator, rank: usize, tag: i32) -> Address {
    let task = communicator.peer_task(rank);
    Address {
        task,
        context: communicator.context_id(),
        tag,
    }
}

/// The one envelope that a receive from `rank` with `tag` looks for.
#[inline(always)]
pub fn envelope(communicator: &Communicator, rank: usize, tag: i32) -> Envelope {
    let source = communicator.peer_task(rank) as u32;
    Envelope {
        context: communicator.context_id(),
        source,
        tag,
    }
}

/// What a receive of a communicator looks for; `None` is any source, any tag.
#[inline(always)]
pub fn pattern(communicator: &Communicator, rank: Option<usize>, tag: Option<i32>) -> Pattern {
    let task = rank.map(|rank| communicator.peer_task(rank) as u32);
    Pattern::new(communicator.context_id(), task, tag)
}

/// Starts a send and says whom its request belongs to.
///
/// # Safety
///
/// The buffer is readable until the request is complete.
pub unsafe fn start_send(
    context: &Context,
    communicator: &Rc<Communicator>,
    to: Address,
    buffer: Buffer,
    completion: Completion,
) -> Result<RequestId, UnitError> {
    // SAFETY: as the caller vouches.
    let id = unsafe { context.start_send(to, buffer, completion)? };
    keep(context, communicator, id);
    Ok(id)
}

/// Posts a receive and says whom its request belongs to.
///
/// # Safety
///
/// The buffer is writable until the request is complete.
#[inline(always)]
pub unsafe fn start_receive(
    context: &Context,
    communicator: &Rc<Communicator>,
    pattern: Pattern,
    buffer: Buffer,
) -> Result<RequestId, UnitError> {
    // SAFETY: as the caller vouches.
    let id = unsafe { context.receive(pattern, buffer)? };
    keep(context, communicator, id);
    Ok(id)
}

/// A request keeps its communicator alive where the source of its message must be translated
/// when it is complete, and where the communicator may be freed before: its context id must
/// not be another's while messages may still match.
#[inline(always)]
fn keep(context: &Context, communicator: &Rc<Communicator>, id: RequestId) {
    if communicator.is_kept_by_requests()
        && let Some(request) = context.requests().get(id)
    {
        request.keeps.replace(Some(communicator.clone()));
    }
}

/// Waits for a request, gives its outcome with the task translated to the rank in its
/// communicator, and frees it. `None` if there is no such request.
#[inline(always)]
pub fn wait(context: &Context, id: RequestId) -> Result<Option<Outcome>, UnitError> {
    let Some(request) = context.requests().get(id) else {
        return Ok(None);
    };
    if !request.is_complete() {
        context.advance_until(|| request.is_complete())?;
    }
    Ok(Some(settle(context, id, request)))
}

/// The outcome of a complete request, which is freed; `None` if it is not complete.
#[inline(always)]
pub fn take(context: &Context, id: RequestId) -> Option<Outcome> {
    let request = context
        .requests()
        .get(id)
        .filter(|request| request.is_complete())?;
    Some(settle(context, id, request))
}

/// Reads the outcome of a complete request and frees it.
#[inline(always)]
fn settle(context: &Context, id: RequestId, request: &Request) -> Outcome {
    let mut outcome = request.outcome.get();
    if request.keeps.borrow().is_some() {
        translate(request, &mut outcome);
    }
    context.requests().free(id, request);
    outcome
}

/// Turns the task at the other end into its rank in the request's communicator.
#[cold]
fn translate(request: &Request, outcome: &mut Outcome) {
    if let Some(kept) = &*request.keeps.borrow()
        && let Some(communicator) = kept.downcast_ref::<Communicator>()
        && let Some(rank) = communicator.peer_rank(outcome.task as usize)
    {
        outcome.task = rank as u32;
    }
}
