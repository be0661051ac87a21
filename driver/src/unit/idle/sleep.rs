//! Going to sleep in two steps, for those who share the unit with others.
//!
//! Before: an advance that found nothing. After: [`MessagingUnit::announce_sleep`] has told the
//! senders; its caller lets go of the context's lock and waits on the word of
//! [`MessagingUnit::doorbell`], which needs no lock.

use std::ops::Deref;
use std::time::Instant;

use pamir_shm::atomic::AtomicU32;
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::sleep::{self, membarrier};

use crate::job::Job;
use crate::job::layout::RankBlock;
use crate::unit::{MessagingUnit, Owner, UnitError};
use crate::waiting::announcement;

/// Wakes whoever sleeps on a unit; it may go to any thread.
#[derive(Debug)]
pub struct Doorbell(Mapped<RankBlock>);

impl Doorbell {
    /// What wakes the unit of `rank`.
    pub fn new(job: &Job, rank: usize) -> Result<Self, UnitError> {
        let block = job.layout().rank_block(rank);
        Ok(Self(Mapped::new(job.segment(), block)?))
    }

    /// Wakes the sleeper, if there is one. What was written before this is seen by the last
    /// look of one that is about to sleep.
    pub fn ring(&self) {
        announcement::ring(&self.0.sleep);
    }

    /// The word that the sleeper waits on.
    pub fn word(&self) -> &AtomicU32 {
        self.0.sleep.deref()
    }
}

impl<O: Owner> MessagingUnit<O> {
    /// What wakes this unit from other threads of the process.
    pub fn doorbell(&self) -> Result<Doorbell, UnitError> {
        Doorbell::new(&self.job, self.rank)
    }

    /// Tells the senders that this unit is going to sleep, and looks a last time, also with
    /// `look`. `None`: something is there, the announcement is taken back. Else: whether every
    /// sender will see it; if not, sleep for a short while only.
    pub fn announce_sleep(&self, look: impl FnOnce() -> bool) -> Result<Option<bool>, UnitError> {
        let word = &*self.targets[self.rank].block.sleep;
        let (mut ordered, mut failure) = (false, None);
        let rests = announcement::announce(word, || {
            ordered = self.barrier_reaches_all && membarrier::global();
            look()
                || self.any_arrived().unwrap_or_else(|error| {
                    failure = Some(error);
                    true
                })
        });
        failure.map_or(Ok(rests.then_some(ordered)), Err)
    }

    /// Sleeps until a packet comes, somebody rings, or `look` has seen something; or for a
    /// moment where something else may be waited for: a lane that is full (its consumer does
    /// not wake us), or a kernel without the barrier that makes senders see that we sleep.
    #[cold]
    #[inline(never)]
    pub fn sleep(
        &self,
        limit_ns: Option<u64>,
        look: impl FnOnce() -> bool,
    ) -> Result<(), UnitError> {
        let word = &*self.targets[self.rank].block.sleep;
        let Some(ordered) = self.announce_sleep(look)? else {
            return Ok(());
        };
        let short = self.has_backlog().then_some(50_000);
        let unordered = (!ordered).then_some(1_000_000);
        let timer = self.waits_until().map(|at| {
            let left = at.saturating_duration_since(Instant::now());
            left.as_nanos() as u64
        });
        let limits = [short, unordered, limit_ns, timer];
        sleep::wait(word, limits.into_iter().flatten().min());
        sleep::cancel(word);
        Ok(())
    }
}
