//! The nodes of a job: which ranks share memory.
//!
//! Before: the launcher has made a segment for each node (`mpiexec --nodes`). After: every rank knows
//! of each other one whether it can reach its memory, or only send it messages.
//!
//! ```text
//! node 0's segment: lanes between all ranks         node 1's segment: the same
//!   0 ⇄ 1      read and written by both ranks          2 ⇄ 3
//!   0, 1 ⇄ 2, 3   the far end is the bridge ═ socket ═ the far end is the bridge
//! ```
//!
//! Each segment has blocks and lanes for all ranks of the job, so everything above the lanes is as
//! in a job of one node; in the place of the ranks of other nodes there is the node's bridge
//! ([`crate::bridge`]). A job that was not divided has one node, 0.
//!
//! Invariant: the nodes of all ranks are said before the first rank starts, and never change.

use std::time::Duration;

use pamir_shm::atomic::Ordering;

use super::{Job, JobError};
use crate::job::client::table;
use crate::waiting::announcement;

impl Job {
    /// Has the nodes of the job agree on an entry for a client. Its bridges answer; where one of
    /// them is gone, the launcher ends the job.
    pub(super) fn request_client(
        &self,
        task: usize,
        name: &str,
        contexts: usize,
    ) -> Result<usize, JobError> {
        let mut pause = Duration::from_micros(20);
        loop {
            let entry = table::request(&self.segment, self.layout, name, contexts)?;
            if let Some(entry) = entry {
                return Ok(entry);
            }
            self.rouse_other_nodes(task);
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }

    /// Says on which node each rank is; ranks that are not named are on node 0, as all are at
    /// first. The launcher does, before any rank starts.
    ///
    /// # Errors
    ///
    /// [`JobError::NoRank`] if more ranks are named than there are.
    pub fn set_nodes(&self, nodes: &[usize]) -> Result<(), JobError> {
        let ranks = self.ranks();
        if nodes.len() > ranks {
            let rank = nodes.len() - 1;
            return Err(JobError::NoRank { rank, ranks });
        }
        for (rank, node) in nodes.iter().enumerate() {
            let status = &self.block(rank)?.status;
            status.node.store(*node as u64, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The node that rank `rank` is on.
    pub fn node(&self, rank: usize) -> usize {
        let block = self.block(rank).expect("a rank of this job has a block");
        block.status.node.load(Ordering::Relaxed) as usize
    }

    /// Whether two ranks are on one node, so that each may reach the other's memory.
    pub fn shares_memory(&self, one: usize, other: usize) -> bool {
        self.node(one) == self.node(other)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        let last = (0..self.ranks()).map(|rank| self.node(rank)).max();
        last.map_or(1, |last| last + 1)
    }

    /// Wakes whoever sleeps in the place of ranks of other nodes than that of `rank`: the bridge
    /// that carries what is sent to them.
    pub(super) fn rouse_other_nodes(&self, rank: usize) {
        for other in (0..self.ranks()).filter(|&other| !self.shares_memory(rank, other)) {
            let block = self.block(other).expect("a rank of this job has a block");
            announcement::ring(&block.sleep);
        }
    }
}

#[cfg(test)]
mod tests {
    use pamir_shm::sleep;

    use super::*;
    use crate::job::{JobSpecification, RankState};

    fn job() -> Job {
        Job::create(&JobSpecification::unbound(4)).unwrap()
    }

    #[test]
    fn ranks_of_one_node_share_memory() {
        let job = job();
        assert_eq!(job.nodes(), 1);
        assert!(job.shares_memory(0, 3));
        job.set_nodes(&[0, 1, 1]).unwrap();
        assert_eq!((job.nodes(), job.node(2), job.node(3)), (2, 1, 0));
        assert!(job.shares_memory(1, 2) && job.shares_memory(0, 3) && !job.shares_memory(0, 1));
        assert!(job.set_nodes(&[0; 5]).is_err());
    }

    #[test]
    fn a_changed_state_wakes_the_bridge_only() {
        let job = job();
        job.set_nodes(&[0, 0, 1, 1]).unwrap();
        let word = |rank| &job.block(rank).unwrap().sleep;
        (0..4).for_each(|rank| sleep::announce(word(rank)));
        job.set_rank_state(0, RankState::Finalized);
        let asleep = [0, 1, 2, 3].map(|rank| word(rank).load(Ordering::Relaxed) == sleep::ASLEEP);
        assert_eq!(asleep, [true, true, false, false]);
    }
}
