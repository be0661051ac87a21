//! Replenish descriptors: how the engine says that a FIFO wants replenishing.
//!
//! Before: the engine comes to a replenish descriptor, behind everything that was in the FIFO.
//! After: the interrupt, in which the FIFO takes in what is pending. Each of the three ways of
//! the document is a transfer of one word that stays in this unit:
//!
//! ```text
//! memory-fifo   descriptor ─▶ packet in the own reception FIFO ─▶ handler table ─▶ replenish
//! counted-put   descriptor ─▶ notification word put, counter 8 ─▶ 0 ─▶ its bit in the status register ─▶ replenish
//! touching-put  descriptor ─▶ protected page touched ─▶ page fault ─▶ counted ─▶ replenish
//!   :word                  ─▶ notification word touched ─▶ replenish
//! ```
//!
//! A counted put that gets the shared counter, whose value says nothing, is taken for a touching
//! one. Invariant: what waits for the interrupt keeps the target's backlog above zero, so nothing
//! passes it.

use std::time::Instant;

use crate::injection::counter::CounterId;
use crate::injection::criterion::{Criterion, Touch};
use crate::injection::descriptor::Operation;
use crate::injection::touch_notification::{TouchNotification, TouchNotificationError};
use crate::unit::packet::{Packet, REPLENISH};
use crate::unit::target::{Target, reserve};
use crate::unit::{MessagingUnit, Owner, UnitError};

/// Bytes that a replenish descriptor moves.
const WORD_BYTES: u64 = 8;

/// The packet handler of replenish packets.
pub(in crate::unit) fn packet_arrived<O: Owner>(
    owner: &O,
    origin: u32,
    packet: Packet<'_>,
) -> Result<(), UnitError> {
    let unit = owner.unit();
    let target = packet.word(0) as usize;
    if origin as usize != unit.rank || target >= unit.targets.len() {
        return Err(UnitError::Packet {
            rank: origin,
            reason: "only a unit itself replenishes its injection FIFOs",
        });
    }
    unit.targets[target].fifo.borrow_mut().replenish();
    Ok(())
}

/// The memory that replenish descriptors of `criterion` touch, if they touch any.
pub(in crate::unit) fn touch_notification(
    criterion: Criterion,
) -> Result<Option<TouchNotification>, TouchNotificationError> {
    match criterion {
        Criterion::TouchingPut(Touch::Memory) => TouchNotification::new().map(Some),
        Criterion::TouchingPut(Touch::Automatic) => Ok(TouchNotification::new().ok()),
        _ => Ok(None),
    }
}

impl<O: Owner> MessagingUnit<O> {
    /// When the first timer expires, if timers are all that its injection FIFOs wait for.
    pub fn waits_until(&self) -> Option<Instant> {
        let waiting = self.targets.iter().filter(|to| to.backlog.get() != 0);
        let mut deadlines = waiting.map(|to| to.fifo.borrow().waits_until());
        // One that waits for something else makes it none.
        deadlines.try_fold(None::<Instant>, |soonest, deadline| {
            let deadline = deadline?;
            Some(Some(soonest.map_or(deadline, |other| other.min(deadline))))
        })?
    }

    /// Moves the word of the replenish descriptor in front; true when that is done. Then its slot
    /// is free: a direct put interrupts now, while a packet does when it is handled.
    #[inline]
    pub(in crate::unit) fn step_replenish(
        &self,
        to: &Target,
        operation: Operation,
        word: u64,
    ) -> Result<bool, UnitError> {
        if operation == Operation::MemoryFifo {
            let sent = self.send_replenish_packet(word)?;
            if sent {
                to.fifo.borrow_mut().retire();
            }
            return Ok(sent);
        }
        let interrupts = self.put_word(to, word)?;
        let mut fifo = to.fifo.borrow_mut();
        fifo.retire();
        if interrupts {
            fifo.replenish();
        }
        Ok(true)
    }

    /// Moves a word by a direct put into this unit's own memory; whether that interrupts.
    #[inline]
    fn put_word(&self, to: &Target, word: u64) -> Result<bool, UnitError> {
        if to.fifo.borrow().criterion() == Criterion::CountedPut {
            let counter = self.counters.dedicate(WORD_BYTES, 0);
            if let CounterId::Dedicated(_) = counter {
                return Ok(self.put_counted(word, counter));
            }
        }
        if let Some(memory) = &self.touch_notification {
            memory.put(word)?;
            return Ok(memory.take());
        }
        self.notification.set(Some(word));
        Ok(self.notification.take().is_some())
    }

    /// Puts the word, counts its bytes, and looks for the counter's bit.
    fn put_counted(&self, word: u64, counter: CounterId) -> bool {
        self.notification.set(Some(word));
        self.counters.count(counter, WORD_BYTES);
        let hit = self.counters.has_hit(counter);
        self.counters.release(counter);
        hit
    }

    /// By what a touching put interrupts; nothing for other criteria.
    pub(crate) fn touches(&self) -> &'static str {
        match (self.injection().criterion(), &self.touch_notification) {
            (Criterion::TouchingPut(_), Some(_)) => " by userfaultfd",
            (Criterion::TouchingPut(_), None) => " by a word",
            _ => "",
        }
    }

    /// Puts the packet that replenishes into the own reception FIFO, unless that is full. It goes
    /// past what waits for that FIFO: it belongs to another injection FIFO, or is its last slot.
    fn send_replenish_packet(&self, word: u64) -> Result<bool, UnitError> {
        // SAFETY: nothing is read from a part without bytes.
        if unsafe { self.inject_line(self.rank, REPLENISH, word, std::ptr::null(), 0) } {
            return Ok(true);
        }
        let own = &self.targets[self.rank];
        let Some(reserved) = reserve(own, self.rank, WORD_BYTES as usize)? else {
            return Ok(false);
        };
        own.lane.write_word(&reserved, 0, word);
        self.commit(self.rank, reserved, REPLENISH, 0, WORD_BYTES as usize);
        Ok(true)
    }

    /// The engine has nothing left to do for a target while descriptors are pending: if it has
    /// sent the packet that replenishes, handles what has arrived in the own reception FIFO up to
    /// that, rather than stand still until the next poll. True if packets have been handled.
    pub(in crate::unit) fn take_replenish_packet(
        &self,
        owner: &O,
        to: &Target,
    ) -> Result<bool, UnitError> {
        let packet = to.fifo.borrow().criterion() == Criterion::MemoryFifo;
        if !packet || to.backlog.get() == 0 {
            return Ok(false);
        }
        let own = &self.origins[self.rank];
        if let Some(arrived) = own.peek_line(REPLENISH) {
            self.deliver(owner, own, self.rank, arrived)?;
            return Ok(true);
        }
        Ok(self.poll_lane(owner, self.rank)? > 0)
    }
}
