//! Advancing a context: every room goes on with what it has under way.
//!
//! Before: a call of the program's, or one that waits ([`crate::waiting`]). After: packets have been handled by the rooms'
//! handlers, and the unit asks the rooms for the bytes that it injects ([`Owner`]).
//!
//! Invariant: advance is not entered again from a packet handler.

use std::time::{Duration, Instant};

use pamir_driver::engine_thread::Activity;
use pamir_driver::injection::descriptor::Descriptor;
use pamir_driver::job::RankState;
use pamir_driver::memory::kernel_copy::KernelCopyError;
use pamir_driver::unit::{MessagingUnit, Owner, UnitError};
use pamir_shm::lane::room::LaneRoom;

use super::Context;
use crate::active::state::operation::is_operation;
use crate::tagged::state::request::RequestId;

/// The longest rest of a thread that nobody wakes.
const SHARED_REST: Duration = Duration::from_millis(1);

impl Context {
    /// Moves what can be moved; whether anything came.
    #[inline(always)]
    pub fn advance(&self) -> Result<bool, UnitError> {
        let handled = self.unit.poll(self)?;
        self.unit.step(self)?;
        let mut moved = handled > 0;
        if !self.background.is_empty() {
            moved |= self.poll_background()?;
        }
        if !moved && self.tagged.early_offers.any() {
            moved = self.take_early_offer()?;
        }
        Ok(moved)
    }

    #[cold]
    #[inline(never)]
    fn poll_background(&self) -> Result<bool, UnitError> {
        let mut worked = self.background.run_posted(self);
        worked += self.deliver_early()?;
        worked += self.poll_fences()?;
        worked += self.poll_stripes()?;
        worked += self.poll_transfers()?;
        worked += self.poll_operations();
        Ok(worked > 0)
    }

    /// Lets the operations in the background go on; how many have ended.
    fn poll_operations(&self) -> usize {
        self.background.poll_operations(|| {
            self.active.fences.borrow().len()
                + self.active.early.waiting()
                + self.stripes_under_way()
                + self.tagged.transfers.under_way()
        })
    }

    /// What an engine thread does each time: `attended` says whether the application has
    /// advanced the context itself meanwhile.
    pub fn advance_for_engine(&self, attended: bool) -> Result<Activity, UnitError> {
        let moved = self.background.by_engine(|| self.advance())?;
        Ok(if attended {
            Activity::Attended
        } else if moved {
            Activity::Moved
        } else if self.unit.has_backlog() {
            let timer = self.unit.waits_until();
            timer.map_or(Activity::Blocked, Activity::Timed)
        } else {
            Activity::Quiet
        })
    }

    /// What a service thread does each time while sends wait: nothing that calls the program's functions, which expect
    /// its own threads. Whether anything moved.
    pub fn serve(&self) -> Result<bool, UnitError> {
        self.unit.serve(self)
    }

    /// When the timer expires that all sends wait for, if they do.
    pub fn waits_until(&self) -> Option<Instant> {
        self.unit.waits_until()
    }

    /// Announces that nobody advances this context until its doorbell rings; see
    /// [`MessagingUnit::announce_sleep`].
    pub fn announce_sleep(&self) -> Result<Option<bool>, UnitError> {
        self.unit.announce_sleep(|| self.has_work())
    }

    /// Whether work waits that was posted, other threads have moved all of a message, or an
    /// operation in the background has ended, which may wait for a post on a board. One that goes
    /// on without ending looks for its next post here, behind the announcement too.
    pub(crate) fn has_work(&self) -> bool {
        self.background.has_posted() || self.stripes_have_ended() || self.poll_operations() > 0
    }

    /// Sleeps until something may have come for this context, at most `limit_ns` nanoseconds, or
    /// not at all if `look` sees something. Where several threads take turns with this context, what
    /// comes may come to another one: nobody wakes this one, so it sleeps for a moment.
    pub fn rest(&self, limit_ns: u64, look: impl FnOnce() -> bool) -> Result<(), UnitError> {
        if self.is_shared() {
            if !look() {
                self.nap(Duration::from_nanos(limit_ns).min(SHARED_REST));
            }
            return Ok(());
        }
        self.unit
            .sleep(Some(limit_ns), || look() || self.has_work())
    }

    /// Advances until nothing waits for a target that is still there, and tells the others that
    /// this context is gone.
    pub fn leave(&self) -> Result<(), UnitError> {
        let waits = |unit| self.unit.backlog_to(unit) > 0 && !self.job().has_ended(unit);
        self.advance_until(|| !(0..self.unit.ranks()).any(waits))?;
        self.print_driver_report();
        self.job()
            .set_rank_state(self.unit.rank(), RankState::Finalized);
        Ok(())
    }

    /// Advances until nothing waits in the injection FIFOs.
    pub fn flush(&self) -> Result<(), UnitError> {
        self.advance_until(|| !self.unit.has_backlog())
    }
}

impl Owner for Context {
    fn unit(&self) -> &MessagingUnit<Self> {
        &self.unit
    }

    #[inline(always)]
    fn under_way(&self) -> usize {
        self.tagged.requests.under_way()
    }

    #[inline(always)]
    fn receives(&self) -> usize {
        self.tagged.posted.waiting()
    }

    fn pends(&self) {
        if let Some(tell) = self.pends.get() {
            tell();
        }
    }

    fn fill(&self, cookie: u64, at: u64, room: LaneRoom<'_>, bytes: usize) {
        if is_operation(cookie) {
            return self.fill_active(cookie, at as usize, room, bytes);
        }
        self.pack_fragment(RequestId::from_word(cookie), at as usize, room, bytes);
    }

    fn injected(&self, cookie: u64) {
        if is_operation(cookie) {
            return self.injected_active(cookie);
        }
        self.sent(RequestId::from_word(cookie));
    }

    fn refused(&self, descriptor: &Descriptor, error: KernelCopyError) {
        if is_operation(descriptor.cookie) {
            return self.refused_active(descriptor, error);
        }
        self.kernel_refuses.set(true);
        self.sent(RequestId::from_word(descriptor.cookie));
    }
}
