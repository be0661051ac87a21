//! Windows: memory of the tasks of a communicator that each of them may reach.
//!
//! Before: the members have agreed on where each one's memory lies. After: a put or a get moves bytes between layouts, an
//! accumulate combines elements, and synchronisation calls say when.
//!
//! | a member's memory | put and get | accumulate | the target |
//! |---|---|---|---|
//! | mapped here: the window's own, or this task's | a copy | in place, the gate closed | does nothing |
//! | the program's, and few bytes | by a target that waits (`mail.rs`) | the same | waits |
//! | the program's, and the kernel copies | a copy by the kernel | read, combined, written, the gate closed | does nothing |
//! | the program's, and it does not | packets ([`crate::one_sided::scattered`]) | a request ([`message`]) | advances |
//!
//! The gate ([`pamir_shm::window::gate`]) lies in memory that all members share, so each way of an accumulate excludes the others.
//!
//! ```text
//! the window's range of the job's file
//! │ WindowWords │ member 0's memory │ member 1's memory │ ...        the last ones where the window allocates
//! ```
//!
//! Step before: MPI's windows. Step after: the kernel, or packets.
//!
//! Invariants: what is moved lies in the target's part, which the caller has checked by [`Window::holds`]; what is under way is
//! counted, and nothing is when [`Window::complete_all`] has returned.
//!
//! Source: MPI-5.0 chapter 12.

pub mod accumulate;
pub mod elements;
mod mail;
pub mod message;
pub mod synchronization;
pub mod transfer;

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use pamir_driver::unit::UnitError;
use pamir_shm::segment::Segment;
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::window::attached::AttachedTable;
use pamir_shm::window::mapped::WindowWords;

use crate::active::{Completion, TransferError};
use crate::context::Context;
use crate::gather_scatter::Program;
use crate::one_sided::memory_region::MemoryRegion;

/// The memory of one member.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Where it lies in its owner, and by what the owner knows it.
    pub region: MemoryRegion,
    /// Bytes that a displacement counts.
    pub unit: u64,
    /// Its first byte in this process, where it is mapped here; of all of a process's memory, that is address 0.
    pub here: Option<*mut u8>,
}

impl Part {
    /// Whether what lies `low` to `high` bytes from byte `at` is in the part.
    #[inline(always)]
    pub fn holds(&self, at: i64, (low, high): (i64, i64)) -> bool {
        let (Some(start), Some(end)) = (at.checked_add(low), at.checked_add(high)) else {
            return false;
        };
        start >= 0 && start <= end && end as u64 <= self.region.bytes
    }
}

/// How a member's part is reached from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is mapped here.
    Mapped,
    /// The kernel copies.
    Kernel,
    /// Neither: the target is sent messages.
    Messages,
}

impl std::fmt::Display for Way {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Mapped => "copied in memory that is mapped here",
            Self::Kernel => "copied by the kernel, or up to 64 bytes by the target while it waits on a core of its own",
            Self::Messages => "sent in messages, which the target takes when it calls MPI, or its engine thread does",
        })
    }
}

/// What the members of a window agree on before it is made.
#[derive(Debug)]
pub struct Members {
    /// The task of each.
    pub tasks: Vec<usize>,
    /// This task's place among them.
    pub rank: usize,
    /// The memory of each.
    pub parts: Vec<Part>,
    /// What each has attached, where the window is a dynamic one: its parts are then all memory of each process.
    pub attached: Vec<Mapped<AttachedTable>>,
}

/// A window, in one of its members.
#[derive(Debug)]
pub struct Window {
    words: WindowWords,
    /// Where the words lie in the job's file: the same number at all members, and no other window's.
    number: u64,
    members: Members,
    /// Accumulates and transfers of this member that have not ended.
    pending: Rc<Pending>,
    /// Exclusive locks that this member has.
    alone: Cell<usize>,
    /// Accesses that targets did not attend to.
    misses: Cell<u32>,
    /// Accesses that this member did for others while it waited.
    served: Cell<u64>,
    /// How many posts and completions of each member this one has taken.
    taken: Vec<[Cell<u64>; 2]>,
    /// Keeps what is mapped.
    _memory: Arc<Segment>,
}

/// What of a window is under way.
#[derive(Debug, Default)]
struct Pending {
    transfers: Cell<usize>,
    /// Those of them that accumulate: one at a time, since messages of different lengths may overtake each other.
    accumulates: Cell<usize>,
    /// The first that failed since somebody asked.
    failed: Cell<Option<TransferError>>,
}

/// Why what was under way has not ended well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// A transfer failed.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// The messaging unit failed.
    #[error(transparent)]
    Unit(#[from] UnitError),
}

impl Window {
    /// The window whose words lie at the begin of `memory`, which is at byte `number` of the job's file.
    ///
    /// # Errors
    ///
    /// [`UnitError`] if the memory is too short for the words.
    pub fn new(
        context: &Context,
        memory: Arc<Segment>,
        number: u64,
        members: Members,
    ) -> Result<Rc<Self>, UnitError> {
        let words = WindowWords::new(&memory, members.tasks.len())?;
        let taken = members.tasks.iter().map(|_| Default::default()).collect();
        let window = Rc::new(Self {
            words,
            number,
            members,
            pending: Rc::default(),
            alone: Cell::new(0),
            misses: Cell::new(0),
            served: Cell::new(0),
            taken,
            _memory: memory,
        });
        let known: Rc<dyn Any> = window.clone();
        context.one_sided.windows.add(number, &known);
        if window.own_needs_others() {
            window.attend(context);
        }
        Ok(window)
    }

    /// How a member's part is reached from here, as far as is known.
    pub fn way(&self, context: &Context, rank: usize) -> Way {
        match self.part(rank).here {
            Some(_) => Way::Mapped,
            None if context.copies_with(self.task(rank)) => Way::Kernel,
            None => Way::Messages,
        }
    }

    /// Whether others may not have this task's part mapped.
    fn own_needs_others(&self) -> bool {
        let others = (0..self.size()).filter(|rank| *rank != self.rank());
        { others }.any(|rank| self.part(rank).here.is_none())
    }

    /// How many accesses this member did for others while it waited.
    pub fn served(&self) -> u64 {
        self.served.get()
    }

    /// This member's part is nobody's to reach any more.
    pub fn end(&self, context: &Context) {
        context.one_sided.attended.remove(self.number);
    }

    /// How many members it has.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.members.tasks.len()
    }

    /// This member's place.
    #[inline(always)]
    pub fn rank(&self) -> usize {
        self.members.rank
    }

    /// The memory of a member.
    #[inline(always)]
    pub fn part(&self, rank: usize) -> &Part {
        &self.members.parts[rank]
    }

    /// What a member has attached, if the window is a dynamic one.
    pub fn attached(&self, rank: usize) -> Option<&AttachedTable> {
        self.members.attached.get(rank).map(|table| &**table)
    }

    /// Whether what lies `low` to `high` bytes from byte `at` is memory of a member's that may be accessed.
    #[inline]
    pub fn holds(&self, rank: usize, at: i64, reach: (i64, i64)) -> bool {
        let held = self.part(rank).holds(at, reach);
        held && self.attached(rank).is_none_or(|table| {
            table.holds(at.wrapping_add(reach.0) as u64, reach.1.abs_diff(reach.0))
        })
    }

    /// The same for `bytes` packed bytes of a layout at byte `at`: in a dynamic window each of its blocks may be attached by itself.
    pub fn holds_layout(&self, rank: usize, at: i64, element: &Program, bytes: usize) -> bool {
        let Some(reach) = element.reach(bytes) else {
            return false;
        };
        if self.holds(rank, at, reach) {
            return true;
        }
        let (Some(table), Some(layout)) = (self.attached(rank), element.covering(bytes)) else {
            return false;
        };
        let mut left = bytes;
        layout.iter_blocks(0).all(|(displacement, block)| {
            let block = block.min(left);
            left -= block;
            block == 0 || table.holds(at.wrapping_add(displacement) as u64, block as u64)
        })
    }

    /// The task of a member.
    #[inline(always)]
    pub(crate) fn task(&self, rank: usize) -> usize {
        self.members.tasks[rank]
    }

    /// Counts one more that is under way; the result counts it down, and then calls `then`.
    fn begin(&self, then: Option<Completion>) -> Completion {
        let pending = Rc::clone(&self.pending);
        pending.transfers.set(pending.transfers.get() + 1);
        Box::new(move |context, how| {
            pending.transfers.set(pending.transfers.get() - 1);
            if let (Err(error), None) = (how, pending.failed.get()) {
                pending.failed.set(Some(error));
            }
            context.complete(then, how);
        })
    }

    /// The same for an accumulate.
    fn begin_accumulate(&self, then: Option<Completion>) -> Completion {
        let pending = Rc::clone(&self.pending);
        pending.accumulates.set(pending.accumulates.get() + 1);
        self.begin(Some(Box::new(move |context: &Context, how| {
            pending.accumulates.set(pending.accumulates.get() - 1);
            context.complete(then, how);
        })))
    }

    /// Whether no accumulate is under way, which a later one might overtake.
    #[inline(always)]
    fn has_no_accumulate(&self) -> bool {
        self.pending.accumulates.get() == 0
    }

    /// Whether nothing is under way.
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        self.pending.transfers.get() == 0
    }

    /// Whether nothing is under way, and nothing has failed since somebody asked.
    #[inline(always)]
    pub(super) fn has_ended_well(&self) -> bool {
        self.is_quiet() && self.pending.failed.get().is_none()
    }

    /// Waits until nothing is under way.
    ///
    /// # Errors
    ///
    /// How a transfer failed since the last time, or the messaging unit.
    #[inline]
    pub fn complete_all(&self, context: &Context) -> Result<(), WindowError> {
        if !self.is_quiet() {
            context.advance_until(|| self.is_quiet())?;
        }
        match self.pending.failed.take() {
            None => Ok(()),
            Some(error) => Err(error.into()),
        }
    }
}
