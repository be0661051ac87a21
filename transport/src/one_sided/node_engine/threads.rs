//! What the two threads of an engine share, with each other and with whoever started them.
//!
//! Before: [`super::NodeEngine`] starts the threads. After: `transmit.rs` reads chunks, `receive.rs` writes them and tells
//! both ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pamir_driver::injection::Configuration;
use pamir_driver::job::{Job, RankState};
use pamir_driver::unit::UnitError;
use pamir_driver::waiting::ladder::{Ladder, Rung};

use crate::active::send::ActiveMessage;
use crate::context::Context;
use crate::context::endpoint::Place;
use crate::one_sided::node_engine::orders::Order;

/// Bytes of a chunk: the receive thread writes one while the transmit thread reads the next.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

/// Contexts that a client with an engine has in each task besides the program's; those of
/// [`TASK`] are the engine's.
pub(crate) const CONTEXTS: usize = 2;

/// The task whose process the engine's threads run in.
pub(super) const TASK: usize = 0;

/// Dispatch id of what the initiator is told: its operation, and an [`Outcome`].
pub(crate) const MOVED: u16 = u16::MAX - 33;

/// Dispatch id of what the target of a put hears: initiator, dispatch id, word, address, bytes.
pub(crate) const MOVED_IN: u16 = u16::MAX - 34;

/// The longest sleep of a thread, in nanoseconds; messages wake it before.
pub(super) const REST_NS: u64 = 100_000_000;

/// How an order has ended, as [`MOVED`] carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Outcome {
    Moved,
    /// The kernel copies nothing: packets, from now on.
    Refused,
    /// The other context has not been made yet: packets wait for it.
    Absent,
    NotMapped,
    Left,
}

impl Outcome {
    pub(super) fn from_word(word: u64) -> Self {
        [Self::Moved, Self::Refused, Self::Absent, Self::NotMapped]
            .into_iter()
            .find(|outcome| *outcome as u64 == word)
            .unwrap_or(Self::Left)
    }
}

/// Bytes on their way from one thread to the other.
pub(super) struct Chunk {
    pub(super) order: Order,
    /// Where in the order they are.
    pub(super) at: u64,
    pub(super) data: Vec<u8>,
    pub(super) outcome: Outcome,
    pub(super) last: bool,
}

/// What the threads of an engine share with who started them.
pub(super) struct Shared {
    pub(super) job: Job,
    pub(super) place: Place,
    pub(super) stop: AtomicBool,
}

/// Makes the engine's context with offset `offset` behind the program's.
pub(super) fn context_of(shared: &Shared, offset: usize) -> Result<Context, UnitError> {
    let unit = unit_of(shared.place, offset);
    let injection = Configuration::from_environment()?;
    Context::of_client(
        shared.job.clone(),
        unit,
        shared.place,
        injection,
        Arc::default(),
    )
}

/// The number of the context that the transmit thread (0) or the receive thread (1) has.
pub(super) fn unit_of(place: Place, offset: usize) -> usize {
    TASK * place.contexts + place.contexts - CONTEXTS + offset
}

impl Shared {
    /// A thread has ended; if it could not go on, nobody waits for its context any more.
    pub(super) fn watch(&self, offset: usize, how: Result<(), UnitError>) {
        if let Err(error) = how {
            eprintln!("the engine of the node cannot go on: {error}");
            let state = RankState::Aborted { code: 1 };
            self.job.set_rank_state(unit_of(self.place, offset), state);
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// After an advance that found nothing.
    pub(super) fn pause(&self, context: &Context, ladder: &mut Ladder) -> Result<(), UnitError> {
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
    /// Sends words to a context.
    pub(super) fn tell(&self, unit: usize, dispatch: u16, words: &[u64]) -> Result<(), UnitError> {
        let header: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let message = ActiveMessage {
            to: self.place.endpoint(unit),
            dispatch,
            header: &header,
            local: None,
            remote: None,
        };
        self.start_header(unit, message)
    }
}
