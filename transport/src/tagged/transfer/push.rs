//! The origin's part of data that both ends copy.
//!
//! Before: a `CLEAR_TO_COPY` has come, of a message of this task's that its target pulls ([`super`]). After: what this
//! task has claimed is written to the target's memory, and the target knows.
//!
//! A push:
//!
//! | from    | becomes | when |
//! |---------|---------|------|
//! | pushing | over    | nothing is left to claim, or `FINISHED` comes: `PUSHED` is sent, if anything was |
//! | pushing | failed  | a copy failed: a `PUSHED` that says so; `FINISHED` no longer completes the send |
//! | any     | over    | `CLEAR_TO_SEND` comes: packets |
//!
//! Invariant: the target's memory is written only between a claim and the next packet that this task sends or
//! handles.

use pamir_driver::job::layout::TRANSFER_SLOTS;
use pamir_driver::memory::kernel_copy;
use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::Packet;
use pamir_shm::copy::chunk_claims::Generation;

use super::under_way::{Data, FAILED, Push, take_next};
use crate::context::Context;
use crate::protocol::kind;
use crate::tagged::buffer::Buffer;
use crate::tagged::state::request::{Request, RequestId};

impl Context {
    /// At the origin: the target copies a message of this task's, which may copy too.
    pub(crate) fn clear_to_copy(&self, target: u32, packet: Packet<'_>) -> Result<(), UnitError> {
        let id = RequestId::from_word(packet.word(0));
        // A message that was withdrawn is not there to be copied.
        let under_way = |request: &&'static Request| !request.is_complete();
        let Some(request) = self.tagged.requests.get(id).filter(under_way) else {
            return Ok(());
        };
        let [targets_request, remote, bytes, word] = [8, 16, 24, 32].map(|at| packet.word(at));
        let (bytes, slot) = (bytes as usize, word as u32 as usize);
        let local = match &*request.buffer.borrow() {
            Buffer::Contiguous {
                address,
                bytes: whole,
            } if bytes <= *whole && slot < TRANSFER_SLOTS => *address,
            _ => {
                let reason = "it copies what is not offered";
                return Err(UnitError::Packet {
                    rank: target,
                    reason,
                });
            }
        };
        if !self.copies_with(target as usize) {
            return Ok(());
        }
        let claims = self.unit.chunk_claims(self.task(), target as usize, slot)?;
        self.tagged.transfers.pushes.borrow_mut().push_back(Push {
            target,
            id,
            targets_request,
            data: Data {
                local,
                remote,
                bytes,
            },
            claims,
            generation: Generation::from_word((word >> 32) as u32),
            has_copied: false,
        });
        self.tagged.transfers.has_pushed.set(true);
        self.add_to_background();
        Ok(())
    }

    pub(super) fn push_chunk(&self) -> Result<bool, UnitError> {
        let is_fresh = |push: &Push| !push.has_copied;
        let Some((place, mut push)) = take_next(&self.tagged.transfers.pushes, is_fresh) else {
            return Ok(false);
        };
        let others_wait = !self.tagged.transfers.pushes.borrow().is_empty();
        let Some(chunk) = push.claim(others_wait) else {
            return self.end_push(&push, 0).map(|()| true);
        };
        let process = self.process(push.target);
        push.has_copied = true;
        // SAFETY: the chunk lies in the send's buffer, which whoever started it vouched for until
        // it is complete; the target expects it to be written, until this task says that it has.
        let copied = unsafe {
            push.data.copy(chunk, |local, remote, bytes| {
                kernel_copy::write(process, local, remote, bytes)
            })
        };
        if let Err(error) = copied {
            self.note_refusal(error);
            self.tagged.transfers.failed.borrow_mut().push(push.id);
            return self.end_push(&push, FAILED).map(|()| true);
        }
        if chunk.left == 0 {
            return self.end_push(&push, 0).map(|()| true);
        }
        self.tagged
            .transfers
            .pushes
            .borrow_mut()
            .insert(place, push);
        Ok(true)
    }

    /// This task copies no more of a message: the target is told, if it has copied anything.
    fn end_push(&self, push: &Push, how: u16) -> Result<(), UnitError> {
        if !push.has_copied {
            return Ok(());
        }
        let target = push.target as usize;
        self.control(target, kind::PUSHED, how, push.targets_request, &[])
    }

    fn take_push(&self, id: RequestId) -> Option<Push> {
        let mut pushes = self.tagged.transfers.pushes.borrow_mut();
        let place = pushes.iter().position(|push| push.id == id)?;
        pushes.remove(place)
    }

    /// At the origin: this task goes on with no part of a message's data.
    pub(crate) fn leave_push_of(&self, id: RequestId) -> Result<(), UnitError> {
        match self.take_push(id) {
            Some(push) => self.end_push(&push, 0),
            None => Ok(()),
        }
    }

    /// At the origin: the target has copied all that this task has not claimed. Whether the send
    /// is complete.
    pub(crate) fn end_push_of(&self, id: RequestId) -> Result<bool, UnitError> {
        if !self.tagged.transfers.has_pushed.get() {
            return Ok(true);
        }
        if let Some(push) = self.take_push(id) {
            self.end_push(&push, 0)?;
        }
        Ok(!self.tagged.transfers.failed.borrow().contains(&id))
    }

    /// At the origin: the target wants the data in packets, all of it.
    pub(crate) fn drop_push_of(&self, id: RequestId) {
        if self.tagged.transfers.has_pushed.get() {
            self.take_push(id);
            self.tagged
                .transfers
                .failed
                .borrow_mut()
                .retain(|failed| *failed != id);
        }
    }
}
