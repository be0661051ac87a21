//! A client's part of the job's memory: taken, and given back.
//!
//! Before: a task opens a client. After: it has the lanes of its contexts; and once every task of the client has closed it, its
//! entry is free and its part of the memory is as the launcher made it, for the next client.
//!
//! | word of an entry | by | becomes |
//! |---|---|---|
//! | closed by n tasks | a task that closes the client | closed by n + 1 tasks |
//! | closed by all but one | the last task | 0: memory emptied, entry free |
//!
//! Invariant: an entry's name becomes 0 last, and with the lock: whoever takes the entry finds its memory emptied.

use pamir_shm::atomic::Ordering;
use pamir_shm::segment::offset::Offset;

use crate::job::client::table;
use crate::job::client::table_lock::TableLock;
use crate::job::layout::{Layout, Word};
use crate::job::{Job, JobError, as_wanted};

/// How many tasks have closed the client of each entry.
const CLOSED: Offset<Word> = Offset::new(table::END_BYTES);

/// Where the header's page is free again behind all of these.
pub(in crate::job) const END_BYTES: u64 = CLOSED.bytes() + 8 * table::CLIENTS as u64;

impl Job {
    /// The lanes of client `name`, between `contexts` contexts of every task, for task `task`.
    ///
    /// The result is a job whose ranks are the client's contexts: context `offset` of task `t`
    /// is rank `t * contexts + offset`. See [`crate::job::client::table`]. Every task names the same
    /// number of contexts. The number that comes with it is the client's place in the table.
    ///
    /// # Errors
    ///
    /// [`JobError::Client`] if there is no room, or the tasks do not agree;
    /// [`JobError::Claimed`] if this task has opened the client before.
    pub fn open_client(
        &self,
        task: usize,
        name: &str,
        contexts: usize,
    ) -> Result<(Self, usize), JobError> {
        let entry = if self.nodes() > 1 {
            self.request_client(task, name, contexts)?
        } else {
            table::claim(&self.segment, self.layout, name, contexts, None)?
        };
        let plane = self.plane(entry, contexts)?;
        plane.claim_contexts(task, contexts)?;
        Ok((plane, entry))
    }

    /// The same for a client of the tasks in `members` alone, of which the caller is number `index`; their numbers in the
    /// client are their places in the list.
    ///
    /// # Errors
    ///
    /// Also [`JobError::NoRank`] for a member that the job has not, and [`JobError::MembersOnNodes`] where it has several
    /// nodes.
    pub fn open_client_among(
        &self,
        members: &[usize],
        index: usize,
        name: &str,
        contexts: usize,
    ) -> Result<(Self, usize), JobError> {
        if self.nodes() > 1 {
            return Err(JobError::MembersOnNodes);
        }
        let ranks = self.ranks();
        if let Some(&rank) = members.iter().find(|member| **member >= ranks) {
            return Err(JobError::NoRank { rank, ranks });
        }
        let members_of = Some(members);
        let entry = table::claim(&self.segment, self.layout, name, contexts, members_of)?;
        let plane = self.plane_of(entry, contexts, members)?;
        plane.claim_contexts(index, contexts)?;
        Ok((plane, entry))
    }

    fn claim_contexts(&self, task: usize, contexts: usize) -> Result<(), JobError> {
        (task * contexts..(task + 1) * contexts).try_for_each(|rank| self.claim(rank))
    }

    /// The lanes of the client in entry `entry` of the table, nobody's yet.
    pub(crate) fn plane(&self, entry: usize, contexts: usize) -> Result<Self, JobError> {
        let all: Vec<usize> = (0..self.ranks()).collect();
        self.plane_of(entry, contexts, &all)
    }

    fn plane_of(&self, entry: usize, contexts: usize, members: &[usize]) -> Result<Self, JobError> {
        let layout = Layout::new(members.len() * contexts);
        let start = table::start(self.layout, entry);
        let segment = as_wanted(self.segment.attach_more(start, layout.bytes())?);
        let plane = Self { segment, layout };
        // Every task writes the same, so that all know of all whoever comes first.
        for rank in 0..plane.ranks() {
            let (from, to) = (self.block(members[rank / contexts])?, plane.block(rank)?);
            let (from, to) = (&from.status, &to.status);
            for (from, to) in [(&from.sharers, &to.sharers), (&from.node, &to.node)] {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
        Ok(plane)
    }

    /// One task of the client in entry `entry`, which `tasks` tasks have opened, uses it no more; each tells once. Whether it
    /// was the last one, and the entry is free.
    ///
    /// In a job of several nodes nothing is given back: every node has a table of its own.
    ///
    /// # Errors
    ///
    /// The kernel does not empty the memory: the entry stays taken.
    pub fn close_client(&self, entry: usize, tasks: usize) -> Result<bool, JobError> {
        if self.nodes() > 1 {
            return Ok(false);
        }
        let _lock = TableLock::take(self.segment())?;
        let closed = &self.segment().get(CLOSED.element(entry - 1))?.0;
        let so_far = closed.load(Ordering::Relaxed) + 1;
        closed.store(so_far, Ordering::Relaxed);
        if so_far < tasks as u64 {
            return Ok(false);
        }
        let part = |entry| table::start(self.layout(), entry);
        self.punch(part(entry), part(entry + 1) - part(entry))?;
        closed.store(0, Ordering::Relaxed);
        table::free(self.segment(), entry)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobSpecification;
    use crate::job::client::table::CLIENTS;

    fn job(ranks: usize) -> Job {
        Job::create(&JobSpecification::unbound(ranks)).unwrap()
    }

    #[test]
    fn a_place_that_all_tasks_have_left_serves_the_next_client_and_is_empty() {
        let job = job(2);
        for number in 0..3 * CLIENTS {
            let name = format!("client {number}");
            let (first, entry) = job.open_client(0, &name, 2).unwrap();
            let (second, same) = job.open_client(1, &name, 2).unwrap();
            assert_eq!((entry, same), (1, 1));
            let word = |plane: &Job| plane.block(3).unwrap().sleep.load(Ordering::Relaxed);
            assert_eq!(word(&second), 0);
            first.block(3).unwrap().sleep.store(7, Ordering::Relaxed);
            assert_eq!(word(&second), 7);
            assert!(!job.close_client(entry, 2).unwrap());
            assert!(job.close_client(entry, 2).unwrap());
        }
    }

    #[test]
    fn a_task_finds_its_client_behind_a_place_that_has_come_free() {
        let job = job(2);
        let (_, one) = job.open_client(0, "one", 1).unwrap();
        let (_, two) = job.open_client(0, "two", 1).unwrap();
        job.open_client(1, "one", 1).unwrap();
        job.close_client(one, 2).unwrap();
        job.close_client(one, 2).unwrap();
        assert_eq!(job.open_client(1, "two", 1).unwrap().1, two);
        assert_eq!(job.open_client(0, "three", 1).unwrap().1, one);
    }

    #[test]
    fn a_place_that_one_task_still_has_stays_taken() {
        let job = job(2);
        for number in 0..CLIENTS {
            let name = format!("client {number}");
            let (_, entry) = job.open_client(0, &name, 1).unwrap();
            job.open_client(1, &name, 1).unwrap();
            job.close_client(entry, 2).unwrap();
        }
        assert!(job.open_client(0, "one more", 1).is_err());
    }
}
