//! Collective operations: one body each, run in three forms.
//!
//! Before: `functions::collective*` and `functions::neighborhood` have their arguments. After:
//! the algorithms of `pamir_transport::collective`.
//!
//! A body is an `async fn`. Everything up to its first await happens in the call: handles are
//! resolved, errors found, the operation's number taken. [`blocking`] polls it on the stack,
//! [`nonblocking`] boxes it and lets it go on in the background, [`persistent`] keeps what
//! makes it and boxes one for each start.
//!
//! ```text
//! MPI_Allreduce      ─▶ blocking(body)             ┐
//! MPI_Iallreduce     ─▶ nonblocking(body)          ├▶ body ─▶ transport::collective::allreduce
//! MPI_Allreduce_init ─▶ persistent(|| body)        ┘
//! ```
//!
//! Invariant: the state lives as long as the process, so a body may keep a reference to it; the
//! program keeps its buffers until the operation is complete (MPI-5.0 section 6.12).

pub mod arguments;
pub mod blocks;
pub mod gathering;
pub mod neighboring;
pub mod operand;
pub mod reducing;
pub mod synchronizing;

/// The bodies of all operations.
pub mod bodies {
    pub use super::gathering::{allgather, allgatherv, alltoall, alltoallv, gather, scatter};
    pub use super::neighboring::{exchange_around, gather_around};
    pub use super::reducing::{allreduce, reduce, reduce_scatter, scan};
    pub use super::synchronizing::{barrier, broadcast};
}

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll, Waker};

use pamir_mpi::communicator::Communicator;
use pamir_mpi::group::Group;
use pamir_transport::collective::{CollectiveError, ExchangeError};
use pamir_transport::context::{Background, Context};
use pamir_transport::geometry::{Channel, Members, block_on};

use crate::compound::Compound;
use crate::constants::{MPI_PROC_NULL, MPI_ROOT};
use crate::error::{Error, ErrorClass, Object, Result};
use crate::functions::communicator::named;
use crate::functions::point_to_point::COMPLETED_SEND;
use crate::process::State;
use crate::types::{MPI_Comm, MPI_Request, MPI_Status};

/// The members of a communicator's own or other group.
#[derive(Clone)]
pub enum Side {
    /// The own group.
    Local(Rc<Communicator>),
    /// The remote group of an inter-communicator.
    Remote(Rc<Communicator>),
}

impl Side {
    fn group(&self) -> &Group {
        match self {
            Self::Local(communicator) => communicator.group(),
            Self::Remote(communicator) => communicator.peers(),
        }
    }
}

impl Members for Side {
    #[inline(always)]
    fn size(&self) -> usize {
        self.group().size()
    }

    #[inline(always)]
    fn task(&self, rank: usize) -> usize {
        Members::task(self.group(), rank)
    }
}

/// The channel of one operation.
pub type OperationChannel = Channel<&'static Context, Side>;

/// One call of a collective operation: its communicator and its number.
#[derive(Clone)]
pub struct Call {
    /// MPI's state.
    pub state: &'static State,
    /// The communicator.
    pub communicator: Rc<Communicator>,
    handle: MPI_Comm,
}

impl Call {
    /// A call on the communicator behind a handle.
    #[inline]
    pub fn new(state: &'static State, comm: MPI_Comm) -> Result<Self> {
        Ok(Self {
            state,
            communicator: named(state, comm)?,
            handle: comm,
        })
    }

    /// The channels of the communicator's next operation: within the own group, and to the
    /// remote one. Taken once a call, in the order of calls.
    pub fn channels(&self) -> (OperationChannel, OperationChannel) {
        let tag = self.communicator.next_operation();
        let channel = |members| Channel {
            context: self.state.process.context().as_ref(),
            members,
            rank: self.communicator.rank(),
            context_id: self.communicator.collective_context_id(),
            tag,
        };
        let local = channel(Side::Local(self.communicator.clone()));
        (local, channel(Side::Remote(self.communicator.clone())))
    }

    /// Whether the communicator has two groups.
    pub fn is_inter(&self) -> bool {
        self.communicator.is_inter()
    }

    /// Number of ranks that data goes to or comes from.
    pub fn peers(&self) -> usize {
        self.communicator.peers().size()
    }

    /// This rank in its own group.
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// The root of an operation, which must be a rank of the communicator.
    pub fn root(&self, root: i32) -> Result<usize> {
        let size = self.peers();
        if root < 0 || root as usize >= size {
            let text = format!("root {root} is not in a communicator of {size} ranks");
            return Err(ErrorClass::Root.with(text));
        }
        Ok(root as usize)
    }

    /// Whether this rank gives, or gets, the data of all others.
    pub fn has_root_data(&self, root: i32) -> bool {
        if self.is_inter() {
            root == MPI_ROOT
        } else {
            root == self.rank() as i32
        }
    }

    /// Refuses a root that is neither a rank nor what inter-communicators allow.
    pub fn check_root(&self, root: i32) -> Result {
        if self.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL) {
            return Ok(());
        }
        self.root(root).map(drop)
    }

    /// What the transport says of a failed operation, as an error of this communicator.
    pub fn failed(&self, error: CollectiveError) -> Error {
        failed(error).on(Object::Communicator(self.handle))
    }
}

/// The error class of a failed operation.
#[cold]
fn failed(error: CollectiveError) -> Error {
    let class = match &error {
        CollectiveError::Exchange(ExchangeError::Truncated { .. })
        | CollectiveError::Shorter { .. } => ErrorClass::Truncate,
        CollectiveError::Exchange(_) => ErrorClass::Intern,
        CollectiveError::OutOfMemory { .. } => ErrorClass::NoMem,
        CollectiveError::RootOutside { .. } | CollectiveError::WrongRole { .. } => ErrorClass::Root,
        _ => ErrorClass::Arg,
    };
    class.with(error.to_string())
}

/// Runs an operation to its end.
#[inline]
pub fn blocking(state: &'static State, body: impl Future<Output = Result>) -> Result {
    block_on(state.process.context(), body)?
}

type Boxed = Pin<Box<dyn Future<Output = Result>>>;

/// An operation that goes on in the background.
struct Running {
    body: RefCell<Option<Boxed>>,
    result: RefCell<Option<Result>>,
}

impl Running {
    fn start(state: &State, body: Boxed) -> Rc<Self> {
        let running = Rc::new(Self {
            body: RefCell::new(Some(body)),
            result: RefCell::new(None),
        });
        if !running.poll() {
            state.process.context().add_background(running.clone());
        }
        running
    }

    fn is_complete(&self) -> bool {
        self.result.borrow().is_some()
    }
}

impl Background for Running {
    fn poll(&self) -> bool {
        let Some(mut body) = self.body.take() else {
            return self.is_complete();
        };
        match body
            .as_mut()
            .poll(&mut TaskContext::from_waker(Waker::noop()))
        {
            Poll::Pending => {
                self.body.replace(Some(body));
                false
            }
            Poll::Ready(result) => {
                self.result.replace(Some(result));
                true
            }
        }
    }
}

/// Starts an operation and gives its request. An error that the call itself finds is raised now.
///
/// # Safety
///
/// `request` is writable.
pub unsafe fn nonblocking(
    state: &'static State,
    body: impl Future<Output = Result> + 'static,
    request: *mut MPI_Request,
) -> Result {
    let running = Running::start(state, Box::pin(body));
    if let Some(result) = running.result.take() {
        // Done at once: the request is one that needs no look-up.
        result?;
        // SAFETY: the caller vouches for the request.
        unsafe { request.write(MPI_Request(COMPLETED_SEND)) };
        return Ok(());
    }
    let once = Operation {
        make: None,
        running: RefCell::new(Some(running)),
        active: Cell::new(true),
    };
    // SAFETY: the caller vouches for the request.
    unsafe { request.write(insert(state, once)) };
    Ok(())
}

/// Makes a request that starts the operation that `make` makes, any number of times.
///
/// # Safety
///
/// `request` is writable.
pub unsafe fn persistent<F: Future<Output = Result> + 'static>(
    state: &'static State,
    make: impl Fn() -> F + 'static,
    request: *mut MPI_Request,
) -> Result {
    let operation = Operation {
        make: Some(Box::new(move || Box::pin(make()))),
        running: RefCell::new(None),
        active: Cell::new(false),
    };
    // SAFETY: the caller vouches for the request.
    unsafe { request.write(insert(state, operation)) };
    Ok(())
}

fn insert(state: &State, operation: Operation) -> MPI_Request {
    MPI_Request(state.requests.insert(Rc::new(Box::new(operation))))
}

/// The request of a collective operation.
struct Operation {
    /// Makes the next run, if it is persistent.
    make: Option<Box<dyn Fn() -> Boxed>>,
    running: RefCell<Option<Rc<Running>>>,
    active: Cell<bool>,
}

impl Compound for Operation {
    fn is_complete(&self, _: &State) -> bool {
        self.running
            .borrow()
            .as_ref()
            .is_none_or(|running| running.is_complete())
    }

    fn finish(&self, _: &State) -> (MPI_Status, Result) {
        self.active.set(false);
        let running = self.running.take();
        let result = running.and_then(|running| running.result.take());
        (MPI_Status::empty(), result.unwrap_or(Ok(())))
    }

    fn status(&self, _: &State) -> MPI_Status {
        MPI_Status::empty()
    }

    fn is_persistent(&self) -> bool {
        self.make.is_some()
    }

    fn is_active(&self) -> bool {
        self.active.get()
    }

    fn start(&self, state: &State) -> Result {
        let Some(make) = &self.make else {
            return Err(ErrorClass::Request.with("only a persistent request can be started"));
        };
        if self.active.replace(true) {
            return Err(ErrorClass::Request.with("the persistent operation is already under way"));
        }
        let running = Running::start(state, make());
        self.running.replace(Some(running));
        Ok(())
    }
}
