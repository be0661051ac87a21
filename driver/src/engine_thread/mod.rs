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
//! | `Away`       | sleeps | it is interrupted |
//!
//! While the application makes calls it advances by itself, and senders should not have to
//! wake anybody; so the doorbell is only announced once it has made none for a while. Where ranks
//! share processors, that while gets longer as it repeats, as naps do and for the same reason.
//!
//! Invariants: a ring after the announcement wakes the thread; work that was there before it
//! is seen by the last look ([`crate::unit::MessagingUnit::announce_sleep`]). Once an
//! [`EngineThread`] has been dropped, the thread does not touch its engine any more.

mod engine;
mod service;

use std::sync::Arc;

#[cfg(doc)]
use crate::waiting::ladder::nap;
pub use engine::{ATTENDED, Activity, Engine, EngineThreadError};
use service::Service;
pub use service::{DeliveryStatistics, delivery_statistics};

/// Whether the environment asks for a thread from the beginning (`PAMIR_ENGINE=thread`).
pub fn is_configured() -> bool {
    pamir_settings::ENGINE.value() == "thread"
}

/// Whether there is to be a thread once something stays behind (`PAMIR_ENGINE=service`, the default).
pub fn comes_when_needed() -> bool {
    pamir_settings::ENGINE.value() == "service"
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
