//! The engine of a node: two threads of one task move the puts and gets of all tasks.
//!
//! Before: a context starts a put or a get, and its client has such an engine
//! (`PAMIR_ENGINE=node`). After: the data is in the target's memory, copied neither by the origin nor
//! by the target, and a descriptor in the reception FIFO of each end says so ("Parallel active
//! messages": a node's only DMA engine serves both ends of a transfer with a transmit thread and a
//! receive thread, through shared memory).
//!
//! ```text
//!  initiator ── MOVE, an order ──lane──▶ transmit thread      (the last contexts but one, and the
//!                                           │  reads memory    last, of task 0: lanes from and to
//!                          chunks, a ring   ▼                  every context of the client)
//!                                        receive thread
//!  target    ◀── MOVED_IN ──lane────────────┤  writes memory
//!  initiator ◀── MOVED ─────lane────────────┘
//! ```
//!
//! | an order | becomes | when |
//! |----------|---------|------|
//! | ordered  | transmitted | the transmit thread has read the last chunk, or could not read one |
//! | transmitted | moved | the receive thread has written it |
//! | transmitted | refused | the kernel refused a copy, or one end has not opened the client yet: the initiator sends packets |
//! | any      | over, `Left` | the task of the engine has left (`peer_failure.rs`) |
//!
//! It pays where cores are idle besides those of the tasks: then neither end spends time on copies.
//! Where there are none, the threads take turns with the tasks.
//!
//! Invariants: orders are carried out one after another, as they came; who orders is one end of
//! the transfer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;

use pamir_driver::injection::descriptor::Operation as Direction;
use pamir_driver::job::Job;
use pamir_driver::unit::{Doorbell, UnitError};

use crate::active::dispatch::{Arrival, Status};
use crate::active::{Operation, Receive, Transfer, TransferError};
use crate::context::Context;
use crate::context::endpoint::Place;
use crate::one_sided::memory_region::words;

pub(crate) mod orders;
mod receive;
#[cfg(test)]
mod tests;
mod threads;
mod transmit;

use orders::Order;
use threads::{CHUNK_BYTES, Outcome, Shared, TASK, unit_of};
pub(crate) use threads::{CONTEXTS, MOVED, MOVED_IN};

/// Dispatch id of an order.
pub(crate) const MOVE: u16 = u16::MAX - 32;

/// Chunks between the two threads.
const CHUNKS: usize = 8;

/// Whether clients shall have engines of their node (`PAMIR_ENGINE=node`).
pub fn is_configured() -> bool {
    pamir_settings::ENGINE.value() == "node"
}

/// Why an engine could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The contexts of its threads could not be reached.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The system starts no thread.
    #[error("cannot start the threads of the node's engine: {0}; unset PAMIR_ENGINE to do without")]
    Threads(#[source] std::io::Error),
}

/// The engine of a client, in the process of [`TASK`]; its threads end when this is dropped.
pub(crate) struct NodeEngine {
    shared: Arc<Shared>,
    doorbell: Doorbell,
    threads: Vec<JoinHandle<()>>,
}

impl NodeEngine {
    /// Starts the engine, if `task` is the one that has it.
    pub(crate) fn start(job: &Job, task: usize, place: Place) -> Result<Option<Self>, EngineError> {
        if task != TASK {
            return Ok(None);
        }
        let shared = Arc::new(Shared {
            job: job.clone(),
            place,
            stop: AtomicBool::new(false),
        });
        let doorbell = Doorbell::new(job, unit_of(place, 0))?;
        let (filled, chunks) = sync_channel(CHUNKS);
        let (emptied, buffers) = sync_channel(CHUNKS);
        for _ in 0..CHUNKS {
            // There is room for all of them, and the other end is here.
            let _ = emptied.send(Vec::with_capacity(CHUNK_BYTES));
        }
        let (one, other) = (Arc::clone(&shared), Arc::clone(&shared));
        let threads = [
            spawn("transmit", move || {
                one.watch(0, transmit::run(&one, &filled, &buffers));
            })?,
            spawn("receive", move || {
                other.watch(1, receive::run(&other, &chunks, &emptied));
            })?,
        ];
        Ok(Some(Self {
            shared,
            doorbell,
            threads: threads.into(),
        }))
    }
}

impl std::fmt::Debug for NodeEngine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("NodeEngine");
        text.field("place", &self.shared.place)
            .finish_non_exhaustive()
    }
}

impl Drop for NodeEngine {
    fn drop(&mut self) {
        // Release: pairs with the Acquire in `Shared::is_stopped`.
        self.shared.stop.store(true, Ordering::Release);
        self.doorbell.ring();
        for thread in self.threads.drain(..) {
            // A thread that has panicked has said so.
            let _ = thread.join();
        }
    }
}

fn spawn(
    name: &'static str,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, EngineError> {
    let thread = std::thread::Builder::new().name(format!("pamir-{name}"));
    thread.spawn(run).map_err(EngineError::Threads)
}

impl Context {
    /// Whether the engine's task is on this node: it reaches no memory of others.
    pub(crate) fn is_on_engines_node(&self) -> bool {
        self.unit.shares_memory(unit_of(self.place, 0))
    }

    /// Lets the node's engine move a transfer.
    pub(crate) fn order(&self, transfer: Transfer) -> Result<(), UnitError> {
        // It answers, and leaves last.
        let (engine, own) = (unit_of(self.place, 1), self.unit.rank());
        let here = (own, transfer.buffer as u64);
        let there = (transfer.target(), transfer.remote.1);
        let (from, to) = match transfer.direction {
            Direction::RemoteGet => (there, here),
            _ => (here, there),
        };
        let notify = transfer.notify.map_or((0, 0), |notify| {
            (u64::from(notify.dispatch) + 1, notify.word)
        });
        let bytes = transfer.bytes as u64;
        let operation = Operation::ByEngine { engine, transfer };
        let order = Order {
            from,
            to,
            bytes,
            initiator: own,
            word: self.active.operations.start(operation),
            notify,
        };
        self.tell(unit_of(self.place, 0), MOVE, &order.words())
    }

    fn moved(&self, word: u64, outcome: Outcome) {
        let operations = &self.active.operations;
        let own = |operation: &mut Operation| matches!(operation, Operation::ByEngine { .. });
        if operations.with(word, own) != Some(true) {
            return;
        }
        let Some(Operation::ByEngine { transfer, .. }) = operations.take(word) else {
            return;
        };
        match outcome {
            Outcome::Moved => {
                let [local, done] = transfer.into_completions();
                self.complete(local, Ok(()));
                self.complete(done, Ok(()));
            }
            Outcome::Refused | Outcome::Absent => {
                if outcome == Outcome::Refused {
                    self.kernel_refuses.set(true);
                }
                // The error is met again, and told, by the next advance.
                let _ = self.send_transfer(transfer);
            }
            Outcome::NotMapped => {
                self.abandon(transfer.into_completions(), TransferError::NotMapped);
            }
            Outcome::Left => self.abandon(transfer.into_completions(), TransferError::Left),
        }
    }
}

/// Receives the messages between an engine and the contexts of its client.
pub(crate) fn dispatch(context: &Context, dispatch: u16, arrival: Arrival<'_>) -> Receive {
    let units = context.unit.ranks();
    let origin = context.place.unit(arrival.origin, units);
    let by_engine = context.place.engine && origin == Some(unit_of(context.place, 1));
    match (dispatch, origin) {
        (MOVE, Some(initiator)) => {
            let order = Order::read(arrival.header, initiator, units);
            let (Some(orders), Some(order)) = (context.one_sided.orders.get(), order) else {
                return Receive::refused(Status::NoHandler);
            };
            orders.0.borrow_mut().push_back(order);
            Receive::nowhere()
        }
        (MOVED, _) if by_engine => {
            let [word, outcome] = words(arrival.header);
            context.moved(word, Outcome::from_word(outcome));
            Receive::nowhere()
        }
        (MOVED_IN, _) if by_engine => {
            let [initiator, dispatch, word, address, bytes] = words(arrival.header);
            // A handler that is not set is the program's mistake at this end; the data is there.
            if initiator < units as u64 {
                let _ = context.notify(initiator as u32, dispatch as u16, word, address, bytes);
            }
            Receive::nowhere()
        }
        _ => Receive::refused(Status::NoHandler),
    }
}
