//! Geometries: an ordered set of tasks that run collective operations together.
//!
//! Before: a collective's algorithm sends and receives through an `Exchange`. After: tagged
//! messages under the geometry's own context id, whose tag is the number of the operation,
//! so that operations do not see each other's messages.
//!
//! [`block_on`] is the blocking form of a collective: it polls the algorithm's future where
//! it stands and advances the context in between.

use std::future::Future;
use std::ops::Deref;
use std::pin::{Pin, pin};
use std::task::{Poll, Waker};

use pamir_driver::memory::sweep::Sweep;
use pamir_driver::unit::UnitError;
use pamir_driver::waiting::ladder::{Expected, Ladder};

use crate::collective::Board;
use crate::collective::error::ExchangeError;
use crate::collective::exchange::Exchange;
use crate::collective::shape::torus::Torus;
use crate::context::Context;
use crate::protocol::completion::Completion;
use crate::tagged::buffer::Buffer;
use crate::tagged::envelope::Pattern;
use crate::tagged::send::Address;
use crate::tagged::state::request::{Outcome, RequestId};
use crate::waiting::exposed_time::ExposedTime;

/// The members' tasks, by rank.
pub trait Members {
    /// How many members there are.
    fn size(&self) -> usize;

    /// The task of member `rank`, which is below [`Self::size`].
    fn task(&self, rank: usize) -> usize;
}

impl<M: Members> Members for &M {
    #[inline(always)]
    fn size(&self) -> usize {
        (**self).size()
    }

    #[inline(always)]
    fn task(&self, rank: usize) -> usize {
        (**self).task(rank)
    }
}

/// One operation's channel between the members of a geometry.
pub struct Channel<C, M, B = &'static Board> {
    /// The context that carries the messages: borrowed by a blocking operation, shared by one
    /// that goes on in the background.
    pub context: C,
    /// The geometry.
    pub members: M,
    /// This task's rank among them; for a remote group, in its own group.
    pub rank: usize,
    /// The geometry's context id for collective operations.
    pub context_id: u32,
    /// The operation's number.
    pub tag: i32,
    /// The board that the members share, if they have one.
    pub board: Option<B>,
    /// The caller does nothing else before the operation is done.
    pub blocking: bool,
}

/// How often a blocking operation looks for a post before the context is advanced: about a
/// microsecond, as for a receive.
pub(crate) const LOOKS: u32 = 64;

impl<C, M, B> Exchange for Channel<C, M, B>
where
    C: Deref<Target = Context>,
    M: Members,
    B: Deref<Target = Board>,
{
    #[inline(always)]
    fn rank(&self) -> usize {
        self.rank
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.members.size()
    }

    fn is_oversubscribed(&self) -> bool {
        self.context.is_job_oversubscribed()
    }

    fn torus(&self) -> Torus {
        Torus::configured(self.members.size())
    }

    #[inline(always)]
    fn board(&self) -> Option<&Board> {
        self.board.as_deref()
    }

    #[inline(always)]
    fn wake(&self, to: usize) {
        self.context.wake(self.members.task(to));
    }

    fn waits_beside(&self, member: usize) -> bool {
        self.context.waits_beside(self.members.task(member))
    }

    fn awaits(&self, member: usize) {
        self.context.awaits(Some(self.members.task(member)));
    }

    fn is_blocking(&self) -> bool {
        self.blocking
    }

    fn exposed_time(&self) -> Option<&ExposedTime> {
        Some(&self.context.waiting.exposed_time)
    }

    fn read(&self, from: usize, address: u64, target: &mut [u8], sweep: Sweep) -> bool {
        let task = self.members.task(from);
        self.context.read_from(task, address, target, sweep)
    }

    #[inline]
    fn has_taken(&self, from: usize, bytes: usize) {
        if self.context.traffic().is_some() {
            self.context.count_fetched(self.members.task(from), bytes);
        }
    }

    #[inline]
    fn looks(&self) -> u32 {
        // Others may wait for what this task does while it waits.
        let attends = self.context.one_sided.attended.any();
        if self.blocking && self.context.is_idle() && !attends {
            LOOKS
        } else {
            1
        }
    }

    async fn send(&self, to: usize, bytes: &[u8]) -> Result<(), ExchangeError> {
        let address = Address {
            task: self.members.task(to),
            context: self.context_id,
            tag: self.tag,
        };
        let completion = if self.blocking {
            Completion::Awaited
        } else {
            Completion::Single
        };
        // SAFETY: the slice is borrowed until this future is ready or dropped, and `Transfer`
        // does not let go of a request before it is complete.
        let sent = unsafe { begin_send(&self.context, address, bytes, completion) };
        match sent {
            Ok(None) => Ok(()),
            Ok(Some(id)) => {
                Transfer {
                    context: &self.context,
                    id: Some(id),
                }
                .await;
                Ok(())
            }
            Err(_) => Err(ExchangeError::Corrupt { rank: to }),
        }
    }

    async fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<usize, ExchangeError> {
        let source = self.members.task(from) as u32;
        let pattern = Pattern::new(self.context_id, Some(source), Some(self.tag));
        let buffer = Buffer::Contiguous {
            address: bytes.as_mut_ptr(),
            bytes: bytes.len(),
        };
        // SAFETY: as in `send`; the slice is borrowed mutably.
        let posted = unsafe { begin_receive(&self.context, pattern, buffer) };
        let id = posted.map_err(|_| ExchangeError::Corrupt { rank: from })?;
        let outcome = Transfer {
            context: &self.context,
            id: Some(id),
        }
        .await;
        if outcome.truncated {
            return Err(ExchangeError::Truncated {
                from,
                sent_bytes: outcome.message_bytes,
                expected_bytes: bytes.len(),
            });
        }
        Ok(outcome.bytes)
    }
}

/// [`Context::send`] of a slice.
///
/// Not inlined, nor is what follows: every algorithm has a copy of its steps for every kind of
/// exchange, and with the transport in each the compiler takes minutes.
///
/// # Safety
///
/// The slice stays readable until the request is complete.
#[inline(never)]
unsafe fn begin_send(
    context: &Context,
    to: Address,
    bytes: &[u8],
    completion: Completion,
) -> Result<Option<RequestId>, UnitError> {
    // SAFETY: as the caller vouches.
    unsafe { context.send_until(to, bytes.as_ptr(), bytes.len(), completion) }
}

/// [`Context::receive`].
///
/// # Safety
///
/// The buffer is writable until the request is complete.
#[inline(never)]
unsafe fn begin_receive(
    context: &Context,
    pattern: Pattern,
    buffer: Buffer,
) -> Result<RequestId, UnitError> {
    // SAFETY: as the caller vouches.
    Ok(unsafe { context.receive(pattern, buffer)? }.id())
}

/// Waits for a request, gives its outcome, and frees it.
///
/// If it is dropped before (its operation failed), it waits for the request where it stands:
/// the memory behind it is about to go.
struct Transfer<'a> {
    context: &'a Context,
    id: Option<RequestId>,
}

impl Transfer<'_> {
    #[inline(never)]
    fn take(&mut self, id: RequestId) -> Option<Outcome> {
        let requests = self.context.requests();
        let request = requests
            .get(id)
            .expect("a request that is waited for exists");
        if !request.is_complete() {
            self.context.awaits(request.awaits());
            return None;
        }
        self.id = None;
        let outcome = request.outcome.get();
        requests.free(id, request);
        Some(outcome)
    }
}

impl Future for Transfer<'_> {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> Poll<Outcome> {
        let id = self.id.expect("a future is not polled after it was ready");
        self.take(id).map_or(Poll::Pending, Poll::Ready)
    }
}

impl Drop for Transfer<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.abandon(id);
        }
    }
}

impl Transfer<'_> {
    #[cold]
    #[inline(never)]
    fn abandon(&mut self, id: RequestId) {
        if !self.context.cancel(id) {
            // An error here means that the lanes are corrupt, so nobody writes to them.
            let done = || {
                self.context
                    .requests()
                    .get(id)
                    .is_none_or(|request| request.is_complete())
            };
            let _ = self.context.advance_until(done);
        }
        self.take(id);
    }
}

/// Runs a future to its end, advancing the context in between.
pub fn block_on<F: Future>(context: &Context, future: F) -> Result<F::Output, UnitError> {
    wait_by(context, context.ladder(), future)
}

/// The same, where a long wait is foreseen.
pub fn block_long_on<F: Future>(context: &Context, future: F) -> Result<F::Output, UnitError> {
    wait_by(context, context.ladder().expecting(Expected::Long), future)
}

#[inline(always)]
fn wait_by<F: Future>(
    context: &Context,
    mut ladder: Ladder,
    future: F,
) -> Result<F::Output, UnitError> {
    let mut future = pin!(future);
    let mut task = std::task::Context::from_waker(Waker::noop());
    context.awaits(None);
    let mut moved = true;
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return Ok(output);
        }
        // Only now: an advance that says that nothing came may have sent something, which the
        // future has to see before this task sleeps.
        if !moved {
            let mut output = None;
            // Posts on a board are no packets: the future itself has to look for them between
            // the announcement that this task sleeps and its sleep.
            context.pause_out_of_line(&mut ladder, &mut || {
                if let Poll::Ready(ready) = future.as_mut().poll(&mut task) {
                    output = Some(ready);
                }
                output.is_some()
            })?;
            if let Some(output) = output {
                return Ok(output);
            }
        } else {
            ladder.reset();
        }
        moved = context.advance_out_of_line()?;
    }
}
