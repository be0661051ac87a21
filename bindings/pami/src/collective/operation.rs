//! Operations under way: a future that goes on whenever its context is advanced.
//!
//! Before: `PAMI_Collective`, or the making of a geometry, has checked everything. After: the
//! program is told, once, by an advance.
//!
//! | from      | to        | by |
//! |-----------|-----------|----|
//! |           | under way | [`Operation::start`], which polls it once |
//! | under way | ended     | an advance: the future is ready |
//! | ended     | told      | the same, or the next advance |
//!
//! So the program is never told before its call has returned, and may start the next operation when
//! it is.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Poll, Waker};

use pamir_transport::collective::CollectiveError;
use pamir_transport::context::Background;

use crate::context::Held;
use crate::geometry::Geometry;

type Outcome = Result<(), CollectiveError>;
type Running = Pin<Box<dyn Future<Output = Outcome>>>;

/// What is called when an operation has ended.
pub type Done = Box<dyn FnOnce(Outcome)>;

/// An operation.
pub struct Operation {
    object: Held,
    geometry: Arc<Geometry>,
    running: RefCell<Option<Running>>,
    outcome: Cell<Option<Outcome>>,
    done: Cell<Option<Done>>,
}

impl Operation {
    /// Starts `running` in a context, on behalf of a geometry; `done` is called by an advance.
    pub fn start(object: Held, geometry: Arc<Geometry>, done: Done, running: Running) {
        geometry.under_way.fetch_add(1, Ordering::AcqRel);
        object.begin_collective();
        let operation = Rc::new(Self {
            object,
            geometry,
            running: RefCell::new(Some(running)),
            outcome: Cell::new(None),
            done: Cell::new(Some(done)),
        });
        operation.go_on();
        object.context().add_background(operation);
    }

    /// Polls the future, unless it has ended; it goes before anybody is told.
    fn go_on(&self) {
        let mut running = self.running.borrow_mut();
        let mut context = std::task::Context::from_waker(Waker::noop());
        let polled = running
            .as_mut()
            .map(|future| future.as_mut().poll(&mut context));
        if let Some(Poll::Ready(outcome)) = polled {
            *running = None;
            self.outcome.set(Some(outcome));
        }
    }
}

impl Background for Operation {
    fn poll(&self) -> bool {
        self.go_on();
        let Some(outcome) = self.outcome.take() else {
            return false;
        };
        self.geometry.under_way.fetch_sub(1, Ordering::AcqRel);
        if let Some(done) = self.done.take() {
            done(outcome);
        }
        // Only now: the context has to live as long as the program's function runs.
        self.object.end_collective();
        true
    }
}
