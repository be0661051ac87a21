//! Point-to-point messages between ranks of a communicator (MPI-5.0 chapter 3).
//!
//! Before: the C call, with arguments checked. After: the transport's tagged messages.

use std::rc::Rc;

use pamir_driver::unit::UnitError;
use pamir_transport::context::Context;
use pamir_transport::protocol::completion::Completion;
use pamir_transport::tagged::buffer::Buffer;
use pamir_transport::tagged::envelope::{Envelope, Pattern};
use pamir_transport::tagged::receive::MatchedMessage;
use pamir_transport::tagged::send::Address;
use pamir_transport::tagged::state::request::{Outcome, Request, RequestId};

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

/// Starts a send and says whom its request belongs to: `owner` is the caller's own number.
///
/// # Safety
///
/// The buffer is readable until the request is complete.
pub unsafe fn start_send(
    context: &Context,
    communicator: &Rc<Communicator>,
    owner: u64,
    to: Address,
    buffer: Buffer,
    completion: Completion,
) -> Result<RequestId, UnitError> {
    // SAFETY: as the caller vouches.
    let id = unsafe { context.start_send(to, buffer, completion)? };
    if let Some(request) = context.requests().get(id) {
        keep(request, communicator, owner);
    }
    Ok(id)
}

/// Sends contiguous data, and says whom the request belongs to, if it needs one.
///
/// # Safety
///
/// `source` is readable for `bytes` bytes until the request is complete.
#[inline(always)]
pub unsafe fn start_contiguous(
    context: &Context,
    communicator: &Rc<Communicator>,
    owner: u64,
    to: Address,
    (source, bytes): (*const u8, usize),
) -> Result<Option<RequestId>, UnitError> {
    // SAFETY: as the caller vouches.
    let id = unsafe { context.send(to, source, bytes)? };
    if let Some(request) = id.and_then(|id| context.requests().get(id)) {
        keep(request, communicator, owner);
    }
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
    owner: u64,
    pattern: Pattern,
    buffer: Buffer,
) -> Result<RequestId, UnitError> {
    // SAFETY: as the caller vouches.
    let request = unsafe { context.receive(pattern, buffer)? };
    keep(request, communicator, owner);
    Ok(request.id())
}

/// Receives a message that a matched probe has taken out.
///
/// # Safety
///
/// The buffer is writable until the request is complete.
pub unsafe fn start_receive_matched(
    context: &Context,
    communicator: &Rc<Communicator>,
    owner: u64,
    message: MatchedMessage,
    buffer: Buffer,
) -> Result<RequestId, UnitError> {
    // SAFETY: as the caller vouches.
    let id = unsafe { context.receive_matched(message, buffer)? };
    if let Some(request) = context.requests().get(id) {
        keep(request, communicator, owner);
    }
    Ok(id)
}

/// A request of a communicator whose ranks are not the tasks keeps it alive, since the
/// source of its message must be translated when it is complete; so does one of a communicator
/// that says so.
#[inline(always)]
fn keep(request: &'static Request, communicator: &Rc<Communicator>, owner: u64) {
    request.owner.set(owner);
    if communicator.is_kept_by_requests() {
        request.keeps.replace(Some(communicator.clone()));
    }
}

/// How many requests keep a communicator and are complete: their handles do not hold it up when it is disconnected
/// (section 11.10.4).
pub fn resting_on(context: &Context, communicator: &Rc<Communicator>) -> usize {
    let wanted = Rc::as_ptr(communicator).cast::<()>();
    let keeps = |request: &&'static Request| {
        let kept = request.keeps.borrow();
        kept.as_ref()
            .is_some_and(|kept| Rc::as_ptr(kept).cast::<()>() == wanted)
    };
    context.requests().complete_ones().filter(keeps).count()
}

/// How a request ended, and whose it was.
#[derive(Clone, Copy, Debug)]
pub struct Settled {
    /// Its outcome, with the task translated to the rank in its communicator.
    pub outcome: Outcome,
    /// The owner's number.
    pub owner: u64,
}

/// Waits for a request, gives how it ended, and frees it. `None` if there is no such request.
#[inline(always)]
pub fn wait(context: &Context, id: RequestId) -> Result<Option<Settled>, UnitError> {
    let Some(request) = context.requests().get(id) else {
        return Ok(None);
    };
    if !request.is_complete() {
        wait_for(context, request)?;
    }
    Ok(Some(settle(context, id, request)))
}

/// Waits until a request is complete: apart from what its caller does with each of many that are.
#[inline(never)]
fn wait_for(context: &Context, request: &Request) -> Result<(), UnitError> {
    context.advance_until_from(request.awaits(), || request.is_complete())
}

/// Waits for a request whose outcome nobody wants to know, and frees it unless it has failed;
/// whether it is freed.
#[inline(always)]
pub fn finish_quietly(context: &Context, id: RequestId) -> Result<bool, UnitError> {
    let Some(request) = context.requests().get(id) else {
        return Ok(false);
    };
    if !request.is_complete() {
        wait_for(context, request)?;
    }
    let succeeded = !request.outcome.get().truncated;
    if succeeded {
        context.requests().free(id, request);
    }
    Ok(succeeded)
}

/// How a complete request ended; it is freed. `None` if it is not complete.
#[inline(always)]
pub fn take(context: &Context, id: RequestId) -> Option<Settled> {
    let request = context
        .requests()
        .get(id)
        .filter(|request| request.is_complete())?;
    Some(settle(context, id, request))
}

/// How a complete request ended, without freeing it.
pub fn look(context: &Context, id: RequestId) -> Option<Outcome> {
    let request = context
        .requests()
        .get(id)
        .filter(|request| request.is_complete())?;
    let mut outcome = request.outcome.get();
    translate(request, &mut outcome);
    Some(outcome)
}

/// Reads how a complete request ended and frees it.
#[inline(always)]
fn settle(context: &Context, id: RequestId, request: &'static Request) -> Settled {
    let mut outcome = request.outcome.get();
    if request.keeps.borrow().is_some() {
        translate(request, &mut outcome);
    }
    let owner = request.owner.get();
    context.requests().free(id, request);
    Settled { outcome, owner }
}

/// Turns the task at the other end into its rank in the request's communicator.
#[cold]
fn translate(request: &'static Request, outcome: &mut Outcome) {
    if let Some(kept) = &*request.keeps.borrow()
        && let Some(communicator) = kept.downcast_ref::<Communicator>()
        && let Some(rank) = communicator.peer_rank(outcome.task as usize)
    {
        outcome.task = rank as u32;
    }
}
