//! Whether MPI runs in this process, and the lock around its one state.
//!
//! Before: a C call. After: the call has [`State`] until it returns.
//!
//! | from            | to          | by |
//! |-----------------|-------------|----|
//! | not initialised | running     | `MPI_Init`, `MPI_Init_thread` |
//! | running         | finalized   | `MPI_Finalize` |
//! | running         | forked      | `fork`, in the child |
//!
//! Nothing else is allowed: MPI is not initialised twice (MPI-5.0 section 11.2.2).
//!
//! A child that fork makes has its parent's state and lanes; a call of the child's would take and overwrite the parent's
//! messages. So it has no state from its first moment on, which costs nothing on the way of a message.
//!
//! The state is made of `Cell`s and `RefCell`s, for one thread at a time. Below
//! `MPI_THREAD_MULTIPLE` the program promises that, but for the time that it is lent to the service thread
//! ([`entry`]); with it, every call takes one lock, which the same thread may take again (callbacks call MPI), and lets
//! go of it between two polls while it waits. Invariant: no `RefCell` is borrowed while a call waits or calls back.

pub mod entry;

use std::ops::Deref;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use pamir_mpi::process::Process;

use crate::error::{ErrorClass, Result};
use crate::state::State;

const BEFORE: u8 = 0;
const RUNNING: u8 = 1;
const AFTER: u8 = 2;
const FORKED: u8 = 3;

static PHASE: AtomicU8 = AtomicU8::new(BEFORE);
/// The state while MPI runs; null before and after, so that one load tells both.
static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

/// The same, unless several threads may call MPI at once.
static UNDISTURBED: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

/// What that is while the state is not lent.
static SHORT_WAY: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

/// The state from its making until the process ends: threads may be inside of a call whenever that is. Kept here, so that
/// what looks for lost memory finds it; a child by fork asks it for the job ([`inherited`]).
static KEPT: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

/// The state, for the length of one call.
pub struct Running(&'static State);

impl Deref for Running {
    type Target = State;

    #[inline(always)]
    fn deref(&self) -> &State {
        self.0
    }
}

impl Running {
    /// The state itself, for operations that outlive the call; they go on under the lock, in
    /// later calls.
    pub fn state(&self) -> &'static State {
        self.0
    }
}

impl Drop for Running {
    #[inline(always)]
    fn drop(&mut self) {
        entry::leave();
    }
}

/// The state of MPI, if it is initialised and not finalized.
#[inline(always)]
pub fn running() -> Result<Running> {
    // Acquire: pairs with the Release in `start`.
    let state = STATE.load(Ordering::Acquire);
    // SAFETY: null, or the state that `start` made and nobody frees. It is made of cells: who
    // comes in below has it alone, by the lock, or since calls do not overlap, as the program promised with its thread
    // level (MPI-5.0 section 11.6.2); it orders them, which makes one call's effects visible to the next.
    let Some(state) = (unsafe { state.as_ref() }) else {
        return Err(not_running());
    };
    entry::enter();
    Ok(Running(state))
}

/// The state of MPI, if it is initialised and only one thread may call: then a call needs
/// neither lock nor guard. Else [`running`] tells.
#[inline(always)]
pub fn undisturbed() -> Option<&'static State> {
    // Acquire: pairs with the Release in `start`.
    let state = UNDISTURBED.load(Ordering::Acquire);
    // SAFETY: null, or a state that is not used by several threads at once; else as in `running`.
    unsafe { state.as_ref() }
}

#[cold]
fn not_running() -> crate::error::Error {
    match PHASE.load(Ordering::Acquire) {
        FORKED => forked(),
        AFTER => ErrorClass::Other.with("this function was called after MPI_Finalize"),
        _ => ErrorClass::Other.with("this function was called before MPI_Init"),
    }
}

/// What a call in a child by fork fails with.
#[cold]
pub fn forked() -> crate::error::Error {
    let text = "this process was made by fork from a rank that had called MPI_Init, whose messages it would take: only the \
                rank itself may call MPI; the child may end, execute another program, or end the job by MPI_Abort";
    ErrorClass::Other.with(text)
}

/// Whether `MPI_Init` has been called.
pub fn is_initialized() -> bool {
    PHASE.load(Ordering::Acquire) != BEFORE
}

/// Whether `MPI_Finalize` has been called; in a child by fork MPI is over as well.
pub fn is_finalized() -> bool {
    matches!(PHASE.load(Ordering::Acquire), AFTER | FORKED)
}

/// Whether fork made this process from one in which MPI ran.
pub fn is_forked() -> bool {
    PHASE.load(Ordering::Acquire) == FORKED
}

/// In a child by fork: the process that MPI runs in, to say that its job shall end, and nothing else.
pub fn inherited() -> Option<&'static Process> {
    if !is_forked() {
        return None;
    }
    let state = KEPT.load(Ordering::Acquire);
    // SAFETY: null, or the state that the parent had, of which the child has a copy that nobody frees.
    unsafe { state.as_ref() }.map(|state| &state.process)
}

extern "C" fn in_child() {
    let state = STATE.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if state.is_null() {
        return;
    }
    UNDISTURBED.store(std::ptr::null_mut(), Ordering::Release);
    PHASE.store(FORKED, Ordering::Release);
}

/// What the kernel calls the calling thread.
pub fn own_thread() -> libc::pid_t {
    // SAFETY: it takes nothing and always succeeds.
    unsafe { libc::gettid() }
}

/// Initialises MPI; `multiple` if several threads may use it at once, be they the program's or
/// the engine's.
pub fn start(process: Process, thread_level: i32, multiple: bool) -> Result {
    if multiple {
        process.context().share(entry::pause_shared);
        entry::share();
    }
    // What is counted must not go the shortest way, which counts nothing.
    let counted = process.context().traffic().is_some();
    let state = State::new(process, thread_level, own_thread());
    let began = PHASE.compare_exchange(BEFORE, RUNNING, Ordering::AcqRel, Ordering::Acquire);
    if began.is_err() {
        return Err(ErrorClass::Other.with("MPI is already initialised"));
    }
    crate::face::settle();
    // SAFETY: the handler only stores to atomics, which a child of several threads may do; the C library forgets it if
    // this library is unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    let state = Box::into_raw(Box::new(state));
    KEPT.store(state, Ordering::Release);
    // Release: pairs with the Acquire in `running` and `undisturbed`.
    STATE.store(state, Ordering::Release);
    if !multiple && !counted {
        SHORT_WAY.store(state, Ordering::Release);
        UNDISTURBED.store(state, Ordering::Release);
    }
    Ok(())
}

/// Lends the state from here on where sends stay behind; `offer` tells a service thread of it, and whether there is one.
pub fn lend_to(offer: fn() -> bool) {
    entry::lend_by(entry::Lender {
        offer,
        is_behind,
        set_alone,
    });
    if let Ok(state) = running() {
        state.process.context().tell_when_pending(entry::watch);
    }
}

/// Whether sends are behind. Called where a call leaves.
fn is_behind() -> bool {
    let state = STATE.load(Ordering::Acquire);
    // SAFETY: as in `running`; a call has the state.
    let state = unsafe { state.as_ref() };
    state.is_some_and(|state| state.process.context().has_pending())
}

/// Opens the short way, or closes it.
fn set_alone(alone: bool) {
    // After the end, and in a child, there is none.
    let opened = alone && !STATE.load(Ordering::Relaxed).is_null();
    let state = if opened {
        SHORT_WAY.load(Ordering::Relaxed)
    } else {
        std::ptr::null_mut()
    };
    UNDISTURBED.store(state, Ordering::Release);
}

/// The state, for a turn of an engine's thread.
pub struct Visitor(&'static State, #[allow(dead_code)] entry::Visit);

impl Deref for Visitor {
    type Target = State;

    fn deref(&self) -> &State {
        self.0
    }
}

/// What an engine's thread finds.
pub enum Found {
    /// The state.
    State(Visitor),
    /// A call has it.
    Call,
    /// The program's thread has it for itself, or MPI does not run.
    Nothing,
}

/// For an engine's thread: the state, if it is shared or lent, and no call has it.
pub fn visit() -> Found {
    let visit = match entry::Visit::begin() {
        Ok(visit) => visit,
        Err(taken) => return if taken { Found::Call } else { Found::Nothing },
    };
    // Acquire: pairs with the Release in `start`.
    let state = STATE.load(Ordering::Acquire);
    // SAFETY: as in `running`; every call takes the lock that the visit has.
    unsafe { state.as_ref() }.map_or(Found::Nothing, |state| Found::State(Visitor(state, visit)))
}

/// From here on only the few functions that may be called after `MPI_Finalize` work.
pub fn stop() {
    STATE.store(std::ptr::null_mut(), Ordering::Release);
    UNDISTURBED.store(std::ptr::null_mut(), Ordering::Release);
    PHASE.store(AFTER, Ordering::Release);
}
