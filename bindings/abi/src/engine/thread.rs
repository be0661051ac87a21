//! A thread from the beginning: transfers go on while the program computes.
//!
//! Before: `MPI_Init` where the environment has `PAMIR_ENGINE=thread`. After: the driver's
//! engine thread advances MPI's context whenever no call does.
//!
//! Every call then takes the lock that `MPI_THREAD_MULTIPLE` takes. The thread never waits for
//! the lock, so a call that ends it may hold it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pamir_driver::engine_thread::{Activity, Engine, EngineThread, is_configured};
use pamir_driver::unit::{Doorbell, UnitError};
use pamir_mpi::process::Process;

use crate::error::{ErrorClass, Result};
use crate::process::entry::attended;
use crate::process::{Found, visit};

static THREAD: Mutex<Option<EngineThread<Calls>>> = Mutex::new(None);

/// What the thread drives: the context that MPI's calls use.
#[derive(Debug)]
struct Calls {
    doorbell: Doorbell,
    oversubscribed: AtomicBool,
    abort: fn(i32) -> !,
}

impl Engine for Calls {
    fn advance(&self) -> std::result::Result<Activity, UnitError> {
        match visit() {
            Found::State(state) => {
                let context = state.process.context();
                self.oversubscribed
                    .store(context.is_oversubscribed(), Ordering::Relaxed);
                context.advance_for_engine(attended())
            }
            Found::Call | Found::Nothing => Ok(Activity::Attended),
        }
    }

    fn announce_sleep(&self) -> std::result::Result<Option<bool>, UnitError> {
        match visit() {
            Found::State(state) => state.process.context().announce_sleep(),
            Found::Call | Found::Nothing => Ok(None),
        }
    }

    fn is_oversubscribed(&self) -> bool {
        self.oversubscribed.load(Ordering::Relaxed)
    }

    fn doorbell(&self) -> &Doorbell {
        &self.doorbell
    }

    fn failed(&self, error: UnitError) {
        eprintln!("MPI cannot go on: {error}");
        (self.abort)(1)
    }
}

/// What a thread needs of a process that is to have one; `None` if none is configured.
#[derive(Debug)]
pub struct Configured {
    doorbell: Doorbell,
    oversubscribed: bool,
}

/// Whether a thread is configured.
pub fn configured(process: &Process) -> Result<Option<Configured>> {
    if !is_configured() {
        return Ok(None);
    }
    let doorbell = process.context().doorbell();
    let doorbell = doorbell.map_err(|error| ErrorClass::Other.with(error.to_string()))?;
    let oversubscribed = process.context().is_oversubscribed();
    Ok(Some(Configured {
        doorbell,
        oversubscribed,
    }))
}

/// Starts the thread; MPI runs already. `abort` ends the job if the thread meets an error.
pub fn start(configured: Configured, abort: fn(i32) -> !) -> Result {
    let calls = Calls {
        doorbell: configured.doorbell,
        oversubscribed: configured.oversubscribed.into(),
        abort,
    };
    let thread = EngineThread::start(calls);
    let thread = thread.map_err(|error| ErrorClass::Other.with(error.to_string()))?;
    *THREAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
    Ok(())
}

/// Ends the thread, if there is one.
pub fn stop() {
    let thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(thread);
}
