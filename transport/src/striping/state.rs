//! What a context keeps of the messages that it divides, and what its workers know of it.
//!
//! Before: a context is configured. After: `workers.rs` starts the workers with the first message that is divided, and
//! `message.rs` goes on with those under way.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use parking_lot::Mutex;

use pamir_driver::unit::{Doorbell, UnitError};
use pamir_shm::countdown::Countdown;

use super::configuration::Configuration;
use super::movers::Movers;
use super::part::Part;
use super::reason::Reasons;
use crate::context::work_queue::{Progress, WorkQueue};
use crate::tagged::state::request::RequestId;

/// What a context keeps of the messages that it divides.
#[derive(Debug)]
pub(crate) struct Striping<C> {
    pub(super) configuration: OnceCell<Configuration>,
    /// Started with the first message that is divided.
    pub(super) workers: OnceCell<Workers<C>>,
    /// Workers could not be started; that was said.
    pub(super) refused: Cell<bool>,
    pub(super) under_way: RefCell<Vec<UnderWay>>,
    /// The number of the next message that is divided here.
    pub(super) series: Cell<u32>,
    pub(super) master: OnceCell<Arc<Master>>,
    pub(super) movers: Arc<Movers>,
    /// Messages that might have gone in stripes, by the reason why they did not.
    pub(super) whole: Reasons,
}

impl<C> Default for Striping<C> {
    fn default() -> Self {
        Self {
            configuration: OnceCell::new(),
            workers: OnceCell::new(),
            refused: Cell::new(false),
            under_way: RefCell::default(),
            series: Cell::new(0),
            master: OnceCell::new(),
            movers: Arc::default(),
            whole: Reasons::default(),
        }
    }
}

/// What workers know of the context whose messages they move.
#[derive(Debug)]
pub(super) struct Master {
    pub(super) doorbell: Doorbell,
    /// What ended a worker.
    pub(super) failure: Mutex<Option<UnitError>>,
    pub(super) failed: AtomicBool,
}

impl Master {
    pub(super) fn fail(&self, error: UnitError) {
        self.failure.lock().get_or_insert(error);
        self.failed.store(true, Ordering::Release);
        self.doorbell.ring();
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

/// The workers of a context.
#[derive(Debug)]
pub(super) struct Workers<C> {
    pub(super) queues: Vec<Arc<WorkQueue<C>>>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<C> Workers<C> {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.queues.len()
    }

    /// Ends the threads.
    pub(super) fn end(&self) {
        self.stop.store(true, Ordering::Release);
        for queue in &self.queues {
            queue.post(|_| Progress::Done);
        }
        for thread in self.threads.lock().drain(..) {
            // A panic there has been reported already.
            let _ = thread.join();
        }
    }
}

impl<C> Drop for Workers<C> {
    fn drop(&mut self) {
        self.end();
    }
}

/// The end of a message that a context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It sends.
    Origin,
    /// It receives.
    Target,
}

/// What the threads that move a message's parts share.
#[derive(Debug)]
pub(super) struct Completion {
    pub(super) left: Countdown,
    pub(super) master: Arc<Master>,
    pub(super) movers: Arc<Movers>,
}

impl Completion {
    /// A submessage is done; whoever counts the last one wakes the master.
    pub(super) fn count(&self, moved: &Moving) {
        self.movers
            .complete(moved.mover, moved.bytes, moved.since.elapsed());
        if self.left.count() {
            self.master.doorbell.ring();
        }
    }
}

/// A submessage, as it is handed to whoever moves it.
pub(super) struct Entry {
    pub(super) end: End,
    /// The messaging unit at the other end.
    pub(super) peer: usize,
    pub(super) series: u32,
    pub(super) stripe: usize,
    pub(super) mover: usize,
    pub(super) part: Part,
    pub(super) completion: Arc<Completion>,
}

impl Entry {
    /// Something kept a worker from moving it: the master is told.
    pub(super) fn fail(completion: &Completion, error: UnitError) {
        completion.master.fail(error);
    }

    pub(super) fn completion(&self) -> Arc<Completion> {
        Arc::clone(&self.completion)
    }
}

/// A submessage that a context moves.
#[derive(Debug)]
pub(super) struct Moving {
    pub(super) request: RequestId,
    pub(super) mover: usize,
    pub(super) bytes: usize,
    pub(super) since: Instant,
}

impl Moving {
    /// A mover begins with a submessage of so many bytes.
    pub(super) fn begin(
        completion: &Completion,
        request: RequestId,
        (mover, bytes): (usize, usize),
    ) -> Self {
        completion.movers.begin(mover);
        Self {
            request,
            mover,
            bytes,
            since: Instant::now(),
        }
    }
}

/// Submessages that a context moves, and the message of which they are, if it is its own.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) submessages: Vec<Moving>,
    pub(super) completion: Arc<Completion>,
    pub(super) whole: Option<(End, RequestId, usize)>,
}
