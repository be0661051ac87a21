//! What has to live, or to be done, until a request is complete.
//!
//! What: copies of strided buffers that a nonblocking collective operation works on, and arrays
//! that C may read until the end, by the request's integer.
//!
//! ```text
//!              stage / keep             started: copies in    completed, seen: copies out   ended
//! nonblocking  MPI_Iallreduce(a(::2))          -              once                          gone
//! persistent   MPI_Allreduce_init(a(::2))  MPI_Start          once after each start         freed: gone
//! ```
//!
//! Step before: `entry`, which made the request. Step after: `functions::completion`.
//! Invariants: [`COUNT`] is the number of entries; while it is 0, nobody takes the lock. An integer that is given
//! out anew has no entry: what was left of the request before it, which C code completed, is forgotten. A request that
//! is complete when it is made is none that anything is kept for: C may have one handle for all of these.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::c::{Handle, Integer};
use crate::handle::is_complete;
use crate::section::Staged;

#[derive(Default)]
struct Entry {
    is_persistent: bool,
    /// Whether the copies went out since they came in.
    is_given_back: bool,
    staged: Vec<Staged>,
    // Only held: C has the address.
    _kept: Vec<Box<[Handle]>>,
}

impl Entry {
    fn give_back(&mut self) {
        if !self.is_given_back {
            self.staged.iter_mut().for_each(Staged::give_back);
            self.is_given_back = true;
        }
    }
}

type Entries = HashMap<Integer, Entry>;

static ENTRIES: Mutex<Option<Entries>> = Mutex::new(None);
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Whether anything waits for a request.
#[inline(always)]
pub fn is_any() -> bool {
    // A thread that completes a request has seen, by whatever gave it the request, that it was staged.
    COUNT.load(Ordering::Relaxed) != 0
}

fn entries() -> MutexGuard<'static, Option<Entries>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn change(change: impl FnOnce(&mut Entries)) {
    let mut guard = entries();
    let entries = guard.get_or_insert_default();
    change(entries);
    COUNT.store(entries.len(), Ordering::Relaxed);
}

/// Keeps an array until the request is complete; of a persistent one until it is freed.
#[cold]
pub fn keep(request: Integer, is_persistent: bool, array: Box<[Handle]>) {
    if is_persistent || !is_complete(request) {
        change(|entries| {
            let entry = entries.entry(request).or_default();
            entry.is_persistent = is_persistent;
            entry._kept.push(array);
        });
    }
}

/// Keeps the copies of buffers until the request is complete; of a persistent one until it is freed.
#[cold]
pub fn stage<const N: usize>(request: Integer, is_persistent: bool, mut staged: [Staged; N]) {
    if !is_persistent && is_complete(request) {
        staged.iter_mut().for_each(Staged::give_back);
        return;
    }
    change(|entries| {
        let entry = entries.entry(request).or_default();
        entry.is_persistent = is_persistent;
        entry.is_given_back = is_persistent;
        entry.staged.extend(staged);
    });
}

/// Copies a persistent request's buffers in.
pub fn started(request: Integer) {
    change(|entries| {
        if let Some(entry) = entries.get_mut(&request) {
            entry.staged.iter_mut().for_each(Staged::take);
            entry.is_given_back = false;
        }
    });
}

/// Copies the buffers of a complete request out, which may go on to be inquired.
pub fn seen(request: Integer) {
    change(|entries| {
        if let Some(entry) = entries.get_mut(&request) {
            entry.give_back();
        }
    });
}

/// Copies the buffers of a complete request out, and forgets it unless it is a persistent one that stays.
pub fn completed(request: Integer, is_gone: bool) {
    change(|entries| {
        let Some(entry) = entries.get_mut(&request) else {
            return;
        };
        entry.give_back();
        if is_gone || !entry.is_persistent {
            entries.remove(&request);
        }
    });
}

/// Forgets a request.
#[cold]
pub fn forget(request: Integer) {
    change(|entries| {
        entries.remove(&request);
    });
}
