//! Collective operations: one description each, carried out in three forms.
//!
//! Before: `functions::collective*` and `functions::neighborhood` hand over the C arguments and
//! say in which form. After: the algorithms of `pamir_transport::collective`.
//!
//! A function of [`calls`] resolves the arguments into a description, a [`Collective`]; errors
//! are found here, whatever the form. [`form`] carries the description out: on the stack, boxed
//! in the background, or kept and boxed for each start.
//!
//! Blocking ones of few bytes go a shorter way before ([`short`]).
//!
//! ```text
//! MPI_Allreduce      ─┐                                      ┌▶ Blocking ────┐
//! MPI_Iallreduce     ─┼▶ calls::allreduce ─▶ Allreduce {..} ─┼▶ Nonblocking ─┼▶ run ─▶ transport
//! MPI_Allreduce_init ─┘                                      └▶ Persistent ──┘
//! ```
//!
//! Invariants: the state lives as long as the process, so an operation may keep a reference to
//! it; a description keeps all it needs (datatypes, operations, counts), so that the program may
//! free them; the program keeps its buffers until the operation is complete (MPI-5.0 section
//! 6.12).

// What the standard asks of the program's arguments is what these may rely on, as in
// `crate::functions`.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod blocks;
pub mod calls;
pub mod form;
pub mod moving;
pub mod neighbor;
pub mod operand;
pub mod place;
pub mod reducing;
pub mod short;
pub mod synchronizing;

use std::future::Future;
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::group::Group;
use pamir_transport::balance::announcement::Synchronization;
use pamir_transport::collective::geometry::Channel;
use pamir_transport::collective::{Board, CollectiveError, ExchangeError, Fault, FaultRecording};
use pamir_transport::context::Context;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Result};
use crate::state::State;
use crate::types::MPI_Comm;

/// The channel of one operation, which notes messages of wrong lengths as the call's fault.
pub type OperationChannel<'c> = FaultRecording<'c, Channel<&'static Context, &'c Group, &'c Board>>;

/// An operation with its arguments resolved, which may be run any number of times.
pub trait Collective: 'static {
    /// What it is as a synchronisation, if each member waits for all others in it.
    const SYNCHRONIZATION: Option<Synchronization> = None;

    /// Carries the operation out once. Its number is taken when this is first polled.
    fn run(&self, call: &Call) -> impl Future<Output = std::result::Result<(), CollectiveError>>;
}

/// A part in an operation between two groups that moves nothing: that of the ranks beside the
/// root. It counts the operation.
pub struct Bystander;

impl Collective for Bystander {
    async fn run(&self, call: &Call) -> std::result::Result<(), CollectiveError> {
        call.count();
        Ok(())
    }
}

/// One call of a collective operation: its communicator and its number.
pub struct Call {
    /// MPI's state.
    pub state: &'static State,
    /// The communicator.
    pub communicator: Rc<Communicator>,
    handle: MPI_Comm,
    number: Option<i32>,
    blocking: bool,
    fault: Fault,
}

/// Where the root of an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// It is this rank (`MPI_ROOT` on an inter-communicator).
    Here,
    /// It is another rank of this group of an inter-communicator (`MPI_PROC_NULL`).
    Beside,
    /// It is this rank of the communicator, or of the remote group.
    At(usize),
}

impl Call {
    /// A call on the communicator behind a handle.
    #[inline]
    pub fn new(state: &'static State, comm: MPI_Comm) -> Result<Self> {
        Ok(Self {
            state,
            communicator: state.communicator(comm)?,
            handle: comm,
            number: None,
            blocking: false,
            fault: Fault::default(),
        })
    }

    /// Takes the operation's number now, for all runs of a persistent one: these are made in
    /// one order at all members, but need not be started in one. Runs follow each other, and so
    /// do their messages between two members.
    pub fn numbered(mut self) -> Self {
        self.number = Some(self.communicator.next_operation());
        self
    }

    /// The caller does nothing else before the operation is done.
    #[inline]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }

    #[inline]
    fn channel<'c>(
        &'c self,
        members: &'c Group,
        number: i32,
        board: Option<&'c Board>,
    ) -> OperationChannel<'c> {
        let channel = Channel {
            context: self.state.process.context().as_ref(),
            members,
            rank: self.communicator.rank(),
            context_id: self.communicator.collective_context_id(),
            tag: number,
            board,
            blocking: self.blocking,
        };
        FaultRecording {
            exchange: channel,
            fault: &self.fault,
        }
    }

    /// The operation's number: one of this, [`Self::local`] and [`Self::channels`] is taken once a
    /// run, in the order of calls.
    #[inline]
    pub fn count(&self) -> i32 {
        let number = self.number;
        number.unwrap_or_else(|| self.communicator.next_operation())
    }

    /// The channel of the next operation within the own group, with the communicator's board. Runs
    /// of a persistent operation have none: a board knows operations by the order in which they
    /// begin, and these need not begin in one order.
    #[inline]
    pub async fn local(&self) -> std::result::Result<OperationChannel<'_>, CollectiveError> {
        let number = self.count();
        let board = match self.communicator.settled_board() {
            _ if self.number.is_some() => None,
            Some(board) => board,
            None => self.agreed_board(number).await?,
        };
        Ok(self.channel(self.communicator.group(), number, board))
    }

    async fn agreed_board(
        &self,
        number: i32,
    ) -> std::result::Result<Option<&Board>, CollectiveError> {
        let context = self.state.process.context().as_ref();
        self.communicator.common_board(context, number).await
    }

    /// The channels of an inter-communicator's next operation: within the own group, and to the
    /// remote one.
    pub fn channels(&self) -> (OperationChannel<'_>, OperationChannel<'_>) {
        let number = self.count();
        let local = self.channel(self.communicator.group(), number, None);
        let remote = self.channel(self.communicator.peers(), number, None);
        (local, remote)
    }

    /// Whether the communicator has two groups.
    #[inline]
    pub fn is_inter(&self) -> bool {
        self.communicator.is_inter()
    }

    /// Number of ranks that data goes to or comes from.
    #[inline]
    pub fn peers(&self) -> usize {
        self.communicator.peers().size()
    }

    /// This rank in its own group.
    #[inline]
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// The root of an operation, which must be a rank of the communicator.
    #[inline]
    pub fn root(&self, root: i32) -> Result<Root> {
        if self.is_inter() {
            match root {
                MPI_ROOT => return Ok(Root::Here),
                MPI_PROC_NULL => return Ok(Root::Beside),
                _ => {}
            }
        }
        let size = self.peers();
        let Some(rank) = usize::try_from(root).ok().filter(|rank| *rank < size) else {
            let text = format!("root {root} is not in a communicator of {size} ranks");
            return Err(ErrorClass::Root.with(text));
        };
        if !self.is_inter() && rank == self.rank() {
            return Ok(Root::Here);
        }
        Ok(Root::At(rank))
    }

    /// How a run of the operation has ended, as a result of a call on this communicator.
    #[inline]
    pub fn outcome(&self, done: std::result::Result<(), CollectiveError>) -> Result {
        outcome(&self.fault, done, self.handle)
    }
}

/// How an operation on the communicator of this handle has ended, with what was noted.
#[inline]
fn outcome(
    fault: &Fault,
    done: std::result::Result<(), CollectiveError>,
    handle: MPI_Comm,
) -> Result {
    let done = fault.outcome(done);
    done.map_err(|error| failed(error).on(Object::Communicator(handle)))
}

/// The error class of a failed operation.
#[cold]
fn failed(error: CollectiveError) -> Error {
    let class = match &error {
        CollectiveError::Exchange(ExchangeError::Truncated { .. })
        | CollectiveError::Shorter { .. }
        | CollectiveError::WrongLength { .. } => ErrorClass::Truncate,
        CollectiveError::Exchange(_) => ErrorClass::Intern,
        CollectiveError::OutOfMemory { .. } => ErrorClass::NoMem,
        CollectiveError::RootOutside { .. } | CollectiveError::WrongRole { .. } => ErrorClass::Root,
        CollectiveError::BlocksOverlap { .. } => ErrorClass::Buffer,
        CollectiveError::UnmatchedSelfEdges { .. } | CollectiveError::NotCartesian { .. } => {
            ErrorClass::Topology
        }
        _ => ErrorClass::Arg,
    };
    class.with(error.to_string())
}
