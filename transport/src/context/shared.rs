//! A context that several threads use, with its lock.
//!
//! Before: threads of a program, and perhaps an engine thread. After: the thread that has the lock
//! posts to and advances the context ("Parallel active messages": one thread for each context
//! needs no lock; several lock before they post or advance).
//!
//! | from     | to       | by |
//! |----------|----------|----|
//! | unlocked | locked   | [`SharedContext::lock`], [`SharedContext::try_lock`] |
//! | locked   | unlocked | the [`Guard`] is dropped |
//!
//! The lock is not taken twice by one thread. [`SharedContext::post`] needs no lock: the work
//! queue has its own.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

use pamir_driver::engine_thread::{Activity, Engine, EngineThread, EngineThreadError};
use pamir_driver::unit::{Doorbell, UnitError};
use pamir_driver::waiting::ladder::Rung;

use crate::context::work_queue::Progress;
use crate::context::{Context, WorkQueue};

/// A context for several threads.
#[derive(Debug)]
pub struct SharedContext {
    context: Mutex<Confined>,
    work: Arc<WorkQueue>,
    doorbell: Doorbell,
    /// The application has had the lock since the engine thread's last look.
    attended: AtomicBool,
    /// What the engine thread has last seen of it.
    oversubscribed: AtomicBool,
    failure: Mutex<Option<UnitError>>,
}

/// A context that is only touched under the lock.
#[derive(Debug)]
struct Confined(Context);

// SAFETY: a context is made of cells and counted references without atomics, for one thread at
// a time. The lock sees to that, and orders one thread's use before the next one's;
// `SharedContext::new`'s caller keeps nothing of the context's outside.
unsafe impl Send for Confined {}

/// The right to use the context, until it is dropped.
pub struct Guard<'a>(MutexGuard<'a, Confined>);

impl Deref for Guard<'_> {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0.0
    }
}

impl std::fmt::Debug for Guard<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Guard").field(&**self).finish()
    }
}

impl SharedContext {
    /// Puts a lock around `context`.
    ///
    /// # Safety
    ///
    /// Whatever is given to the context, now or later (handlers, completions, operations in the
    /// background), is used by any thread that has the lock, and by none that has not: if it
    /// shares something with the rest of the program, then by means that are meant for threads.
    pub unsafe fn new(context: Context) -> Result<Self, UnitError> {
        Ok(Self {
            work: Arc::clone(context.work_queue()?),
            doorbell: context.doorbell()?,
            oversubscribed: AtomicBool::new(context.is_oversubscribed()),
            context: Mutex::new(Confined(context)),
            attended: AtomicBool::new(false),
            failure: Mutex::new(None),
        })
    }

    /// Waits for the context.
    pub fn lock(&self) -> Guard<'_> {
        let guard = Guard(self.context.lock());
        self.attended.store(true, Ordering::Relaxed);
        guard
    }

    /// The context, if no other thread has it.
    pub fn try_lock(&self) -> Option<Guard<'_>> {
        let guard = Guard(self.context.try_lock()?);
        self.attended.store(true, Ordering::Relaxed);
        Some(guard)
    }

    /// Hands over work for whichever thread advances the context next.
    pub fn post(&self, work: impl FnMut(&Context) -> Progress + Send + 'static) {
        self.work.post(work);
    }

    /// Advances until `done` says so; other threads have the context in between.
    pub fn advance_until(&self, mut done: impl FnMut(&Context) -> bool) -> Result<(), UnitError> {
        let mut ladder = self.lock().ladder();
        loop {
            let guard = self.lock();
            let moved = guard.advance()?;
            if done(&guard) {
                return Ok(());
            }
            drop(guard);
            if moved {
                ladder.reset();
                continue;
            }
            match ladder.step() {
                Rung::Spin => std::hint::spin_loop(),
                Rung::Yield => std::thread::yield_now(),
                Rung::Sleep => std::thread::sleep(ladder.nap()),
            }
        }
    }

    /// Starts a thread that advances the context while the program computes.
    pub fn start_engine(self: &Arc<Self>) -> Result<EngineThread<Arc<Self>>, EngineThreadError> {
        EngineThread::start(Arc::clone(self))
    }

    /// Why the engine thread ended, if it met an error.
    pub fn take_failure(&self) -> Option<UnitError> {
        self.failure.lock().take()
    }
}

impl Engine for SharedContext {
    fn advance(&self) -> Result<Activity, UnitError> {
        let Some(guard) = self.context.try_lock() else {
            return Ok(Activity::Attended);
        };
        let attended = self.attended.swap(false, Ordering::Relaxed);
        let oversubscribed = guard.0.is_oversubscribed();
        self.oversubscribed.store(oversubscribed, Ordering::Relaxed);
        guard.0.advance_for_engine(attended)
    }

    fn announce_sleep(&self) -> Result<Option<bool>, UnitError> {
        self.context.lock().0.announce_sleep()
    }

    fn is_oversubscribed(&self) -> bool {
        self.oversubscribed.load(Ordering::Relaxed)
    }

    fn doorbell(&self) -> &Doorbell {
        &self.doorbell
    }

    fn failed(&self, error: UnitError) {
        *self.failure.lock() = Some(error);
    }
}

#[cfg(test)]
mod tests;
