//! On which processors the ranks are that share them.
//!
//! Before: a rank that shares its processing unit is about to wait. After: it knows whether the one it
//! waits for may be running meanwhile, on another processing unit, or needs this one.
//!
//! Invariant: seats are hints; nothing but time depends on them.

use pamir_shm::atomic::Ordering;

use crate::unit::{MessagingUnit, Owner};

impl<O: Owner> MessagingUnit<O> {
    /// Says on which processor this rank is; which.
    fn sit(&self) -> u64 {
        let seat = nix::sched::sched_getcpu().map_or(0, |processor| processor as u64 + 1);
        let own = &self.targets[self.rank].block.status.seat;
        if own.load(Ordering::Relaxed) != seat {
            own.store(seat, Ordering::Relaxed);
        }
        seat
    }

    fn seat(&self, rank: usize) -> u64 {
        let status = self.targets.get(rank).map(|target| &target.block.status);
        status.map_or(0, |status| status.seat.load(Ordering::Relaxed))
    }

    /// Whether `rank` has waited on another processor than this rank's last.
    pub fn sits_elsewhere(&self, rank: usize) -> bool {
        let (own, other) = (self.sit(), self.seat(rank));
        other != 0 && other != own
    }

    /// Whether `rank` has waited on this rank's processor last.
    pub fn sits_beside(&self, rank: usize) -> bool {
        let (own, other) = (self.sit(), self.seat(rank));
        other != 0 && other == own && rank != self.rank
    }
}
