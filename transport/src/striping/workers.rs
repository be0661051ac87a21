//! Workers: threads with a context each, which move stripes for a master.
//!
//! Before: the master has divided a message, and enqueues an entry in a worker's work queue
//! ([`crate::context::work_queue`]). After: the worker's context sends or receives the submessage, and
//! counts it.
//!
//! | state    | the thread | until |
//! |----------|------------|-------|
//! | working  | advances its context | nothing comes for a while |
//! | resting  | sleeps on its context's doorbell | an entry or a packet rings |
//! | ended    | is joined | |
//!
//! All workers of a job are one client, [`CLIENT`]: worker w of a task talks to worker w of
//! another, on lanes that nobody else uses. A worker with a processor of its own spins before it
//! sleeps; others yield, since somebody else could run.
//!
//! Invariant: a context is touched by its thread only; what comes from outside, comes through
//! its work queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use parking_lot::Mutex;

use pamir_driver::topology::AffinityMask;
use pamir_driver::unit::UnitError;
use pamir_driver::waiting::ladder::Ladder;

use super::state::{Entry, Master, Workers};
use crate::client::{Client, ClientError};
use crate::context::work_queue::Progress;
use crate::context::{Context, WorkQueue};

/// The client that all workers of a job are.
const CLIENT: &str = "pamir stripes";

/// Why there are no workers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(super) enum WorkersError {
    /// The job has no lanes for them.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A worker's context could not be made, or the master's not be reached.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The system starts no thread.
    #[error("a thread for stripes cannot be started: {0}")]
    Thread(#[from] std::io::Error),
    /// A thread ended before it said anything.
    #[error("a thread for stripes ended before it began")]
    Silent,
}

/// What a worker is started with.
struct Start {
    client: Arc<Client>,
    worker: usize,
    processing_unit: Option<u32>,
    master: Arc<Master>,
    stop: Arc<AtomicBool>,
}

impl Workers<Context> {
    /// Starts the workers of `context`.
    pub(super) fn start(context: &Context) -> Result<Self, WorkersError> {
        let configuration = context.striping_configuration();
        let count = configuration.workers;
        let client = Client::open_in(context.job(), context.task(), CLIENT, count)?;
        let client = Arc::new(client);
        let mut workers = Self {
            queues: Vec::with_capacity(count),
            stop: Arc::default(),
            threads: Mutex::default(),
        };
        for worker in 0..count {
            let start = Start {
                client: Arc::clone(&client),
                worker,
                processing_unit: configuration.processing_units.get(worker).copied(),
                master: Arc::clone(context.master()?),
                stop: Arc::clone(&workers.stop),
            };
            workers.add(start)?;
        }
        Ok(workers)
    }

    fn add(&mut self, start: Start) -> Result<(), WorkersError> {
        let (sender, receiver) = channel();
        let builder = std::thread::Builder::new().name("pamir-stripes".into());
        let thread = builder.spawn(move || start.run(&sender))?;
        self.threads.lock().push(thread);
        self.queues
            .push(receiver.recv().map_err(|_| WorkersError::Silent)??);
        Ok(())
    }

    /// Hands an entry to a worker.
    pub(super) fn enqueue(&self, worker: usize, entry: Entry) {
        let mut entry = Some(entry);
        self.queues[worker].post(move |context| {
            if let Some(entry) = entry.take() {
                let completion = entry.completion();
                if let Err(error) = context.start_entry(entry) {
                    Entry::fail(&completion, error);
                }
            }
            Progress::Done
        });
    }
}

impl Start {
    fn run(self, started: &Sender<Result<Arc<WorkQueue>, UnitError>>) {
        let alone = self.bind();
        let made = self.client.context(self.worker);
        let made = made.and_then(|context| Ok((Arc::clone(context.work_queue()?), context)));
        let context = match made {
            Ok((queue, context)) => {
                // Nobody takes it if the master has given up meanwhile: then we are stopped.
                let _ = started.send(Ok(queue));
                context
            }
            Err(error) => {
                let _ = started.send(Err(error));
                return;
            }
        };
        if let Err(error) = self.work(&context, alone) {
            self.master.fail(error);
        }
    }

    /// Goes to the worker's own processor; whether it has one.
    fn bind(&self) -> bool {
        let mask = self.processing_unit.map(|unit| AffinityMask::new(&[unit]));
        mask.is_some_and(|mask| mask.apply_to_current_thread().is_ok())
    }

    fn work(&self, context: &Context, alone: bool) -> Result<(), UnitError> {
        let mut ladder = Ladder::new(!alone);
        while !self.stop.load(Ordering::Acquire) {
            if context.advance()? {
                ladder.reset();
            } else {
                context.pause(&mut ladder)?;
            }
        }
        Ok(())
    }
}

impl Context {
    /// The workers, if there are any; started when they are first asked for.
    pub(super) fn workers(&self) -> Option<&Workers<Context>> {
        let wanted = self.striping.configuration.get()?.workers;
        if wanted == 0 || self.striping.refused.get() {
            return None;
        }
        if self.striping.workers.get().is_none() {
            match Workers::start(self) {
                Ok(workers) => drop(self.striping.workers.set(workers)),
                Err(error) => {
                    self.striping.refused.set(true);
                    eprintln!(
                        "pamir: task {} moves all stripes itself: {error}",
                        self.task()
                    );
                }
            }
        }
        self.striping.workers.get()
    }
}
