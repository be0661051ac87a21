//! What has to live, or to be done, until a request is complete.
//!
//! What: copies of strided buffers that a nonblocking collective operation works on, and arrays
//! that C may read until the end, by the request's integer.
//!
//! ```text
//!              stage / keep            started: copies in          completed: copies out
//! nonblocking  MPI_Iallreduce(a(::2))         -                    MPI_Wait: gone
//! persistent   MPI_Allreduce_init(a(::2))  MPI_Start               MPI_Wait: stays
//!                                                                  freed: gone
//! ```
//!
//! Step before: `entry`, which made the request. Step after: `functions::completion`.
//! Invariants: [`COUNT`] is the number of entries; while it is 0, nobody takes the lock. A request
//! that C code completes is not seen here: complete in Fortran what Fortran started on a strided buffer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::c::{self, Handle, Integer};
use crate::section::Staged;

#[derive(Default)]
struct Entry {
    is_persistent: bool,
    staged: Vec<Staged>,
    // Only held: C has the address.
    _kept: Vec<Box<[Handle]>>,
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

/// Keeps an array until the request is complete.
#[cold]
pub fn keep(request: Integer, array: Box<[Handle]>) {
    if request != c::REQUEST_NULL {
        change(|entries| entries.entry(request).or_default()._kept.push(array));
    }
}

/// Keeps the copies of buffers until the request is complete; a persistent one until it is freed.
#[cold]
pub fn stage<const N: usize>(request: Integer, is_persistent: bool, staged: [Staged; N]) {
    change(|entries| {
        let entry = entries.entry(request).or_default();
        entry.is_persistent = is_persistent;
        entry.staged.extend(staged);
    });
}

/// Copies a persistent request's buffers in.
pub fn started(request: Integer) {
    change(|entries| {
        let staged = entries.get_mut(&request).map(|entry| &mut entry.staged);
        staged.into_iter().flatten().for_each(Staged::take);
    });
}

/// Copies a request's buffers out; `after` is the request's integer now, which tells whether it is gone.
pub fn completed(request: Integer, after: Integer) {
    change(|entries| {
        let Some(entry) = entries.get_mut(&request) else {
            return;
        };
        entry.staged.iter_mut().for_each(Staged::give_back);
        if after == c::REQUEST_NULL || !entry.is_persistent {
            entries.remove(&request);
        }
    });
}

/// Forgets a request.
pub fn freed(request: Integer) {
    change(|entries| {
        entries.remove(&request);
    });
}
