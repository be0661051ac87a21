//! Large data that both ends of a message copy through the kernel, each a part.
//!
//! Before: [`crate::tagged::receive::arrival`] has matched a message whose data waits at its origin in one
//! piece, and the receive's buffer is one piece too. After: the receive is complete, and the
//! origin's send.
//!
//! ```text
//!   origin                                                  target
//!     REQUEST_TO_SEND: address, length ───────────────────▶ matched: a *pull*
//!     a *push*  ◀─── CLEAR_TO_COPY: address, length, slot ─
//!     claims from the back                                  claims from the front
//!     process_vm_writev                                     process_vm_readv
//!               ◀─── FINISHED ──────────────────────────────  nothing is left, its own are read
//!     nothing is left, its own are written ─── PUSHED ────▶
//! ```
//!
//! Chunks are claimed from a word that both see ([`pamir_shm::copy::chunk_claims`]), one of a few a lane;
//! a pull that finds none free goes on alone, and takes one when it becomes free. An end that is not
//! in a call claims nothing: the other one copies everything, so a send goes on while its origin
//! computes. Each advance copies one chunk; a short message that its target copies alone, and that is the only one, is
//! copied as soon as it is matched. With many messages under way, each end takes its half of one after the
//! other, from the oldest one on, and comes back for what the other one has left only when it has no half to do: a
//! buffer that is used for many messages then stays in two parts in two caches.
//!
//! A pull, at the target:
//!
//! | from    | becomes | when |
//! |---------|---------|------|
//! | pulling | copied  | nothing is left to claim: `FINISHED` is sent |
//! | copied  | done    | the origin has claimed nothing, or its `PUSHED` has come |
//! | any     | refused | a copy failed here, or a `PUSHED` says so, or the origin has withdrawn messages ([`crate::tagged::send::withdrawal`]): `CLEAR_TO_SEND`, and packets |
//!
//! The origin's part, a push, is in `push.rs`.
//!
//! Invariants: the origin writes to the target's memory only between a claim and the next packet
//! that it sends or handles, so once the target has its `PUSHED`, or packets behind a
//! `CLEAR_TO_SEND`, nothing is written any more. A chunk is copied by the end that claimed it, or the
//! whole message comes again in packets.

use pamir_driver::memory::kernel_copy::{self, KernelCopyError};
use pamir_driver::memory::sweep::Sweep;
use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::Packet;

use self::under_way::{Data, FAILED, Pull, Slot, take_next};
use crate::context::Context;
use crate::protocol::kind;
use crate::protocol::trials::Timed;
use crate::tagged::buffer::Buffer;
use crate::tagged::state::request::RequestId;

/// What a matched message needs to be pulled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matched {
    pub(crate) id: RequestId,
    pub(crate) origin: u32,
    pub(crate) origins_request: u64,
    pub(crate) message_bytes: usize,
    /// Where the data lies at the origin.
    pub(crate) address: u64,
    /// Where it shall go, and how much there is room for.
    pub(crate) target: (*mut u8, usize),
    /// Whether the origin shall copy too.
    pub(crate) together: bool,
    /// The run that it is part of, if it is timed.
    pub(crate) timed: Option<Timed>,
}

impl Context {
    /// At the target: copies a matched message through the kernel from now on.
    pub(crate) fn pull(&self, matched: Matched) -> Result<(), UnitError> {
        let (local, room) = matched.target;
        let mut pull = Pull {
            origin: matched.origin,
            id: matched.id,
            origins_request: matched.origins_request,
            message_bytes: matched.message_bytes,
            data: Data {
                local,
                remote: matched.address,
                bytes: matched.message_bytes.min(room),
            },
            alone: !matched.together || matched.origin as usize == self.task(),
            slot: None,
            front: 0,
            pushed: false,
            timed: matched.timed,
        };
        self.ask_origin(&mut pull)?;
        self.tagged.transfers.pulls.borrow_mut().push_back(pull);
        self.add_to_background();
        Ok(())
    }

    /// Asks a pull's origin to copy too, if there is a word to claim from.
    fn ask_origin(&self, pull: &mut Pull) -> Result<(), UnitError> {
        if pull.alone {
            return Ok(());
        }
        let Some(index) = self.tagged.transfers.take_slot(pull.origin, self.tasks()) else {
            return Ok(());
        };
        let origin = pull.origin as usize;
        let claims = self.unit.chunk_claims(origin, self.task(), index)?;
        let generation = claims.open();
        let words = [
            pull.id.word(),
            pull.data.local as u64,
            pull.data.bytes as u64,
            index as u64 | u64::from(generation.word()) << 32,
        ];
        pull.slot = Some(Slot {
            index,
            claims,
            generation,
        });
        let words = words.map(u64::to_ne_bytes);
        let (kind, request) = (kind::CLEAR_TO_COPY, pull.origins_request);
        self.control(origin, kind, 0, request, words.as_flattened())
    }

    /// A pull has given its word back: the next one from that origin takes it.
    fn ask_origin_of_next(&self, origin: u32) -> Result<(), UnitError> {
        let mut pulls = self.tagged.transfers.pulls.borrow_mut();
        let waits = |pull: &&mut Pull| {
            pull.origin == origin && pull.slot.is_none() && pull.front == 0 && !pull.alone
        };
        match pulls.iter_mut().find(waits) {
            Some(next) => self.ask_origin(next),
            None => Ok(()),
        }
    }

    /// Goes on with a chunk of a pull and one of a push; how many were copied.
    pub(crate) fn poll_transfers(&self) -> Result<usize, UnitError> {
        Ok(usize::from(self.pull_chunk()?) + usize::from(self.push_chunk()?))
    }

    fn pull_chunk(&self) -> Result<bool, UnitError> {
        if self.pull_several()? {
            return Ok(true);
        }
        let Some((place, pull)) = take_next(&self.tagged.transfers.pulls, Pull::is_fresh) else {
            return Ok(false);
        };
        self.pull_next_of(place, pull).map(|()| true)
    }

    /// At the target: the message that has just been matched is the only one that is received, and short, and nobody
    /// else copies it: that needs no other advance.
    pub(crate) fn pull_only_one(&self) -> Result<(), UnitError> {
        let mut pulls = self.tagged.transfers.pulls.borrow_mut();
        let is_only = self.tagged.posted.waiting() == 0 && pulls.len() == 1;
        if !is_only || !pulls[0].is_at_once() {
            return Ok(());
        }
        let only = pulls.pop_front();
        drop(pulls);
        self.remove_from_background();
        only.map_or(Ok(()), |pull| self.pull_next_of(0, pull))
    }

    /// Copies the next chunk of a pull, which was taken from its place.
    fn pull_next_of(&self, place: usize, mut pull: Pull) -> Result<(), UnitError> {
        let Some(chunk) = pull.claim() else {
            return self.end_pull(pull);
        };
        let process = self.process(pull.origin);
        let is_own = self.is_own_send(&pull);
        // SAFETY: the chunk lies in the receive's buffer, which whoever posted it vouched for
        // until it is complete; the kernel checks the origin's address, or it lies in the buffer
        // of a send of this task's, vouched for in the same way. The two may overlap.
        let copied = unsafe {
            pull.data.copy(chunk, |local, remote, bytes| {
                if is_own {
                    std::ptr::copy(remote as *const u8, local, bytes);
                    return Ok(());
                }
                kernel_copy::read(process, local, remote, bytes)
            })
        };
        if let Err(error) = copied {
            self.note_refusal(error);
            return self.pull_in_packets(pull);
        }
        pull.front += chunk.units;
        if chunk.left == 0 {
            return self.end_pull(pull);
        }
        self.tagged.transfers.pulls.borrow_mut().insert(place, pull);
        Ok(())
    }

    /// Whether the data lies in the buffer of a send that this task has begun to itself: no
    /// kernel is needed to read it.
    fn is_own_send(&self, pull: &Pull) -> bool {
        let id = RequestId::from_word(pull.origins_request);
        let request = (pull.origin as usize == self.task())
            .then(|| self.tagged.requests.get(id))
            .flatten();
        request.is_some_and(|request| match *request.buffer.borrow() {
            Buffer::Contiguous { address, bytes } => {
                address as u64 == pull.data.remote && pull.data.bytes <= bytes
            }
            _ => false,
        })
    }

    /// All is claimed, and this task's own chunks are copied.
    fn end_pull(&self, pull: Pull) -> Result<(), UnitError> {
        if self.has_withdrawn(pull.origin)? {
            return self.pull_in_packets(pull);
        }
        let origin = pull.origin as usize;
        self.control(origin, kind::FINISHED, 0, pull.origins_request, &[])?;
        if pull.claimed_by_origin()? == 0 || pull.pushed {
            return self.pulled(pull);
        }
        self.tagged.transfers.copied.borrow_mut().push(pull);
        Ok(())
    }

    /// All has been copied by both ends.
    fn pulled(&self, pull: Pull) -> Result<(), UnitError> {
        self.tagged.transfers.give_slot_back(pull.origin, pull.slot);
        if let Some(request) = self.tagged.requests.get(pull.id) {
            self.received(pull.id, request, pull.message_bytes);
        }
        if let Some(timed) = pull.timed {
            self.end_timed(timed)?;
        }
        self.ask_origin_of_next(pull.origin)
    }

    /// One of the ends could not copy: the whole message shall come in packets.
    fn pull_in_packets(&self, pull: Pull) -> Result<(), UnitError> {
        self.tagged.transfers.give_slot_back(pull.origin, pull.slot);
        self.ask_for_packets(pull.id, pull.origin, pull.origins_request)
    }

    /// At the target: the origin has written what it had claimed, or could not.
    pub(crate) fn pushed(&self, origin: u32, packet: Packet<'_>) -> Result<(), UnitError> {
        let id = RequestId::from_word(packet.word(0));
        let failed = packet.auxiliary() == FAILED;
        let is_it = |pull: &Pull| pull.id == id && pull.origin == origin;
        let mut copied = self.tagged.transfers.copied.borrow_mut();
        if let Some(place) = copied.iter().position(is_it) {
            let pull = copied.swap_remove(place);
            drop(copied);
            return if failed {
                self.pull_in_packets(pull)
            } else {
                self.pulled(pull)
            };
        }
        let mut pulls = self.tagged.transfers.pulls.borrow_mut();
        // One that is not found has been taken back, and comes in packets.
        let Some(place) = pulls.iter().position(is_it) else {
            return Ok(());
        };
        if !failed {
            pulls[place].pushed = true;
            return Ok(());
        }
        let pull = pulls.remove(place);
        drop(pulls);
        pull.map_or(Ok(()), |pull| self.pull_in_packets(pull))
    }

    /// Has the kernel copy from a task's memory; false if it does not.
    pub(crate) fn read_from(
        &self,
        task: usize,
        address: u64,
        target: &mut [u8],
        sweep: Sweep,
    ) -> bool {
        if !self.copies_with(task) {
            return false;
        }
        let process = self.process(task as u32);
        // SAFETY: the target is borrowed for that long, and its bytes may be any; the kernel checks
        // the address.
        let copied = unsafe {
            kernel_copy::read_in_order(process, target.as_mut_ptr(), address, target.len(), sweep)
        };
        copied.map_err(|error| self.note_refusal(error)).is_ok()
    }

    fn process(&self, task: u32) -> i32 {
        self.unit.job().process(task as usize).unwrap_or(0)
    }

    /// What is refused for the other process's sake is not tried again.
    pub(super) fn note_refusal(&self, error: KernelCopyError) {
        if !error.is_about_memory() {
            self.kernel_refuses.set(true);
        }
    }
}

mod push;
mod several;
#[cfg(test)]
mod tests;
pub(crate) mod under_way;
