//! Synchronisation that the target takes part in (MPI-5.0 sections 12.5.1 and 12.5.2).
//!
//! A fence is the barrier of the window's communicator, and what is pending; posts and completions are words in shared memory.

use std::ffi::c_int;

use pamir_mpi::window::Window;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Result};
use crate::functions::collectives::blocking::barrier;
use crate::process::running;
use crate::state::State;
use crate::types::*;

/// Refuses assertions that a call does not know.
pub(super) fn check_assertions(given: c_int, known: c_int, function: &str) -> Result {
    if given & !known == 0 {
        return Ok(());
    }
    Err(ErrorClass::Assert.with(format!(
        "{given} has bits that are no assertion of {function}"
    )))
}

/// `MPI_Win_fence`, section 12.5.1.
pub fn win_fence(assert: c_int, win: MPI_Win) -> Result {
    let known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    let state = running()?;
    let window = state.windows.named(win)?;
    check_assertions(assert, known, "MPI_Win_fence")?;
    window.epochs().check_fence()?;
    let ended = window.memory().flush(state.process.context());
    // An access that failed here must not leave the others waiting.
    // SAFETY: it takes any handle, and this is the window's own communicator's.
    let together = unsafe { barrier(window.comm) };
    together.map_err(|error| error.on(Object::Window(win)))?;
    window.epochs().fenced(assert & MPI_MODE_NOSUCCEED == 0);
    Ok(ended?)
}

/// The ranks of a group in a window.
fn ranks(state: &State, window: &Window, group: MPI_Group) -> Result<Vec<usize>> {
    let group = state.groups.named(group)?;
    let rank = |task: u32| {
        let rank = window.communicator().peer_rank(task as usize);
        rank.ok_or_else(|| not_in_window(task))
    };
    group.tasks().map(rank).collect()
}

#[cold]
fn not_in_window(task: u32) -> Error {
    ErrorClass::Group.with(format!(
        "the group has process {task}, which is not in the window's group"
    ))
}

/// `MPI_Win_post`, section 12.5.2.
pub fn win_post(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result {
    let known = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
    let state = running()?;
    let window = state.windows.named(win)?;
    check_assertions(assert, known, "MPI_Win_post")?;
    let origins = ranks(&state, &window, group)?;
    window.epochs().post(origins.clone())?;
    window.memory().post(state.process.context(), &origins);
    Ok(())
}

/// `MPI_Win_start`, section 12.5.2.
pub fn win_start(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    check_assertions(assert, MPI_MODE_NOCHECK, "MPI_Win_start")?;
    let targets = ranks(&state, &window, group)?;
    window.epochs().check_start()?;
    let waits = assert & MPI_MODE_NOCHECK == 0;
    window
        .memory()
        .start(state.process.context(), &targets, waits)?;
    window.epochs().started(targets);
    Ok(())
}

/// `MPI_Win_complete`, section 12.5.2.
pub fn win_complete(win: MPI_Win) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    let targets = window.epochs().complete()?;
    Ok(window
        .memory()
        .complete(state.process.context(), &targets)?)
}

/// `MPI_Win_wait`, section 12.5.2.
pub fn win_wait(win: MPI_Win) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    let origins = window.epochs().origins()?;
    window.memory().wait(state.process.context(), &origins)?;
    window.epochs().waited();
    Ok(())
}

/// `MPI_Win_test`, section 12.5.2.
///
/// # Safety
///
/// `flag` is writable.
pub unsafe fn win_test(win: MPI_Win, flag: *mut c_int) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    let origins = window.epochs().origins()?;
    let look = || Ok::<_, Error>(window.memory().test(&origins).then_some(()));
    let ended = state.process.context().poll(look)?.is_some();
    if ended {
        window.epochs().waited();
    }
    // SAFETY: as the caller vouches.
    unsafe { flag.write(ended.into()) };
    Ok(())
}
