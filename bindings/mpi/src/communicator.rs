//! Communicators: who can talk to whom, apart from everybody else.
//!
//! Before: a call names a communicator and ranks in it. After: tasks and a context id.
//!
//! Each communicator has two context ids in a row: an even one for point-to-point messages
//! and the next one for its collective operations (MPI-5.0 section 7.1), so that neither
//! sees the other's messages.

use std::cell::Cell;

use pamir_transport::geometry::Members;

/// The ranks of a communicator and the tasks behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tasks {
    /// Rank i is task i, of so many.
    All(usize),
    /// Rank i is the i-th of these.
    List(Vec<u32>),
}

impl Members for Tasks {
    #[inline(always)]
    fn size(&self) -> usize {
        match self {
            Tasks::All(size) => *size,
            Tasks::List(tasks) => tasks.len(),
        }
    }

    #[inline(always)]
    fn task(&self, rank: usize) -> usize {
        match self {
            Tasks::All(_) => rank,
            Tasks::List(tasks) => tasks[rank] as usize,
        }
    }
}

impl Tasks {
    /// The rank of `task`, if it is a member.
    pub fn rank(&self, task: usize) -> Option<usize> {
        match self {
            Self::All(size) => (task < *size).then_some(task),
            Self::List(tasks) => tasks.iter().position(|member| *member as usize == task),
        }
    }
}

/// A communicator of one group.
#[derive(Debug)]
pub struct Communicator {
    tasks: Tasks,
    rank: usize,
    context_id: u32,
    operations: Cell<i32>,
}

impl Communicator {
    /// The communicator of `tasks`, in which this task has rank `rank`.
    pub fn new(tasks: Tasks, rank: usize, context_id: u32) -> Self {
        debug_assert!(context_id.is_multiple_of(2));
        Self {
            tasks,
            rank,
            context_id,
            operations: Cell::new(0),
        }
    }

    /// This task's rank.
    #[inline(always)]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.tasks.size()
    }

    /// The tasks behind the ranks.
    #[inline(always)]
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// The context id of point-to-point messages.
    #[inline(always)]
    pub fn context_id(&self) -> u32 {
        self.context_id
    }

    /// The context id of collective operations.
    pub fn collective_context_id(&self) -> u32 {
        self.context_id + 1
    }

    /// The number of the next collective operation; the same at all members, since all call
    /// collectives in one order.
    pub fn next_operation(&self) -> i32 {
        let number = self.operations.get();
        self.operations.set(number.wrapping_add(1) & i32::MAX);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_tasks_translate() {
        let list = Tasks::List(vec![4, 2, 7]);
        assert_eq!(
            (list.size(), (&list).task(1), list.rank(7)),
            (3, 2, Some(2))
        );
        assert_eq!(
            (list.rank(1), Tasks::All(3).rank(3), Tasks::All(3).rank(2)),
            (None, None, Some(2))
        );
    }

    #[test]
    fn operations_are_numbered_without_end() {
        let communicator = Communicator::new(Tasks::All(2), 0, 4);
        communicator.operations.set(i32::MAX);
        assert_eq!(
            (communicator.next_operation(), communicator.next_operation()),
            (i32::MAX, 0)
        );
    }
}
