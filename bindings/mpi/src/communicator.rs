//! Communicators: who can talk to whom, apart from everybody else.
//!
//! Before: a call names a communicator and ranks in it. After: tasks and a context id.
//!
//! Each communicator has two context ids in a row: an even one for point-to-point messages
//! and the next one for its collective operations (MPI-5.0 section 7.1), so that neither
//! sees the other's messages.

use std::cell::Cell;

use pamir_transport::geometry::Members;

use crate::group::Group;

impl Members for Group {
    #[inline(always)]
    fn size(&self) -> usize {
        Group::size(self)
    }

    #[inline(always)]
    fn task(&self, rank: usize) -> usize {
        Group::task(self, rank).expect("a rank below the group's size") as usize
    }
}

/// A communicator of one group, or of two that talk across.
#[derive(Debug)]
pub struct Communicator {
    group: Group,
    remote: Option<Group>,
    rank: usize,
    /// Rank i is task i, of this many; 0 where it is not so. The common case needs no group.
    identity_size: usize,
    context_id: u32,
    operations: Cell<i32>,
}

impl Communicator {
    /// The communicator of `group`, in which this task has rank `rank`; with `remote`, an
    /// inter-communicator.
    pub fn new(group: Group, remote: Option<Group>, rank: usize, context_id: u32) -> Self {
        debug_assert!(context_id.is_multiple_of(2));
        let peers = remote.as_ref().unwrap_or(&group);
        let in_order = peers
            .tasks()
            .enumerate()
            .all(|(rank, task)| rank == task as usize);
        let identity_size = if in_order { peers.size() } else { 0 };
        Self {
            group,
            remote,
            rank,
            identity_size,
            context_id,
            operations: Cell::new(0),
        }
    }

    /// This task's rank in its own group.
    #[inline(always)]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks in this task's group.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// This task's group.
    #[inline(always)]
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The other group of an inter-communicator.
    pub fn remote(&self) -> Option<&Group> {
        self.remote.as_ref()
    }

    /// The ranks that messages go to and come from: the remote group's, if there is one.
    #[inline(always)]
    pub fn peers(&self) -> &Group {
        self.remote.as_ref().unwrap_or(&self.group)
    }

    /// Whether `rank` is one that messages can go to.
    #[inline(always)]
    pub fn has_peer(&self, rank: usize) -> bool {
        rank < self.identity_size || (self.identity_size == 0 && rank < self.peers().size())
    }

    /// The task of peer `rank`, for which [`Self::has_peer`] holds.
    #[inline(always)]
    pub fn peer_task(&self, rank: usize) -> usize {
        if rank < self.identity_size {
            rank
        } else {
            Members::task(self.peers(), rank)
        }
    }

    /// The rank of a peer by its task.
    pub fn peer_rank(&self, task: usize) -> Option<usize> {
        self.peers().rank_of(task as u32)
    }

    /// Whether ranks and tasks of peers are the same numbers.
    #[inline(always)]
    pub fn is_identity(&self) -> bool {
        self.identity_size != 0
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
        let group = Group::from_tasks(&[4, 2, 7]).unwrap();
        let communicator = Communicator::new(group, None, 1, 4);
        assert!(communicator.has_peer(2) && !communicator.has_peer(3));
        assert_eq!(
            (communicator.peer_task(2), communicator.peer_rank(4)),
            (7, Some(0))
        );
        let world = Communicator::new(Group::world(3), None, 1, 4);
        assert!(world.is_identity() && world.has_peer(2) && !world.has_peer(3));
        let across = Communicator::new(Group::world(3), Some(Group::single(5)), 1, 4);
        assert_eq!(
            (across.size(), across.peer_task(0), across.has_peer(1)),
            (3, 5, false)
        );
    }

    #[test]
    fn operations_are_numbered_without_end() {
        let communicator = Communicator::new(Group::world(2), None, 0, 4);
        communicator.operations.set(i32::MAX);
        assert_eq!(
            (communicator.next_operation(), communicator.next_operation()),
            (i32::MAX, 0)
        );
    }
}
