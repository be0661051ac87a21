//! The engine on a thread of its own: transfers go on while the application computes.
//!
//! Before: somebody starts an [`EngineThread`] for what it has: a context with a lock around
//! it, as an [`Engine`]. After: the process's one engine thread advances it whenever there is
//! something to do, and sleeps in the process's one [`crate::interrupt::InterruptController`] when
//! there is nothing to do for any of its engines.
//!
//! | advance says | the thread | until |
//! |--------------|------------|-------|
//! | `Moved`      | goes on at once | |
//! | `Blocked`    | yields some times, then sleeps | a [`nap`] is over, or it is interrupted |
//! | `Timed`      | sleeps | the injection FIFO's timer expires, or it is interrupted |
//! | `Attended`   | leaves the unit to the application | [`ATTENDED`] is over, or it is interrupted |
//! | `Quiet`      | announces that it sleeps, on the unit's doorbell | a sender, or a post, rings |
//!
//! While the application makes calls it advances by itself, and senders should not have to
//! wake anybody; so the doorbell is only announced once it has made none for a while. Where ranks
//! share processors, that while gets longer as it repeats, as naps do and for the same reason.
//!
//! Invariants: whoever rings after the announcement wakes the thread; what was there before it
//! is seen by the last look ([`crate::unit::MessagingUnit::announce_rest`]). Once an
//! [`EngineThread`] has been dropped, the thread does not touch its engine any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::interrupt::{Cause, InterruptError};
use crate::unit::{Doorbell, UnitError};
#[cfg(doc)]
use crate::waiting::nap;

mod service;

pub use service::{DeliveryStatistics, delivery_statistics};

use service::Service;

/// How long the thread leaves the unit to an application that makes calls.
pub const ATTENDED: Duration = Duration::from_micros(250);

/// How often that is doubled where ranks share processors and it makes calls again and again.
const ATTENDED_DOUBLINGS: u32 = 5;

/// How long the thread leaves the unit to an application that it has left it to so many times.
fn attended(before: u32, crowded: bool) -> Duration {
    if crowded {
        ATTENDED * (1 << before.min(ATTENDED_DOUBLINGS))
    } else {
        ATTENDED
    }
}

/// What an advance has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Something came or went.
    Moved,
    /// Something waits until a target takes packets.
    Blocked,
    /// All that waits, waits for timers of injection FIFOs; the first expires then.
    Timed(Instant),
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

    /// Whether other ranks share the processor, as of the last advance.
    fn is_crowded(&self) -> bool;

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

    fn is_crowded(&self) -> bool {
        (**self).is_crowded()
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
    pamir_settings::ENGINE.value() == "thread"
}

/// An engine that the process's thread drives; no more once this is dropped. With the last
/// engine the thread ends.
#[derive(Debug)]
pub struct EngineThread<E: Engine + 'static> {
    engine: Arc<E>,
    place: u64,
    service: Arc<Service>,
}

impl<E: Engine + 'static> EngineThread<E> {
    /// Lets the process's engine thread drive `engine`; starts the thread if there is none.
    ///
    /// # Errors
    ///
    /// [`EngineThreadError`] if there is neither thread nor interrupts for it.
    pub fn start(engine: E) -> Result<Self, EngineThreadError> {
        let (engine, service) = (Arc::new(engine), Service::of_process()?);
        let place = service.add(Arc::<E>::clone(&engine));
        Ok(Self {
            engine,
            place,
            service,
        })
    }

    /// What it drives.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Makes the thread look now.
    pub fn interrupt(&self) {
        self.service.interrupt();
    }
}

impl<E: Engine + 'static> Drop for EngineThread<E> {
    fn drop(&mut self) {
        self.service.remove(self.place);
    }
}

#[cfg(test)]
mod tests;
