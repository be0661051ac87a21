//! All ranks of a job as one group, for the commands that run ranks of their own.
//!
//! Step before: `tune::measure` or `explain_send::sample` joins its job. Step after: operations of the group.

use pamir_transport::collective::geometry::Members;

/// So many ranks, each with its own number as its task.
pub struct WholeJob(pub usize);

impl Members for WholeJob {
    fn size(&self) -> usize {
        self.0
    }

    fn task(&self, rank: usize) -> usize {
        rank
    }
}
