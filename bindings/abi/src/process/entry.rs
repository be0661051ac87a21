//! How calls come in and leave: who has MPI's state meanwhile.
//!
//! Before: a C call has found the state ([`super::running`]). After: nobody else has it until the call leaves.
//!
//! | mode    | who has the state | from | by |
//! |---------|-------------------|------|----|
//! | alone   | the one thread that may call, as the program promised | the start, below `MPI_THREAD_MULTIPLE` | |
//! | watched | the same | alone | sends stay behind within a call ([`watch`]) |
//! | alone   |          | watched, lent | the outermost call leaves, and nothing is behind |
//! | lent    | whoever has the lock: a call, or the service thread | watched | the outermost call leaves, and something is behind |
//! | shared  | whoever has the lock: any call, or an engine's thread | the start, with `MPI_THREAD_MULTIPLE` or `PAMIR_ENGINE=thread` | |
//!
//! ```text
//! ENTERED   0, 1, 2 ...           alone: calls within each other
//!           LEAST + 0, 1, 2 ...   watched: the same
//!           LEAST                 lent, shared: DEPTH counts, under the lock
//! ```
//!
//! So one word says whether a call comes in the short way. Invariants: the mode changes only where no call of the
//! program's is inside, but for alone to watched; the service thread only reads it, under the lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use lock_api::RawReentrantMutex;
use pamir_driver::waiting::ladder::Rung;
use parking_lot::{RawMutex, RawThreadId};

const ALONE: u8 = 0;
const WATCHED: u8 = 1;
const LENT: u8 = 2;
const SHARED: u8 = 3;

/// What [`ENTERED`] counts from where calls do not come in the short way.
const LEAST: i32 = i32::MIN;

static ENTERED: AtomicI32 = AtomicI32::new(0);
static MODE: AtomicU8 = AtomicU8::new(ALONE);
static LOCK: RawReentrantMutex<RawMutex, RawThreadId> = RawReentrantMutex::INIT;
/// How many times the thread that has the lock has taken it: calls call each other, and
/// callbacks call MPI. Only that thread touches it.
static DEPTH: AtomicUsize = AtomicUsize::new(0);
/// A call has had the lock since the engine's thread last looked.
static ATTENDED: AtomicBool = AtomicBool::new(false);
/// Sends have stayed behind since the last offer.
static BEHIND: AtomicBool = AtomicBool::new(false);
static LENDER: OnceLock<Lender> = OnceLock::new();

/// What lends the state, below `MPI_THREAD_MULTIPLE` too.
pub struct Lender {
    /// Offers the state to the service thread, which it makes where there is none; whether there is one.
    pub offer: fn() -> bool,
    /// Whether sends are behind. Called by who has the state.
    pub is_behind: fn() -> bool,
    /// The state is one thread's from now on, or is not.
    pub set_alone: fn(bool),
}

/// Each call takes the lock from here on.
pub fn share() {
    MODE.store(SHARED, Ordering::Relaxed);
    ENTERED.store(LEAST, Ordering::Relaxed);
}

/// The state is lent from here on where sends stay behind.
pub fn lend_by(lender: Lender) {
    // MPI is initialised once.
    let _ = LENDER.set(lender);
}

/// A call has the state until it [`leave`]s.
#[inline(always)]
pub(super) fn enter() {
    // Relaxed: who may call is one thread, or calls are in an order that the program makes; or the lock orders them.
    let entered = ENTERED.load(Ordering::Relaxed);
    if entered < 0 {
        return enter_watched();
    }
    ENTERED.store(entered + 1, Ordering::Relaxed);
}

/// The end of a call that has [`enter`]ed, on its thread.
#[inline(always)]
pub(super) fn leave() {
    let entered = ENTERED.load(Ordering::Relaxed);
    if entered <= 0 {
        return leave_watched();
    }
    ENTERED.store(entered - 1, Ordering::Relaxed);
}

#[cold]
#[inline(never)]
fn enter_watched() {
    if MODE.load(Ordering::Relaxed) == WATCHED {
        ENTERED.store(ENTERED.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    } else {
        lock();
    }
}

#[cold]
#[inline(never)]
fn leave_watched() {
    let mode = MODE.load(Ordering::Relaxed);
    if mode == WATCHED {
        let entered = ENTERED.load(Ordering::Relaxed) - 1;
        ENTERED.store(entered, Ordering::Relaxed);
        if entered == LEAST {
            lend();
        }
        return;
    }
    if DEPTH.load(Ordering::Relaxed) == 1 {
        match (mode, LENDER.get()) {
            (LENT, Some(lender)) if !(lender.is_behind)() => be_alone(lender),
            (SHARED, Some(lender)) if BEHIND.swap(false, Ordering::Relaxed) => {
                (lender.offer)();
            }
            _ => {}
        }
    }
    // SAFETY: a call that came in by the lock leaves; the mode has not changed in between, and it is on its thread.
    unsafe { unlock() };
}

/// The outermost call of a watched state leaves.
fn lend() {
    let Some(lender) = LENDER.get() else { return };
    if !(lender.is_behind)() {
        return be_alone(lender);
    }
    LOCK.lock();
    MODE.store(LENT, Ordering::Relaxed);
    if !(lender.offer)() {
        be_alone(lender);
    }
    // SAFETY: it was just locked, on this thread. Whoever locks it next sees the state as this call left it.
    unsafe { LOCK.unlock() };
}

fn be_alone(lender: &Lender) {
    MODE.store(ALONE, Ordering::Relaxed);
    ENTERED.store(0, Ordering::Relaxed);
    (lender.set_alone)(true);
}

/// Sends stay behind: the end of the outermost call will see that. Called within a call, or by who has the lock.
pub fn watch() {
    BEHIND.store(true, Ordering::Relaxed);
    let entered = ENTERED.load(Ordering::Relaxed);
    // A call that went the short way has not entered, and will not leave: its end would not be seen.
    if MODE.load(Ordering::Relaxed) != ALONE || entered == 0 {
        return;
    }
    if let Some(lender) = LENDER.get() {
        (lender.set_alone)(false);
        MODE.store(WATCHED, Ordering::Relaxed);
        ENTERED.store(entered + LEAST, Ordering::Relaxed);
    }
}

fn lock() {
    LOCK.lock();
    // Relaxed: the lock orders its holders.
    DEPTH.store(DEPTH.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    // Relaxed: only the engine's thread looks, also under the lock.
    ATTENDED.store(true, Ordering::Relaxed);
}

/// Takes back one `lock`.
///
/// # Safety
///
/// This thread has the lock.
unsafe fn unlock() {
    // Relaxed: as in `lock`.
    DEPTH.store(DEPTH.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    // SAFETY: as the caller vouches.
    unsafe { LOCK.unlock() };
}

/// The lock, for a thread of the engine's; unlocked when this is dropped.
pub(super) struct Visit(());

impl Visit {
    /// The lock, if nobody has it and the state is not one thread's; else whether a call has it.
    pub(super) fn begin() -> Result<Self, bool> {
        if !LOCK.try_lock() {
            return Err(true);
        }
        // Relaxed: as in `lock`.
        DEPTH.store(DEPTH.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        let visit = Self(());
        // The mode was last changed under the lock if it is one of these.
        let lent = matches!(MODE.load(Ordering::Relaxed), LENT | SHARED);
        lent.then_some(visit).ok_or(false)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        // SAFETY: `begin` locked it. A visit does not leave its thread: it has no business elsewhere.
        unsafe { unlock() };
    }
}

/// For a thread of the engine's: whether a call has had the lock since the last time.
pub fn attended() -> bool {
    ATTENDED.swap(false, Ordering::Relaxed)
}

/// A rung of the waiting ladder where threads share the context: the others have their turn
/// in between, and nobody sleeps for long, since the packet may come to another thread. All
/// levels of the lock are let go of: a wait in a call within a call would else shut them out.
pub(super) fn pause_shared(rung: Rung, nap: Duration) {
    // Relaxed: as in `lock`.
    let depth = DEPTH.load(Ordering::Relaxed);
    for _ in 0..depth {
        // SAFETY: whoever waits is inside of calls, which have locked it on this thread.
        unsafe { unlock() };
    }
    match rung {
        Rung::Spin => std::hint::spin_loop(),
        Rung::Yield => std::thread::yield_now(),
        Rung::Sleep => std::thread::sleep(nap),
    }
    (0..depth).for_each(|_| lock());
}
