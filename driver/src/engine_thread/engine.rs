//! What an engine thread drives, and what it is told.
//!
//! Before: a layer above has an engine. After: the thread advances it, or leaves it alone for a while.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::interrupt::InterruptError;
use crate::unit::{Doorbell, UnitError};

/// How long the thread leaves the unit to an application that makes calls.
pub const ATTENDED: Duration = Duration::from_micros(250);

/// How often that is doubled where ranks share processors and it makes calls again and again.
const ATTENDED_DOUBLINGS: u32 = 5;

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
    /// Nothing is to be done until somebody interrupts the thread; senders need not.
    Away,
}

/// What an engine thread drives. Every method takes the lock that is around it.
pub trait Engine: Send + Sync {
    /// Advances once.
    fn advance(&self) -> Result<Activity, UnitError>;

    /// Announces that the thread will sleep; as
    /// [`crate::unit::MessagingUnit::announce_sleep`].
    fn announce_sleep(&self) -> Result<Option<bool>, UnitError>;

    /// Whether other ranks share the processor, as of the last advance.
    fn is_oversubscribed(&self) -> bool;

    /// How long the thread leaves the unit to an application that it has left it to so many times.
    fn attended(&self, before: u32) -> Duration {
        let most = if self.is_oversubscribed() {
            ATTENDED_DOUBLINGS
        } else {
            0
        };
        ATTENDED * (1 << before.min(most))
    }

    /// What the thread sleeps on.
    fn doorbell(&self) -> &Doorbell;

    /// The unit cannot go on; the thread ends after this.
    fn failed(&self, error: UnitError);
}

impl<E: Engine> Engine for Arc<E> {
    fn advance(&self) -> Result<Activity, UnitError> {
        (**self).advance()
    }

    fn announce_sleep(&self) -> Result<Option<bool>, UnitError> {
        (**self).announce_sleep()
    }

    fn is_oversubscribed(&self) -> bool {
        (**self).is_oversubscribed()
    }

    fn attended(&self, before: u32) -> Duration {
        (**self).attended(before)
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
