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
//! | any      | over, `Left` | the task of the engine has left (`departure.rs`) |
//!
//! It pays where cores are idle besides those of the tasks: then neither end spends time on copies.
//! Where there are none, the threads take turns with the tasks.
//!
//! Invariants: orders are carried out one after another, as they came; who orders is one end of
//! the transfer.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use pamir_driver::injection::descriptor::Operation as Direction;
use pamir_driver::job::{Job, RankState};
use pamir_driver::unit::{Doorbell, UnitError};
use pamir_driver::waiting::ladder::{Ladder, Rung};

use crate::active::TransferError;
use crate::active::dispatch::{Arrival, Receive, Status};
use crate::active::operation::Operation;
use crate::active::send::ActiveMessage;
use crate::client::ClientError;
use crate::context::Context;
use crate::endpoint::Place;
use crate::memory_region::words;
use crate::one_sided::Transfer;

mod receive;
#[cfg(test)]
mod tests;
mod transmit;

/// Contexts that a client with an engine has in each task besides the program's; those of
/// [`TASK`] are the engine's.
pub(crate) const CONTEXTS: usize = 2;

/// The task whose process the engine's threads run in.
const TASK: usize = 0;

/// Dispatch id of an order.
pub(crate) const MOVE: u16 = u16::MAX - 32;

/// Dispatch id of what the initiator is told: its operation, and an [`Outcome`].
pub(crate) const MOVED: u16 = u16::MAX - 33;

/// Dispatch id of what the target of a put hears: initiator, dispatch id, word, address, bytes.
pub(crate) const MOVED_IN: u16 = u16::MAX - 34;

/// Chunks between the two threads.
const CHUNKS: usize = 8;

/// Bytes of a chunk: the receive thread writes one while the transmit thread reads the next.
const CHUNK_BYTES: usize = 64 * 1024;

/// The longest sleep of a thread, in nanoseconds; messages wake it before.
const REST_NS: u64 = 100_000_000;

/// Whether clients shall have engines of their node (`PAMIR_ENGINE=node`).
pub fn is_configured() -> bool {
    pamir_settings::ENGINE.value() == "node"
}

/// Contexts that a client of this process has in each task besides the program's.
pub(crate) fn extra_contexts() -> usize {
    if is_configured() { CONTEXTS } else { 0 }
}

/// How an order has ended, as [`MOVED`] carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
enum Outcome {
    Moved,
    /// The kernel copies nothing: packets, from now on.
    Refused,
    /// The other context has not been made yet: packets wait for it.
    Absent,
    NotMapped,
    Left,
}

impl Outcome {
    fn from_word(word: u64) -> Self {
        [Self::Moved, Self::Refused, Self::Absent, Self::NotMapped]
            .into_iter()
            .find(|outcome| *outcome as u64 == word)
            .unwrap_or(Self::Left)
    }
}

/// One transfer between two contexts' memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order {
    /// Whose memory is read, and where.
    from: (usize, u64),
    /// Whose memory is written, and where.
    to: (usize, u64),
    bytes: u64,
    initiator: usize,
    /// The initiator's operation.
    word: u64,
    /// One more than the dispatch id that hears of it at the target, and its word; or 0.
    notify: (u64, u64),
}

impl Order {
    fn words(&self) -> [u64; 8] {
        let (from, to) = (self.from, self.to);
        let ends = [from.0 as u64, from.1, to.0 as u64, to.1];
        let rest = [self.bytes, self.word, self.notify.0, self.notify.1];
        std::array::from_fn(|at| if at < 4 { ends[at] } else { rest[at - 4] })
    }

    /// What `initiator` has ordered, if it is one end of it.
    fn read(header: &[u8], initiator: usize, units: usize) -> Option<Self> {
        let [from, source, to, target, bytes, word, dispatch, notify] = words(header);
        let (from, to) = (from as usize, to as usize);
        let own = initiator == from || initiator == to;
        (own && from < units && to < units).then_some(Self {
            from: (from, source),
            to: (to, target),
            bytes,
            initiator,
            word,
            notify: (dispatch, notify),
        })
    }
}

/// Orders that wait for the transmit thread, at its context.
#[derive(Debug, Default)]
pub(crate) struct Orders(RefCell<VecDeque<Order>>);

/// Bytes on their way from one thread to the other.
struct Chunk {
    order: Order,
    /// Where in the order they are.
    at: u64,
    data: Vec<u8>,
    outcome: Outcome,
    last: bool,
}

/// What the threads of an engine share with who started them.
struct Shared {
    job: Job,
    place: Place,
    stop: AtomicBool,
}

/// The engine of a client, in the process of [`TASK`]; its threads end when this is dropped.
pub(crate) struct NodeEngine {
    shared: Arc<Shared>,
    doorbell: Doorbell,
    threads: Vec<JoinHandle<()>>,
}

/// Makes the engine's context with offset `offset` behind the program's.
fn context_of(shared: &Shared, offset: usize) -> Result<Context, UnitError> {
    let unit = unit_of(shared.place, offset);
    Context::of_client(shared.job.clone(), unit, shared.place, Arc::default())
}

/// The number of the context that the transmit thread (0) or the receive thread (1) has.
fn unit_of(place: Place, offset: usize) -> usize {
    TASK * place.contexts + place.contexts - CONTEXTS + offset
}

impl NodeEngine {
    /// Starts the engine, if `task` is the one that has it.
    pub(crate) fn start(job: &Job, task: usize, place: Place) -> Result<Option<Self>, ClientError> {
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
) -> Result<JoinHandle<()>, ClientError> {
    let thread = std::thread::Builder::new().name(format!("pamir-{name}"));
    thread.spawn(run).map_err(ClientError::Engine)
}

impl Shared {
    /// A thread has ended; if it could not go on, nobody waits for its context any more.
    fn watch(&self, offset: usize, how: Result<(), UnitError>) {
        if let Err(error) = how {
            eprintln!("the engine of the node cannot go on: {error}");
            let state = RankState::Aborted { code: 1 };
            self.job.set_rank_state(unit_of(self.place, offset), state);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// After an advance that found nothing.
    fn pause(&self, context: &Context, ladder: &mut Ladder) -> Result<(), UnitError> {
        match ladder.step() {
            Rung::Sleep => context.rest(REST_NS, || self.is_stopped()),
            _ => {
                std::thread::yield_now();
                Ok(())
            }
        }
    }
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

    /// Sends words to a context.
    fn tell(&self, unit: usize, dispatch: u16, words: &[u64]) -> Result<(), UnitError> {
        let header: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let message = ActiveMessage {
            to: self.place.endpoint(unit),
            dispatch,
            header: &header,
            local: None,
            remote: None,
        };
        // SAFETY: it has no data.
        unsafe { self.start_active(unit, message, std::ptr::null(), 0) }
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
            let (Some(orders), Some(order)) = (context.orders.get(), order) else {
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
                let _ = context.notify_put(initiator as u32, dispatch as u16, word, address, bytes);
            }
            Receive::nowhere()
        }
        _ => Receive::refused(Status::NoHandler),
    }
}
