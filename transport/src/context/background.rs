//! What a context goes on with besides packets: posted work, and operations in the background.
//!
//! Before: a thread posts work, or an operation begins that goes on by itself. After: each advance runs and polls them.
//!
//! Invariant: `count` is at least the number of all that wait, those of other rooms included; nothing is borrowed while a
//! function of the program's, or an operation, runs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use pamir_driver::unit::{Doorbell, UnitError};

use super::work_queue::WorkQueue;

/// An operation that goes on whenever its context is advanced.
pub trait Background {
    /// Goes on as far as it can without waiting; true when it is done.
    fn poll(&self) -> bool;
}

/// What waits in the background of a context `C`.
pub(super) struct BackgroundWork<C> {
    /// Made when somebody first wants to post.
    posted: OnceLock<Arc<WorkQueue<C>>>,
    /// Taken out while they are polled.
    operations: RefCell<Vec<Rc<dyn Background>>>,
    count: Cell<usize>,
    /// How many operations have ended so far.
    ended: Cell<u64>,
    /// How many of them an engine thread has brought to their end.
    ended_by_engine: Cell<u64>,
}

impl<C> Default for BackgroundWork<C> {
    fn default() -> Self {
        Self {
            posted: OnceLock::new(),
            operations: RefCell::default(),
            count: Cell::new(0),
            ended: Cell::new(0),
            ended_by_engine: Cell::new(0),
        }
    }
}

impl<C> BackgroundWork<C> {
    /// Whether an advance has nothing to do but packets.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count.get() == 0
    }

    /// Something of another room waits for an advance.
    pub(super) fn begin(&self) {
        self.count.set(self.count.get() + 1);
    }

    /// It is over already.
    pub(super) fn end(&self) {
        self.count.set(self.count.get() - 1);
    }

    /// An operation is to be polled until it is done.
    pub(super) fn add(&self, operation: Rc<dyn Background>) {
        self.operations.borrow_mut().push(operation);
        self.begin();
    }

    /// Where any thread may post; it counts as something that waits from then on.
    pub(super) fn work_queue(
        &self,
        doorbell: impl FnOnce() -> Result<Doorbell, UnitError>,
    ) -> Result<&Arc<WorkQueue<C>>, UnitError> {
        if self.posted.get().is_none() {
            let queue = Arc::new(WorkQueue::new(doorbell()?));
            if self.posted.set(queue).is_ok() {
                self.begin();
            }
        }
        Ok(self.posted.get().expect("it was just made"))
    }

    /// Whether work waits that was posted.
    pub(super) fn has_posted(&self) -> bool {
        self.posted.get().is_some_and(|posted| !posted.is_empty())
    }

    /// Runs what was posted; how many have finished.
    pub(super) fn run_posted(&self, context: &C) -> usize {
        self.posted.get().map_or(0, |posted| posted.run(context))
    }

    /// Runs what an engine thread does, and counts the operations that end in it.
    pub(super) fn by_engine<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.ended.get();
        let result = work();
        let ended = self.ended.get() - before;
        self.ended_by_engine.set(self.ended_by_engine.get() + ended);
        result
    }

    /// How many operations an engine thread has brought to their end.
    pub(super) fn ended_by_engine(&self) -> u64 {
        self.ended_by_engine.get()
    }

    /// Polls the operations; how many have ended. `others` counts what waits in other rooms then.
    pub(super) fn poll_operations(&self, others: impl FnOnce() -> usize) -> usize {
        if self.is_empty() {
            return 0;
        }
        let mut operations = self.operations.take();
        let mut ended = operations.len();
        operations.retain(|operation| !operation.poll());
        ended -= operations.len();
        self.ended.set(self.ended.get() + ended as u64);
        let mut added = self.operations.borrow_mut();
        // What was added meanwhile comes behind what was there before.
        operations.append(&mut added);
        let posted = usize::from(self.posted.get().is_some());
        self.count.set(operations.len() + posted + others());
        *added = operations;
        ended
    }
}
