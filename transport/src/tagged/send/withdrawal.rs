//! Sends whose caller takes the buffer back before the target has had it all (MPI's `MPI_Cancel` of a send).
//!
//! Before: a send has a request, and its target has not answered. After: the request is complete, whatever the target does
//! (MPI-4.1 section 3.8.4: waiting for it is local), and the buffer is the caller's again.
//!
//! | the message is | becomes | the send counts as |
//! |----------------|---------|--------------------|
//! | this task's own, and no receive or matched probe has it | gone | cancelled |
//! | waiting in an injection FIFO | a copy, which goes on in its place | sent |
//! | offered to its target, or matched there | a copy, which its target gets in packets when it asks | sent |
//! | moving in stripes | goes on as if nothing had been said | sent, when it is |
//!
//! The target knows an offered message by its sender's request. So the copy has a request of its own, and what the target
//! says of the first is taken for the second ([`Context::offered`]).
//!
//! A target may be about to read the buffer through the kernel, or doing so. Nobody asks it: the origin counts, in its own
//! rank block, its withdrawn messages that wait for an answer, and gives the buffer back after that. The target looks at
//! the count after it has read the whole message and before it says so ([`Context::has_withdrawn`]). If the count is not
//! zero, what it has read may be wrong; it asks for packets, as where the kernel refuses.
//!
//! ```text
//!   origin                              target
//!   count += 1                          read the buffer
//!   fence: the buffer changes after     fence: the count is read after
//!   the caller changes the buffer       count != 0: all of it again, in packets
//! ```
//!
//! Invariant: a message is counted from before its buffer is given back until its target has answered, after which
//! the target does not read that buffer.

use std::any::Any;
use std::rc::Rc;
use std::sync::atomic::{Ordering, fence};

use pamir_driver::unit::UnitError;

use crate::context::Context;
use crate::tagged::buffer::Buffer;
use crate::tagged::state::request::{Outcome, Request, RequestId};
use crate::tagged::state::unexpected_message::Unexpected;
use crate::tagged::state::withdrawn::Withdrawn;

/// What the request of a copy keeps: the bytes, and what the first request has kept.
struct Kept {
    _bytes: Vec<u8>,
    _also: Option<Rc<dyn Any>>,
}

impl Context {
    /// Ends a send for its caller, if it is not complete: the buffer is the caller's again when this returns. It was
    /// taken back if the request's outcome says so; else it is delivered. Nothing happens to a receive, and to a message
    /// that moves in stripes.
    ///
    /// # Errors
    ///
    /// [`UnitError`] if what has come meanwhile cannot be.
    pub fn withdraw(&self, id: RequestId) -> Result<(), UnitError> {
        // The answers that are there.
        self.advance()?;
        let Some(request) = self.tagged.requests.get(id) else {
            return Ok(());
        };
        if !request.is_send() || request.is_complete() || self.is_in_stripes(id) {
            return Ok(());
        }
        let mut outcome = request.outcome.get();
        if outcome.task as usize == self.task() && self.take_own_back(id) {
            outcome = Outcome {
                cancelled: true,
                ..Outcome::default()
            };
        } else {
            self.send_copy_instead(id, request, outcome)?;
        }
        self.tagged.requests.finish(id, request, outcome);
        Ok(())
    }

    /// Removes a message of this task's to itself that nobody has matched; whether there was one.
    fn take_own_back(&self, id: RequestId) -> bool {
        let own = self.task() as u32;
        let found = self.tagged.unexpected.find_where(|envelope, message| {
            let sender = match message {
                Unexpected::Rendezvous(offer) => offer.origins_request,
                Unexpected::Data { synchronous, .. } => synchronous.map_or(0, RequestId::word),
            };
            envelope.source == own && sender == id.word()
        });
        let Some(index) = found else {
            return false;
        };
        self.tagged.unexpected.hide(index);
        self.tagged.unexpected.take(index);
        self.forget_early_offer(index);
        true
    }

    /// A copy of a send's data goes in its place from now on.
    fn send_copy_instead(
        &self,
        id: RequestId,
        request: &'static Request,
        outcome: Outcome,
    ) -> Result<(), UnitError> {
        let (copy, address) = self.start_copy(request, outcome);
        let (target, cookies) = (outcome.task as usize, (id.word(), copy.word()));
        // SAFETY: the copy has the same bytes, and its request keeps them until the engine has told it that they are sent.
        if unsafe { self.unit.replace_source(target, cookies, address) } {
            return Ok(());
        }
        // What this task has claimed of the target's buffer is written; the target goes on alone.
        self.leave_push_of(id)?;
        let known = id;
        self.tagged
            .withdrawals
            .0
            .borrow_mut()
            .push(Withdrawn { known, copy });
        self.count_withdrawn(1)
    }

    /// A request for a copy of a send's data, which frees itself when that is sent.
    fn start_copy(&self, request: &'static Request, outcome: Outcome) -> (RequestId, *const u8) {
        let mut buffer = request.buffer.borrow_mut();
        let mut bytes = vec![0; buffer.bytes()];
        // SAFETY: the vector has as many bytes as the message; whoever started the send vouched for its memory until
        // the request is complete, which it is not yet.
        unsafe { buffer.pack(0, bytes.as_mut_ptr(), bytes.len()) };
        let address = bytes.as_mut_ptr();
        let (id, copy) = self.tagged.requests.start(Buffer::Contiguous {
            address,
            bytes: bytes.len(),
        });
        copy.outcome.set(outcome);
        let kept = Kept {
            _bytes: bytes,
            _also: request.keeps.borrow().clone(),
        };
        copy.keeps.replace(Some(Rc::new(kept)));
        self.tagged.requests.detach(id, copy);
        (id, address)
    }

    /// At the origin: the request that an answer to the send `id` is for, and no longer counts among the withdrawn ones.
    /// Nothing for an answer to what is over.
    pub(crate) fn offered(
        &self,
        id: RequestId,
    ) -> Result<Option<(RequestId, &'static Request)>, UnitError> {
        match self.tagged.requests.get(id) {
            Some(request) if !request.is_complete() => Ok(Some((id, request))),
            _ => self.answered_copy(id),
        }
    }

    #[cold]
    fn answered_copy(
        &self,
        id: RequestId,
    ) -> Result<Option<(RequestId, &'static Request)>, UnitError> {
        let mut withdrawn = self.tagged.withdrawals.0.borrow_mut();
        let Some(place) = withdrawn.iter().position(|one| one.known == id) else {
            return Ok(None);
        };
        let Withdrawn { copy, .. } = withdrawn.swap_remove(place);
        drop(withdrawn);
        self.count_withdrawn(-1)?;
        Ok(self
            .tagged
            .requests
            .get(copy)
            .map(|request| (copy, request)))
    }

    /// Counts `change` more messages that are withdrawn and not answered.
    fn count_withdrawn(&self, change: i64) -> Result<(), UnitError> {
        let count = &self.unit.job().block(self.task())?.status.withdrawn;
        // Relaxed: only this task writes it, one thread at a time.
        let now = count.load(Ordering::Relaxed).wrapping_add_signed(change);
        count.store(now, Ordering::Relaxed);
        // Whoever reads what the caller writes into the buffer from here on sees the count as well.
        fence(Ordering::SeqCst);
        Ok(())
    }

    /// At the target: whether any message of this origin may have been withdrawn, so that what was read of its memory
    /// is not to be trusted.
    pub(crate) fn has_withdrawn(&self, origin: u32) -> Result<bool, UnitError> {
        // The count is read after the memory was.
        fence(Ordering::Acquire);
        let count = &self.unit.job().block(origin as usize)?.status.withdrawn;
        Ok(count.load(Ordering::Relaxed) != 0)
    }
}

#[cfg(test)]
mod tests;
