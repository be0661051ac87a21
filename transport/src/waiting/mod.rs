//! Waiting for what a context has to receive, or another task has to do.
//!
//! Before: a call that finds nothing to return with. After: the context has been advanced until there
//! is something; in between the waiting ladder says whether to spin, to yield or to sleep
//! ([`pamir_driver::waiting::ladder`]).
//!
//! A caller that knows the awaited task says so ([`Context::advance_until_from`],
//! [`Context::awaits`]): where tasks share processors, one that may be running on another processor is
//! given a moment, and one that sits beside this task is given the processor at once.
//!
//! A call that must not wait polls once ([`Context::poll`]); where ranks share processors it yields after a
//! run of polls that found nothing ([`crate::waiting::vain_polls`]).
//!
//! Invariant: who is awaited is a hint; the wait ends by what it waits for.

pub mod exposed_time;
pub(super) mod state;
pub(super) mod vain_polls;

use std::time::{Duration, Instant};

use pamir_driver::unit::UnitError;
use pamir_driver::waiting::ladder::{Expected, Ladder, NAP, Rung};

use crate::context::Context;
pub use crate::waiting::state::SharedPause;

impl Context {
    /// Advances until `done` says so, spinning, yielding or sleeping as it takes.
    #[inline(always)]
    pub fn advance_until(&self, done: impl FnMut() -> bool) -> Result<(), UnitError> {
        self.advance_until_from(None, done)
    }

    /// [`Self::advance_until`], where it is known which task has to do something for that.
    #[inline(always)]
    pub fn advance_until_from(
        &self,
        task: Option<usize>,
        mut done: impl FnMut() -> bool,
    ) -> Result<(), UnitError> {
        if done() {
            return Ok(());
        }
        self.awaits(task);
        let mut ladder = Ladder::new(self.unit.is_oversubscribed());
        loop {
            let moved = self.advance()?;
            if done() {
                return Ok(());
            }
            if !moved {
                self.pause(&mut ladder)?;
            } else {
                ladder.reset();
            }
        }
    }

    /// Advances until `done` says so, where that is no packet but a word in shared memory: whoever stores it wakes this task.
    /// `done` may be asked again after it has said so.
    #[inline(never)]
    pub(crate) fn wait_told(&self, done: &mut dyn FnMut() -> bool) -> Result<(), UnitError> {
        self.awaits(None);
        let mut ladder = Ladder::new(self.unit.is_oversubscribed());
        while !done() {
            if self.advance()? {
                ladder.reset();
            } else if !done() {
                self.pause_out_of_line(&mut ladder, done)?;
            }
        }
        Ok(())
    }

    /// [`Self::advance_until`], for an operation that goes on in the background: it may want to know how long.
    pub fn wait_exposed_until(&self, done: impl FnMut() -> bool) -> Result<(), UnitError> {
        let exposed_time = &self.waiting.exposed_time;
        exposed_time.during(|| self.advance_until(done))
    }

    /// Advances once and looks once, for a call that must not wait. Where other ranks share this
    /// task's processor, a call that ends a run of vain looks lets them have it for a moment.
    ///
    /// # Errors
    ///
    /// What the advance or `look` failed with.
    pub fn poll<T, E: From<UnitError>>(
        &self,
        look: impl FnOnce() -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        self.advance()?;
        let found = look()?;
        if self.unit.is_oversubscribed() {
            self.polled(found.is_some());
        }
        Ok(found)
    }

    #[cold]
    #[inline(never)]
    fn polled(&self, found: bool) {
        let vain = &self.waiting.vain_polls;
        if found {
            vain.end();
        } else if vain.add(Instant::now()) {
            match self.waiting.shared_pause.get() {
                Some(pause) => pause(Rung::Yield, NAP),
                None => std::thread::yield_now(),
            }
            vain.resume(Instant::now());
        }
    }

    /// [`Self::advance`], for what is compiled in many copies.
    #[inline(never)]
    pub(crate) fn advance_out_of_line(&self) -> Result<bool, UnitError> {
        self.advance()
    }

    /// [`Self::pause`], for what is compiled in many copies.
    #[inline(never)]
    pub(crate) fn pause_out_of_line(
        &self,
        ladder: &mut Ladder,
        look: &mut dyn FnMut() -> bool,
    ) -> Result<(), UnitError> {
        self.pause_unless(ladder, look)
    }

    /// Several threads take turns with this context: `pause` is called for every rung of the
    /// waiting ladder, to let the others have it, with how long to sleep where that is the rung.
    pub fn share(&self, pause: SharedPause) {
        self.waiting.shared_pause.set(Some(pause));
        self.alone.set(false);
    }

    /// Where several threads take turns with this context, lets the others have it for a moment.
    pub fn give_turn(&self) {
        if let Some(pause) = self.waiting.shared_pause.get() {
            pause(Rung::Yield, NAP);
        }
    }

    /// Sleeps, while the other threads that take turns with this context have it.
    pub(crate) fn nap(&self, nap: Duration) {
        if let Some(pause) = self.waiting.shared_pause.get() {
            pause(Rung::Sleep, nap);
        }
    }

    /// Whether several threads take turns with this context.
    #[inline(always)]
    pub fn is_shared(&self) -> bool {
        self.waiting.shared_pause.get().is_some()
    }

    /// After an advance that found nothing: the next rung of the waiting ladder.
    #[inline(always)]
    pub fn pause(&self, ladder: &mut Ladder) -> Result<(), UnitError> {
        self.pause_unless(ladder, || false)
    }

    /// The same for who waits for something that is no packet: before this task sleeps, `look`
    /// looks for it a last time.
    #[inline(always)]
    fn pause_unless(
        &self,
        ladder: &mut Ladder,
        look: impl FnOnce() -> bool,
    ) -> Result<(), UnitError> {
        let attends = self.one_sided.attended.any();
        if attends && self.one_sided.attended.look() {
            ladder.reset();
            return Ok(());
        }
        let waiting = &self.waiting;
        let rung = ladder.step_for(&waiting.brief_spins, || self.awaits_elsewhere());
        if let Some(pause) = waiting.shared_pause.get() {
            pause(rung, ladder.nap());
            return Ok(());
        }
        match rung {
            Rung::Spin => {
                // Besides what it is for, this keeps the reader from taking the line away
                // from the writer in the middle of its store: a fifth of the latency.
                std::hint::spin_loop();
                Ok(())
            }
            Rung::Yield => {
                std::thread::yield_now();
                Ok(())
            }
            Rung::Sleep => {
                self.unit.sleep(None, || self.has_work() || look())?;
                if attends {
                    // Whoever woke this task may have something for it to do.
                    ladder.reset();
                }
                Ok(())
            }
        }
    }

    /// The wait under way, or the next one, is for something that `task` has to do.
    #[inline(always)]
    pub(crate) fn awaits(&self, task: Option<usize>) {
        self.waiting.awaited.set(task);
    }

    /// Whether the task that is waited for may be running meanwhile.
    #[cold]
    fn awaits_elsewhere(&self) -> bool {
        let awaited = self.waiting.awaited.get();
        awaited.is_some_and(|task| self.unit.waits_elsewhere(task))
    }

    /// Whether `task` needs this task's processor to go on.
    pub(crate) fn waits_beside(&self, task: usize) -> bool {
        self.unit.waits_beside(task)
    }

    /// The waiting ladder of this context.
    pub fn ladder(&self) -> Ladder {
        Ladder::new(self.unit.is_oversubscribed()).expecting(self.waiting.expected.get())
    }

    /// Says what is known of all waits.
    pub fn expect_wait(&self, expected: Expected) {
        self.waiting.expected.set(expected);
    }
}
