//! Communicators: who can talk to whom, apart from everybody else.
//!
//! Before: a call names a communicator and ranks in it. After: tasks and a context id.
//!
//! Each communicator has two context ids in a row: an even one for point-to-point messages
//! and the next one for its collective operations (MPI-5.0 section 7.1), so that neither
//! sees the other's messages. An inter-communicator needs no more than that: messages
//! within a group and across have different sources, which tells them apart.
//!
//! [`context_id`] finds the ids, [`construct`] makes communicators from communicators, and
//! [`inter`] those of two groups.
//!
//! A communicator lives until nothing refers to it any more, so that freeing its handle
//! does not hurt requests that are under way; its context id is free from then on.

pub mod board;
pub mod construct;
mod construction;
pub mod context_id;
pub mod inter;

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use pamir_shm::call_record::CallId;
use pamir_transport::collective::geometry::{Channel, Members};
use pamir_transport::collective::{Board, CollectiveError};
use pamir_transport::context::Context;

use crate::attribute::{AttributeTable, ObjectKind};
use crate::error_handler::ErrorHandler;
use crate::group::Group;
use crate::info::Info;
use crate::topology::Topology;

use board::CommonBoard;
pub use construction::{Choice, ConstructError};
use context_id::Lease;

/// Context ids with this bit carry messages that make communicators, apart from the
/// messages and collective operations of the communicator whose id it is.
pub const CONSTRUCTION: u32 = 1 << 31;

/// The context id of a communicator whose members have not agreed on one yet.
const NOT_AGREED: u32 = 1 << 30;

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
    context_id: Cell<u32>,
    lease: OnceCell<Lease>,
    operations: Cell<i32>,
    synchronizations: Cell<u32>,
    name: RefCell<Box<[u8]>>,
    attributes: AttributeTable,
    hints: RefCell<Info>,
    error_handler: RefCell<Option<ErrorHandler>>,
    topology: OnceCell<Rc<Topology>>,
    board: CommonBoard,
}

impl Communicator {
    /// The communicator of `group`, in which this task has rank `rank`; with `remote`, an
    /// inter-communicator. Its context id is nobody else's.
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
            context_id: Cell::new(context_id),
            lease: OnceCell::new(),
            operations: Cell::new(0),
            synchronizations: Cell::new(0),
            name: RefCell::default(),
            attributes: AttributeTable::new(ObjectKind::Communicator),
            hints: RefCell::default(),
            error_handler: RefCell::default(),
            topology: OnceCell::new(),
            board: CommonBoard::default(),
        }
    }

    /// A communicator that takes after `parent`, whose members agree on a context id for it
    /// before anybody uses it.
    fn derived(parent: &Self, group: Group, remote: Option<Group>, rank: usize) -> Self {
        let new = Self::new(group, remote, rank, NOT_AGREED);
        new.error_handler.replace(Some(parent.error_handler()));
        new
    }

    /// Takes the context id that the members have agreed on.
    fn settle(&self, lease: Lease) {
        self.context_id.set(lease.context_id());
        let first = self.lease.set(lease).is_ok();
        debug_assert!(first, "a communicator gets one context id");
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
        self.context_id.get()
    }

    /// Whether requests must keep it: it may end before MPI does, or tells the rank of their
    /// messages' source.
    #[inline(always)]
    pub fn is_kept_by_requests(&self) -> bool {
        self.identity_size == 0 || self.lease.get().is_some()
    }

    /// Whether it talks across two groups.
    #[inline(always)]
    pub fn is_inter(&self) -> bool {
        self.remote.is_some()
    }

    /// The context id of collective operations.
    pub fn collective_context_id(&self) -> u32 {
        self.context_id.get() + 1
    }

    /// The board, or none, if that is settled.
    #[inline(always)]
    pub fn settled_board(&self) -> Option<Option<&Board>> {
        self.board.settled()
    }

    /// The board that all members share, or none for all. `number` is that of the operation that
    /// asks; the members of one group have one between them.
    pub async fn common_board<C: Deref<Target = Context>>(
        &self,
        context: C,
        number: i32,
    ) -> Result<Option<&Board>, CollectiveError> {
        let channel = || Channel {
            context,
            members: self.group(),
            rank: self.rank(),
            context_id: self.collective_context_id(),
            tag: number,
            board: None,
            blocking: true,
        };
        self.board.common(channel).await
    }

    /// The number of the next collective operation; the same at all members, since all call
    /// collectives in one order.
    pub fn next_operation(&self) -> i32 {
        let number = self.operations.get();
        self.operations.set(number.wrapping_add(1) & i32::MAX);
        number
    }

    /// The next synchronisation that is announced; the same at all members, as for
    /// [`Self::next_operation`].
    pub fn next_synchronization(&self) -> CallId {
        let cycle = self.synchronizations.get().checked_add(1).unwrap_or(1);
        self.synchronizations.set(cycle);
        self.last_synchronization()
    }

    /// The last synchronisation that was announced; cycle 0, which is none, before the first.
    pub fn last_synchronization(&self) -> CallId {
        let (group, cycle) = (self.context_id(), self.synchronizations.get());
        CallId { group, cycle }
    }

    /// The name that the program gave it; empty at first.
    pub fn name(&self) -> Box<[u8]> {
        self.name.borrow().clone()
    }

    /// Gives it a name.
    pub fn set_name(&self, name: &[u8]) {
        self.name.replace(name.into());
    }

    /// The attributes that the program attached.
    pub fn attributes(&self) -> &AttributeTable {
        &self.attributes
    }

    /// The hints that the program gave.
    pub fn hints(&self) -> Info {
        self.hints.borrow().clone()
    }

    /// Adds hints to those it has; a key that it has gets the new value.
    pub fn add_hints(&self, hints: &Info) {
        let mut own = self.hints.borrow_mut();
        for (key, value) in hints.iter() {
            own.set(key, value)
                .expect("an info object's keys and values keep its limits");
        }
    }

    /// What becomes of errors that are raised on it.
    pub fn error_handler(&self) -> ErrorHandler {
        self.chosen_error_handler().unwrap_or_default()
    }

    /// The same, if the program chose it, for this communicator or for its parent.
    pub fn chosen_error_handler(&self) -> Option<ErrorHandler> {
        self.error_handler.borrow().clone()
    }

    /// Says what becomes of errors.
    pub fn set_error_handler(&self, handler: ErrorHandler) {
        // The old one may be the program's: it ends when nothing is borrowed any more.
        let _old = self.error_handler.replace(Some(handler));
    }

    /// Its process topology, if it was made with one.
    pub fn topology(&self) -> Option<&Rc<Topology>> {
        self.topology.get()
    }

    /// Gives it a process topology, once, right after it was made.
    pub fn set_topology(&self, topology: Rc<Topology>) {
        let first = self.topology.set(topology).is_ok();
        debug_assert!(first, "a communicator gets one topology");
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
        let group = 4;
        communicator.synchronizations.set(u32::MAX - 1);
        let cycles = [0; 2].map(|_| communicator.next_synchronization());
        let wanted = [u32::MAX, 1].map(|cycle| CallId { group, cycle });
        assert_eq!(cycles, wanted, "cycle 0 is no call");
    }
}
