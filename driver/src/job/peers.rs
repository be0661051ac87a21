//! What is known of each rank's process: how far it has come, and what it is called.
//!
//! Before: a rank has claimed its place, or has not. After: its peers, its bridges and the launcher know whether anything more
//! can come from it.

use pamir_shm::atomic::Ordering;

use super::rank_state::RankState;
use super::{Job, process_end, process_name};

impl Job {
    /// How far rank `rank` has come.
    pub fn rank_state(&self, rank: usize) -> RankState {
        let block = self.block(rank).expect("a rank of this job has a block");
        RankState::from_word(block.status.state.load(Ordering::Acquire))
    }

    /// Whether nothing more comes from rank `rank`: it has left, given up, or its process has ended
    /// in the middle. A rank that has not attached yet may still come, and nobody asks about a process of another PID
    /// namespace. Takes two system calls
    /// where the rank is there.
    pub fn has_ended(&self, rank: usize) -> bool {
        match self.rank_state(rank) {
            RankState::Absent => false,
            RankState::Attached => self.process(rank).is_some_and(process_end::has_ended),
            RankState::Finalized | RankState::Aborted { .. } => true,
        }
    }

    /// Says how far this rank has come.
    pub fn set_rank_state(&self, rank: usize, state: RankState) {
        let block = self.block(rank).expect("a rank of this job has a block");
        block.status.state.store(state.to_word(), Ordering::Release);
        self.rouse_other_nodes(rank);
    }

    /// The process of rank `rank`, once it has attached, if it has a number that means the same here
    /// ([`super::process_name`]).
    pub fn process(&self, rank: usize) -> Option<i32> {
        process_name::number_here(self.process_word(rank))
    }

    /// Whether a rank that has attached has no number here: it is in another PID namespace.
    pub fn is_nameless(&self, rank: usize) -> bool {
        let word = self.process_word(rank);
        word != 0 && !process_name::is_known_here(word)
    }

    fn process_word(&self, rank: usize) -> u64 {
        let block = self.block(rank).expect("a rank of this job has a block");
        block.status.process.load(Ordering::Acquire)
    }
}
