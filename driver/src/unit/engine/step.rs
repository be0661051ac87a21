//! The engine's step: descriptors that wait are processed, in order.
//!
//! Before: a descriptor that could not be processed where it stood is in the injection FIFO of its
//! target. After: its packets are in the lane, or its bytes copied, and its slot is free; at the
//! end of the slots the interrupt criterion replenishes them ([`super::replenish`]).
//!
//! Descriptors with a completion count their bytes ([`crate::injection::counter`]); the step ends
//! with one look at the counter status register, and the owner hears of all that are complete.
//!
//! Invariant: no FIFO is borrowed while the owner is called, who may inject more.

use pamir_shm::atomic::Ordering;

use crate::unit::target::Target;
use crate::unit::{MessagingUnit, Owner, Served, UnitError};

impl<O: Owner> MessagingUnit<O> {
    /// Whether descriptors wait.
    #[inline(always)]
    pub fn has_backlog(&self) -> bool {
        self.backlog.get() != 0
    }

    /// A service thread's turn: takes what has arrived, and processes what waits, which it counts; whether anything moved.
    pub fn serve(&self, owner: &O) -> Result<bool, UnitError> {
        let before = self.backlog.get();
        let handled = self.poll(owner)?;
        self.step(owner)?;
        let done = before.saturating_sub(self.backlog.get());
        if done > 0 {
            self.count_served(done as u64);
        }
        Ok(handled > 0 || done > 0)
    }

    /// Counts an interrupt, for the report and for who looks at the job meanwhile.
    fn count_served(&self, descriptors: u64) {
        let before = self.served.get();
        let served = Served {
            interrupts: before.interrupts + 1,
            descriptors: before.descriptors + descriptors,
        };
        self.served.set(served);
        let status = &self.targets[self.rank].block.status;
        status
            .interrupts
            .store(served.interrupts, Ordering::Relaxed);
        status
            .descriptors_moved
            .store(served.descriptors, Ordering::Relaxed);
    }

    /// Processes what waits in the injection FIFOs as far as the lanes have room.
    #[inline(always)]
    pub fn step(&self, owner: &O) -> Result<(), UnitError> {
        if self.backlog.get() != 0 {
            self.step_backlog(owner)?;
        }
        Ok(())
    }

    /// A call of its own: what waits is worked through as fast as what does not, but the way of a
    /// message past an empty FIFO stays short.
    #[cold]
    #[inline(never)]
    fn step_backlog(&self, owner: &O) -> Result<(), UnitError> {
        self.step_targets(owner)?;
        self.counters.take_hits(|cookie| owner.injected(cookie));
        Ok(())
    }

    #[inline(never)]
    fn step_targets(&self, owner: &O) -> Result<(), UnitError> {
        for to in self.targets.iter().filter(|to| to.backlog.get() != 0) {
            self.step_target(owner, to)?;
        }
        Ok(())
    }

    fn step_target(&self, owner: &O, to: &Target) -> Result<(), UnitError> {
        to.fifo.borrow_mut().look_at_timer();
        while self.step_front(owner, to)? {}
        Ok(())
    }

    /// Goes on with the descriptor in front; whether that, or an interrupt, may have brought
    /// another one there.
    #[inline(always)]
    fn step_front(&self, owner: &O, to: &Target) -> Result<bool, UnitError> {
        let mut fifo = to.fifo.borrow_mut();
        let Some(front) = fifo.front() else {
            drop(fifo);
            return self.take_replenish_packet(owner, to);
        };
        if front.local {
            let (operation, word) = (front.operation, front.metadata);
            drop(fifo);
            return self.step_replenish(to, operation, word);
        }
        // The owner may come back to the FIFO while it fills a packet.
        let mut descriptor = *front;
        drop(fifo);
        let before = descriptor.injected;
        let done = self.process(owner, to, &mut descriptor)?;
        let mut fifo = to.fifo.borrow_mut();
        if !done {
            self.count_moved(&descriptor, before);
            if let Some(front) = fifo.front() {
                *front = descriptor;
            }
            return Ok(false);
        }
        fifo.retire();
        drop(fifo);
        to.backlog.set(to.backlog.get() - 1);
        self.backlog.set(self.backlog.get() - 1);
        self.finish(owner, &descriptor);
        Ok(true)
    }
}
