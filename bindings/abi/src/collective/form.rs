//! The forms in which an operation is carried out: blocking, nonblocking, persistent.
//!
//! Before: a call has a description of its operation. After: the operation is done
//! ([`Blocking`]), goes on in the background behind a request ([`Nonblocking`]), or waits behind
//! a request to be started ([`Persistent`]).

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context as TaskContext, Poll, Waker};

use pamir_mpi::communicator::Communicator;
use pamir_transport::balance::announcement::Synchronization;
use pamir_transport::collective::geometry::block_on;
use pamir_transport::context::Background;
use pamir_transport::tagged::profile::traffic::TrafficCounter;

use super::{Call, Collective};
use crate::argument::address;
use crate::error::{ErrorClass, Result};
use crate::state::State;
use crate::state::infos;
use crate::state::requests::{COMPLETED_SEND, Compound};
use crate::types::{MPI_Info, MPI_Request, MPI_Status};

/// A way to carry operations out.
pub trait Form {
    /// Refuses what the form's own arguments cannot be.
    fn check(&self) -> Result {
        Ok(())
    }

    /// Tries the fast path ([`super::short`]), where the form has one.
    #[inline(always)]
    fn short(&self, _way: impl FnOnce() -> Option<Result>) -> Option<Result> {
        None
    }

    /// Carries an operation out, or makes its request.
    ///
    /// # Safety
    ///
    /// The form's request is writable, if it has one.
    unsafe fn carry_out<O: Collective>(self, call: Call, operation: O) -> Result;
}

/// The call returns when the operation is done.
pub struct Blocking;

/// The call returns a request of the operation, which goes on in the background.
pub struct Nonblocking(pub *mut MPI_Request);

/// The call returns a request that starts the operation, any number of times.
pub struct Persistent(pub MPI_Info, pub *mut MPI_Request);

impl Form for Blocking {
    #[inline(always)]
    fn short(&self, way: impl FnOnce() -> Option<Result>) -> Option<Result> {
        way()
    }

    #[inline]
    unsafe fn carry_out<O: Collective>(self, call: Call, operation: O) -> Result {
        let call = call.blocking();
        let Some(kind) = O::SYNCHRONIZATION else {
            return run_to_end(&call, &operation);
        };
        let outcome = if call.state.process.announcer().announces(kind) {
            announced(&call, &operation)
        } else {
            run_to_end(&call, &operation)
        };
        if let Some(counter) = call.state.process.context().traffic() {
            count_iteration(&call, counter, kind);
        }
        outcome
    }
}

/// Tells the profile that all ranks of the job met.
#[cold]
fn count_iteration(call: &Call, counter: &TrafficCounter, kind: Synchronization) {
    let all = call.state.process.world().size();
    if !call.is_inter() && call.communicator.size() == all {
        counter.synchronized(kind);
    }
}

#[inline]
fn run_to_end(call: &Call, operation: &impl Collective) -> Result {
    let done = block_on(call.state.process.context(), operation.run(call))?;
    call.outcome(done)
}

/// Runs a synchronisation that announces to all ranks when it is called. One between two groups
/// does not: no member's controller has both in its history.
#[cold]
pub fn announced(call: &Call, operation: &impl Collective) -> Result {
    if call.is_inter() {
        return run_to_end(call, operation);
    }
    let announcer = call.state.process.announcer();
    announcer.arrive(call.communicator.next_synchronization());
    let done = call.state.process.wait_announced(operation.run(call));
    announcer.leave();
    call.outcome(done?)
}

impl Form for Nonblocking {
    fn check(&self) -> Result {
        address(self.0, "request")
    }

    unsafe fn carry_out<O: Collective>(self, call: Call, operation: O) -> Result {
        let state = call.state;
        let running = Running::start(state, Box::pin(run_once(call, operation)));
        if let Some(result) = running.result.take() {
            // Done at once: the request is one that needs no look-up.
            result?;
            // SAFETY: the caller vouches for the request.
            unsafe { self.0.write(COMPLETED_SEND) };
            return Ok(());
        }
        let once = Operation {
            repeated: None,
            running: RefCell::new(Some(running)),
            active: Cell::new(true),
        };
        // SAFETY: as above.
        unsafe { self.0.write(state.requests.insert(once)) };
        Ok(())
    }
}

async fn run_once(call: Call, operation: impl Collective) -> Result {
    let done = operation.run(&call).await;
    call.outcome(done)
}

impl Form for Persistent {
    fn check(&self) -> Result {
        address(self.1, "request")?;
        infos::check(self.0)
    }

    unsafe fn carry_out<O: Collective>(self, call: Call, operation: O) -> Result {
        let state = call.state;
        let communicator = Rc::downgrade(&call.communicator);
        let kept = Rc::new((call.numbered(), operation));
        let make = move || -> Boxed {
            let kept = kept.clone();
            Box::pin(async move {
                let (call, operation) = &*kept;
                let done = operation.run(call).await;
                call.outcome(done)
            })
        };
        let operation = Operation {
            repeated: Some(Repeated {
                state,
                make: Box::new(make),
                communicator,
            }),
            running: RefCell::new(None),
            active: Cell::new(false),
        };
        // SAFETY: the caller vouches for the request.
        unsafe { self.1.write(state.requests.insert(operation)) };
        Ok(())
    }
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

/// What the runs of a persistent operation are made from.
struct Repeated {
    state: &'static State,
    /// Makes the next run, on the communicator that it keeps.
    make: Box<dyn Fn() -> Boxed>,
    /// That communicator.
    communicator: Weak<Communicator>,
}

/// The request of a collective operation.
struct Operation {
    /// What its runs are made from, if it is persistent.
    repeated: Option<Repeated>,
    running: RefCell<Option<Rc<Running>>>,
    active: Cell<bool>,
}

impl Compound for Operation {
    fn is_complete(&self) -> bool {
        self.running
            .borrow()
            .as_ref()
            .is_none_or(|running| running.is_complete())
    }

    fn finish(&self) -> (MPI_Status, Result) {
        self.active.set(false);
        let running = self.running.take();
        let result = running.and_then(|running| running.result.take());
        (MPI_Status::empty(), result.unwrap_or(Ok(())))
    }

    fn status(&self) -> MPI_Status {
        MPI_Status::empty()
    }

    fn is_persistent(&self) -> bool {
        self.repeated.is_some()
    }

    fn is_active(&self) -> bool {
        self.active.get()
    }

    fn rests_on(&self, communicator: &Rc<Communicator>) -> bool {
        let of_it =
            |repeated: &Repeated| repeated.communicator.as_ptr() == Rc::as_ptr(communicator);
        self.repeated.as_ref().is_some_and(of_it) && self.is_complete()
    }

    fn start(&self) -> Result {
        let Some(repeated) = &self.repeated else {
            return Err(ErrorClass::Request.with("only a persistent request can be started"));
        };
        if self.active.replace(true) {
            return Err(ErrorClass::Request.with("the persistent operation is already under way"));
        }
        let running = Running::start(repeated.state, (repeated.make)());
        self.running.replace(Some(running));
        Ok(())
    }
}
