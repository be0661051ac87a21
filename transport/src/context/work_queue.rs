//! The work queue of a context: instructions from any thread, executed where it is advanced.
//!
//! Before: a thread posts. After: the next advance runs it, in the thread that advances
//! ("Parallel active messages": post puts instructions in the work queue, advance finds them).
//!
//! Work that is not finished runs again at the next advance. Work that is posted meanwhile
//! waits for the next advance too, so that advance ends.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pamir_driver::unit::Doorbell;

/// Whether posted work is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is.
    Done,
    /// It wants to run again at the next advance.
    Again,
}

type Work<C> = Box<dyn FnMut(&C) -> Progress + Send>;

/// Work that waits for a context `C`.
pub struct WorkQueue<C> {
    waiting: Mutex<VecDeque<Work<C>>>,
    /// How many wait: looked at without the lock.
    count: AtomicUsize,
    doorbell: Doorbell,
}

impl<C> WorkQueue<C> {
    pub(crate) fn new(doorbell: Doorbell) -> Self {
        Self {
            waiting: Mutex::default(),
            count: AtomicUsize::new(0),
            doorbell,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Work<C>>> {
        // Nothing is called while it is locked, so a panic leaves it whole.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands over `work`, and wakes whoever sleeps on the context.
    pub fn post(&self, work: impl FnMut(&C) -> Progress + Send + 'static) {
        let mut waiting = self.waiting();
        waiting.push_back(Box::new(work));
        self.count.store(waiting.len(), Ordering::Release);
        drop(waiting);
        self.doorbell.ring();
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        // Acquire: pairs with the Release in `post`.
        self.count.load(Ordering::Acquire) == 0
    }

    /// Runs what waits, with the context that it was posted for; how many of them finished.
    pub fn run(&self, context: &C) -> usize {
        if self.is_empty() {
            return 0;
        }
        let mut finished = 0;
        let batch = std::mem::take(&mut *self.waiting());
        let mut again = VecDeque::new();
        for mut work in batch {
            match work(context) {
                Progress::Done => finished += 1,
                Progress::Again => again.push_back(work),
            }
        }
        let mut waiting = self.waiting();
        // What was posted meanwhile comes behind what was there before.
        again.append(&mut waiting);
        self.count.store(again.len(), Ordering::Release);
        *waiting = again;
        finished
    }
}

impl<C> std::fmt::Debug for WorkQueue<C> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("WorkQueue");
        text.field("count", &self.count).finish_non_exhaustive()
    }
}
