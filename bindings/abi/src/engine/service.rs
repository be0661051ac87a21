//! The service thread: the processor is given back to the program while sends wait, and an interrupt goes on with them.
//!
//! Before: sends stay behind as the outermost call leaves ([`crate::process::entry`] lends the state). After: they are in
//! their lanes, though the program made no call; then the thread sleeps until something stays behind again. (The source is
//! "Replenishing descriptors in an injection FIFO": the engine interrupts the processor that has gone on with its work.)
//!
//! | the thread finds | it | until |
//! |---|---|---|
//! | calls since the last time, or one under way | leaves the program alone | `ATTENDED` is over, doubled some times |
//! | sends that wait | polls and steps | |
//! | full lanes | sleeps | a `nap` is over |
//! | nothing behind, or nothing lent | sleeps | the state is offered again |
//!
//! A program that leaves nothing behind never has this thread. What calls the program's functions (operations of
//! reductions, completions of its own) is left to the program's calls.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pamir_driver::engine_thread::{ATTENDED, Activity, Engine, EngineThread, comes_when_needed};
use pamir_driver::unit::{Doorbell, UnitError};
use pamir_driver::waiting::ladder::nap;
use pamir_transport::context::Context;

use crate::process::entry::attended;
use crate::process::{self, Found, running, visit};

/// How often the time is doubled that a program with calls is left alone.
const DOUBLINGS: u32 = 3;

/// The same where ranks share cores, whose time it takes.
const SHARED_DOUBLINGS: u32 = 5;

static THREAD: Mutex<Option<EngineThread<Service>>> = Mutex::new(None);
/// The thread sleeps until it is interrupted.
static RESTS: AtomicBool = AtomicBool::new(false);
/// No thread could be had.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// What the thread drives: sends that were left behind.
#[derive(Debug)]
struct Service {
    doorbell: Doorbell,
    oversubscribed: AtomicBool,
    /// Turns one after the other that found lanes full.
    blocked: AtomicU32,
}

impl Engine for Service {
    fn advance(&self) -> Result<Activity, UnitError> {
        let state = match visit() {
            Found::State(state) => state,
            Found::Call => return Ok(Activity::Attended),
            Found::Nothing if attended() => return Ok(Activity::Attended),
            Found::Nothing => return Ok(self.rest_unless_lent()),
        };
        let context = state.process.context();
        let oversubscribed = context.is_oversubscribed();
        self.oversubscribed.store(oversubscribed, Ordering::Relaxed);
        if attended() {
            return Ok(Activity::Attended);
        }
        if !context.has_pending() {
            return Ok(self.rest());
        }
        self.serve(context)
    }

    fn announce_sleep(&self) -> Result<Option<bool>, UnitError> {
        // Senders wake nobody: what comes is taken by the program's next call.
        Ok(None)
    }

    fn is_oversubscribed(&self) -> bool {
        self.oversubscribed.load(Ordering::Relaxed)
    }

    fn attended(&self, before: u32) -> Duration {
        let most = if self.is_oversubscribed() {
            SHARED_DOUBLINGS
        } else {
            DOUBLINGS
        };
        ATTENDED * (1 << before.min(most))
    }

    fn doorbell(&self) -> &Doorbell {
        &self.doorbell
    }

    fn failed(&self, _error: UnitError) {
        // The program's next call meets the same error, and says so where the program expects it.
        REFUSED.store(true, Ordering::Relaxed);
    }
}

impl Service {
    fn serve(&self, context: &Context) -> Result<Activity, UnitError> {
        if context.serve()? {
            self.blocked.store(0, Ordering::Relaxed);
            return Ok(Activity::Moved);
        }
        let before = self.blocked.fetch_add(1, Ordering::Relaxed);
        let again = Instant::now() + nap(before, self.is_oversubscribed());
        Ok(Activity::Timed(context.waits_until().unwrap_or(again)))
    }

    /// As [`Self::rest`] without the lock: an offer that was made before the thread said that it rests is seen by a
    /// second look, as whoever offers has the lock.
    fn rest_unless_lent(&self) -> Activity {
        let activity = self.rest();
        if matches!(visit(), Found::Nothing) {
            return activity;
        }
        RESTS.store(false, Ordering::SeqCst);
        Activity::Attended
    }

    /// The thread sleeps until the next offer.
    fn rest(&self) -> Activity {
        RESTS.store(true, Ordering::SeqCst);
        self.blocked.store(0, Ordering::Relaxed);
        Activity::Away
    }
}

/// Lends MPI's state where sends stay behind, if that is wanted.
pub fn lend() {
    if comes_when_needed() {
        process::lend_to(offer);
    }
}

/// Sends are behind: a thread will look, unless none can be had. Called by who has the state.
fn offer() -> bool {
    let mut thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner);
    if REFUSED.load(Ordering::Relaxed) {
        return false;
    }
    if let Some(thread) = &*thread {
        if RESTS.swap(false, Ordering::SeqCst) {
            thread.interrupt();
        }
        return true;
    }
    *thread = start();
    REFUSED.store(thread.is_none(), Ordering::Relaxed);
    thread.is_some()
}

fn start() -> Option<EngineThread<Service>> {
    let state = running().ok()?;
    let context = state.process.context();
    let service = Service {
        doorbell: context.doorbell().ok()?,
        oversubscribed: context.is_oversubscribed().into(),
        blocked: AtomicU32::new(0),
    };
    EngineThread::start(service).ok()
}

/// Ends the thread, if there is one.
pub fn stop() {
    REFUSED.store(true, Ordering::Relaxed);
    let thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(thread);
}
