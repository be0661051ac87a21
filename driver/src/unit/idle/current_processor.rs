//! On which processors the ranks are that share them.
//!
//! Before: a rank that shares its processing unit is about to wait. After: it knows whether the one it
//! waits for may be running meanwhile, on another processing unit, or needs this one.
//!
//! Invariant: what a rank says is a hint; nothing but time depends on them.

use pamir_shm::atomic::Ordering;

use crate::unit::{MessagingUnit, Owner};

impl<O: Owner> MessagingUnit<O> {
    /// Says on which processor this rank is; which.
    fn say_processor(&self) -> u64 {
        let processor = nix::sched::sched_getcpu().map_or(0, |number| number as u64 + 1);
        let own = &self.targets[self.rank].block.status.processor;
        if own.load(Ordering::Relaxed) != processor {
            own.store(processor, Ordering::Relaxed);
        }
        processor
    }

    fn processor(&self, rank: usize) -> u64 {
        let status = self.targets.get(rank).map(|target| &target.block.status);
        status.map_or(0, |status| status.processor.load(Ordering::Relaxed))
    }

    /// Whether `rank` has waited on another processor than this rank's last.
    pub fn waits_elsewhere(&self, rank: usize) -> bool {
        let (own, other) = (self.say_processor(), self.processor(rank));
        other != 0 && other != own
    }

    /// Whether `rank` has waited on this rank's processor last.
    pub fn waits_beside(&self, rank: usize) -> bool {
        let (own, other) = (self.say_processor(), self.processor(rank));
        other != 0 && other == own && rank != self.rank
    }
}
