//! The heap for those who need one: the first of them makes it, and has forks watched.
//!
//! Before: `interposition.rs` has a large block to serve. After: `global.rs` has the heap, or knows that
//! there is none.
//!
//! Invariant: the maker of the heap has forks watched (`fork.rs`) before it gets a block itself. Another thread
//! may get one a moment earlier.

use crate::heap::Heap;
use crate::request::{asked_for, least_bytes, say};
use crate::{fork, global, next};

/// Asks the heap, which is made if this is the first time; nothing if there is none, or it is closed.
pub fn with<R>(ask: impl FnOnce(&mut Heap) -> Option<R>) -> Option<R> {
    if global::try_once(make) {
        fork::watch();
    }
    global::with(ask)
}

fn make() -> Option<(Heap, usize)> {
    let is_wanted = asked_for() && has_plain_allocator();
    let heap = is_wanted.then(|| Heap::new(memory_bytes())).flatten()?;
    Some((heap, least_bytes()))
}

/// As much as the machine has memory.
fn memory_bytes() -> usize {
    // SAFETY: sysconf only answers.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    usize::try_from(pages).unwrap_or(0) * pamir_shm::segment::PAGE_BYTES
}

fn has_plain_allocator() -> bool {
    let is_plain = next::is_plain();
    if !is_plain {
        say(format_args!(
            "--shared-heap has no effect: the program has another malloc than the C library's"
        ));
    }
    is_plain
}
