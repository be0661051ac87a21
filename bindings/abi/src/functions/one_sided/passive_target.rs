//! Synchronisation without the target: locks, flushes (MPI-5.0 sections 12.5.3 and 12.5.4).

use std::ffi::c_int;
use std::sync::atomic::{Ordering, fence};

use pamir_transport::one_sided::window::synchronization::LockKind;

use super::active_target::check_assertions;
use super::target::rank_of;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::types::*;

/// `MPI_Win_lock`, section 12.5.3.
pub fn win_lock(lock_type: c_int, rank: c_int, assert: c_int, win: MPI_Win) -> Result {
    let state = running()?;
    state.windows.take_turn(state.process.context())?;
    let kind = match lock_type {
        MPI_LOCK_SHARED => LockKind::Shared,
        MPI_LOCK_EXCLUSIVE => LockKind::Exclusive,
        other => return Err(no_lock_type(&state, other, win)),
    };
    let locked = state.windows.with(win, |window| {
        let (target, memory) = (rank as usize, window.memory());
        let usual = assert == 0 && target < memory.size();
        let context = state.process.context();
        let taken = usual
            && window.epochs().check_lock(target).is_ok()
            && memory.try_lock(context, target, kind);
        if taken {
            window.epochs().locked(target, Some(kind));
        }
        taken
    });
    if locked == Some(true) {
        return Ok(());
    }
    lock_any(&state, kind, rank, assert, win)
}

#[cold]
fn no_lock_type(state: &State, lock_type: c_int, win: MPI_Win) -> Error {
    if let Err(error) = state.windows.named(win) {
        return error;
    }
    let text = format!("{lock_type} is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE");
    ErrorClass::Locktype.with(text)
}

#[inline(never)]
fn lock_any(state: &State, kind: LockKind, rank: c_int, assert: c_int, win: MPI_Win) -> Result {
    let window = state.windows.named(win)?;
    check_assertions(assert, MPI_MODE_NOCHECK, "MPI_Win_lock")?;
    let Some(rank) = rank_of(&window, rank)? else {
        return Ok(());
    };
    window.epochs().check_lock(rank)?;
    let taken = assert & MPI_MODE_NOCHECK == 0;
    if taken {
        window.memory().lock(state.process.context(), rank, kind)?;
    }
    window.epochs().locked(rank, taken.then_some(kind));
    Ok(())
}

/// `MPI_Win_unlock`, section 12.5.3.
pub fn win_unlock(rank: c_int, win: MPI_Win) -> Result {
    let state = running()?;
    state.windows.take_turn(state.process.context())?;
    let unlocked = state.windows.with(win, |window| {
        let (target, memory) = (rank as usize, window.memory());
        if target >= memory.size() || !memory.is_quiet() {
            return None;
        }
        let kind = window.epochs().lock_of(target).ok()??;
        window.epochs().unlocked(target);
        Some(memory.unlock(state.process.context(), target, kind))
    });
    match unlocked.flatten() {
        Some(ended) => Ok(ended?),
        None => unlock_any(&state, rank, win),
    }
}

#[inline(never)]
fn unlock_any(state: &State, rank: c_int, win: MPI_Win) -> Result {
    let window = state.windows.named(win)?;
    let Some(rank) = rank_of(&window, rank)? else {
        return Ok(());
    };
    let (memory, context) = (window.memory(), state.process.context());
    let kind = window.epochs().lock_of(rank)?;
    let ended = match kind {
        Some(kind) => memory.unlock(context, rank, kind),
        None => memory.flush(context),
    };
    window.epochs().unlocked(rank);
    Ok(ended?)
}

/// `MPI_Win_lock_all`, section 12.5.3.
pub fn win_lock_all(assert: c_int, win: MPI_Win) -> Result {
    let state = running()?;
    state.windows.take_turn(state.process.context())?;
    let window = state.windows.named(win)?;
    check_assertions(assert, MPI_MODE_NOCHECK, "MPI_Win_lock_all")?;
    window.epochs().check_lock_all()?;
    let taken = assert & MPI_MODE_NOCHECK == 0;
    if taken && !window.memory().try_lock_all() {
        window.memory().lock_all(state.process.context())?;
    }
    window.epochs().all_locked(taken);
    Ok(())
}

/// `MPI_Win_unlock_all`, section 12.5.3.
pub fn win_unlock_all(win: MPI_Win) -> Result {
    let state = running()?;
    state.windows.take_turn(state.process.context())?;
    let window = state.windows.named(win)?;
    let (memory, context) = (window.memory(), state.process.context());
    Ok(match window.epochs().unlock_all()? {
        true => memory.unlock_all(context),
        false => memory.flush(context),
    }?)
}

/// A flush of one target, or of all: what is under way is waited for together.
#[inline]
fn flush(rank: Option<c_int>, win: MPI_Win) -> Result {
    let state = running()?;
    state.windows.take_turn(state.process.context())?;
    let flushed = state.windows.with(win, |window| {
        let target = rank.map(|rank| rank as usize);
        let known = target.is_none_or(|target| target < window.memory().size());
        known && window.epochs().check_flush(target).is_ok() && window.memory().flush_quiet()
    });
    if flushed == Some(true) {
        return Ok(());
    }
    flush_any(&state, rank, win)
}

#[inline(never)]
fn flush_any(state: &State, rank: Option<c_int>, win: MPI_Win) -> Result {
    let window = state.windows.named(win)?;
    let target = match rank {
        None => None,
        Some(rank) => match rank_of(&window, rank)? {
            None => return Ok(()),
            some => some,
        },
    };
    window.epochs().check_flush(target)?;
    Ok(window.memory().flush(state.process.context())?)
}

/// `MPI_Win_flush`, section 12.5.4.
pub fn win_flush(rank: c_int, win: MPI_Win) -> Result {
    flush(Some(rank), win)
}

/// `MPI_Win_flush_all`, section 12.5.4.
pub fn win_flush_all(win: MPI_Win) -> Result {
    flush(None, win)
}

/// `MPI_Win_flush_local`, section 12.5.4: what is under way keeps the origin's memory until it is at the target.
pub fn win_flush_local(rank: c_int, win: MPI_Win) -> Result {
    flush(Some(rank), win)
}

/// `MPI_Win_flush_local_all`, section 12.5.4.
pub fn win_flush_local_all(win: MPI_Win) -> Result {
    flush(None, win)
}

/// `MPI_Win_sync`, section 12.5.4: private and public memory are one, so only the order of looks and stores is left.
pub fn win_sync(win: MPI_Win) -> Result {
    let state = running()?;
    state.windows.take_turn(state.process.context())?;
    state.windows.named(win)?;
    fence(Ordering::SeqCst);
    Ok(())
}
