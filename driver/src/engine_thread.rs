//! The engine on a thread of its own: transfers go on while the application computes.
//!
//! Before: somebody starts an [`EngineThread`] for what it has: a context with a lock around
//! it, as an [`Engine`]. After: the thread advances it whenever there is something to do.
//!
//! | advance says | the thread | until |
//! |--------------|------------|-------|
//! | `Moved`      | goes on at once | |
//! | `Blocked`    | yields some times, then sleeps | [`RETRY`] is over, or it is interrupted |
//! | `Attended`   | leaves the unit to the application | [`ATTENDED`] is over, or it is interrupted |
//! | `Quiet`      | announces that it sleeps, on the unit's doorbell | a sender, or a post, rings |
//!
//! While the application makes calls it advances by itself, and senders should not have to
//! wake anybody; so the doorbell is only announced once it has made none for a while.
//!
//! Invariant: whoever rings after the announcement wakes the thread; what was there before it
//! is seen by the last look ([`crate::unit::MessagingUnit::announce_rest`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::thread::JoinHandle;
use std::time::Duration;

use pamir_shm::sleep;

use crate::interrupt::{Interrupt, InterruptError};
use crate::unit::{Doorbell, UnitError};

/// How long the thread leaves the unit to an application that makes calls.
pub const ATTENDED: Duration = Duration::from_micros(250);

/// How long it waits for a target to take packets, once yielding has not helped.
pub const RETRY: Duration = Duration::from_micros(50);

/// Yields before that.
const YIELDS: u32 = 64;

/// The longest sleep where a sender may not see that the thread sleeps.
const UNORDERED_NS: u64 = 1_000_000;

/// What an advance has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Something came or went.
    Moved,
    /// Something waits until a target takes packets.
    Blocked,
    /// The application has advanced the context itself since the last time.
    Attended,
    /// Nothing is to be done.
    Quiet,
}

/// What an engine thread drives. Every method takes the lock that is around it.
pub trait Engine: Send + Sync {
    /// Advances once.
    fn advance(&self) -> Result<Activity, UnitError>;

    /// Announces that the thread will sleep; as
    /// [`crate::unit::MessagingUnit::announce_rest`].
    fn announce_rest(&self) -> Result<Option<bool>, UnitError>;

    /// What the thread sleeps on.
    fn doorbell(&self) -> &Doorbell;

    /// The unit cannot go on; the thread ends after this.
    fn failed(&self, error: UnitError);
}

impl<E: Engine> Engine for Arc<E> {
    fn advance(&self) -> Result<Activity, UnitError> {
        (**self).advance()
    }

    fn announce_rest(&self) -> Result<Option<bool>, UnitError> {
        (**self).announce_rest()
    }

    fn doorbell(&self) -> &Doorbell {
        (**self).doorbell()
    }

    fn failed(&self, error: UnitError) {
        (**self).failed(error);
    }
}

/// Why no engine thread could be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineThreadError {
    /// There is no interrupt.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// There is no thread.
    #[error("cannot start the engine's thread: {0}; unset PAMIR_ENGINE to do without one")]
    Spawn(#[from] std::io::Error),
}

/// Whether the environment asks for a thread (`PAMIR_ENGINE=thread`) rather than for the
/// engine that is stepped by whoever advances the context.
pub fn is_configured() -> bool {
    std::env::var_os("PAMIR_ENGINE").is_some_and(|value| value == "thread")
}

/// A running engine thread; it ends when this is dropped.
#[derive(Debug)]
pub struct EngineThread<E: Engine + 'static> {
    control: Arc<Control<E>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Control<E> {
    engine: E,
    stop: AtomicBool,
    interrupt: Interrupt,
}

impl<E: Engine + 'static> EngineThread<E> {
    /// Starts a thread that drives `engine`.
    pub fn start(engine: E) -> Result<Self, EngineThreadError> {
        let control = Arc::new(Control {
            engine,
            stop: AtomicBool::new(false),
            interrupt: Interrupt::new()?,
        });
        let own = Arc::clone(&control);
        let builder = std::thread::Builder::new().name("pamir-engine".into());
        let thread = builder.spawn(move || own.run())?;
        Ok(Self {
            control,
            thread: Some(thread),
        })
    }

    /// What it drives.
    pub fn engine(&self) -> &E {
        &self.control.engine
    }

    /// Makes the thread look now.
    pub fn interrupt(&self) {
        self.control.interrupt.signal();
        self.control.engine.doorbell().ring();
    }
}

impl<E: Engine + 'static> Drop for EngineThread<E> {
    fn drop(&mut self) {
        self.control.stop.store(true, Ordering::SeqCst);
        self.interrupt();
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported already.
            let _ = thread.join();
        }
    }
}

impl<E: Engine> Control<E> {
    fn run(&self) {
        if let Err(error) = self.drive() {
            self.engine.failed(error);
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn drive(&self) -> Result<(), UnitError> {
        let mut yields = 0;
        while !self.stopped() {
            match self.engine.advance()? {
                Activity::Moved => yields = 0,
                Activity::Blocked if yields < YIELDS => {
                    yields += 1;
                    std::thread::yield_now();
                }
                Activity::Blocked => {
                    self.interrupt.wait(Some(RETRY));
                }
                Activity::Attended => {
                    self.interrupt.wait(Some(ATTENDED));
                }
                Activity::Quiet => self.rest()?,
            }
        }
        Ok(())
    }

    fn rest(&self) -> Result<(), UnitError> {
        let Some(ordered) = self.engine.announce_rest()? else {
            return Ok(());
        };
        let word = self.engine.doorbell().word();
        // Pairs with the fence in `Doorbell::ring`: either it sees the announcement, or we see
        // what was stored before it.
        fence(Ordering::SeqCst);
        if !self.stopped() {
            sleep::wait(word, (!ordered).then_some(UNORDERED_NS));
        }
        sleep::cancel(word);
        self.interrupt.drain();
        Ok(())
    }
}
