//! A child's private copy of the heap.
//!
//! After fork, parent and child each expect memory of their own, but shared memory stays shared.
//! So the child copies all blocks before either goes on; programs that are started by vfork or
//! posix_spawn (system, popen) never come here.
//!
//! ```text
//! parent   lock, pipe ─ fork ─ wait until the pipe is closed everywhere ─ unlock
//! child                  └─── copy, map the copy over the heap, close the pipe, unlock
//! ```
//!
//! The pipe closes however the child ends, so the parent never hangs.

use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::global;

/// The pipe's ends between the handlers; -1 where there is none.
static READING: AtomicI32 = AtomicI32::new(-1);
static WRITING: AtomicI32 = AtomicI32::new(-1);

/// Has the C library call the handlers at each fork, from now on.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handlers are functions of this library, which is never unloaded: it was
        // preloaded.
        unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    });
}

extern "C" fn before() {
    global::lock();
    let mut ends = [-1; 2];
    // SAFETY: the array has room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        give_up(b"pamir: no file descriptor is left for fork with the shared heap; run without --shared-heap\n");
    }
    READING.store(ends[0], Ordering::Relaxed);
    WRITING.store(ends[1], Ordering::Relaxed);
}

extern "C" fn in_parent() {
    close(&WRITING);
    let mut byte = 0u8;
    let reading = READING.load(Ordering::Relaxed);
    // SAFETY: the byte is this function's; reading from -1 fails at once.
    while unsafe { libc::read(reading, (&raw mut byte).cast(), 1) } < 0 && interrupted() {}
    close(&READING);
    global::unlock();
}

extern "C" fn in_child() {
    close(&READING);
    // SAFETY: the lock was taken before the fork, by this thread's likeness.
    if let Some(heap) = unsafe { global::locked() }
        && heap.make_private().is_err()
    {
        give_up(b"pamir: no memory for a forked process's copy of the shared heap; run without --shared-heap\n");
    }
    close(&WRITING);
    global::unlock();
}

/// Ends the process, since to go on would let two processes write to each other's memory.
fn give_up(message: &[u8]) -> ! {
    // SAFETY: the message has its length; the process ends.
    unsafe {
        libc::write(2, message.as_ptr().cast(), message.len());
        libc::abort()
    }
}

fn interrupted() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
}

fn close(end: &AtomicI32) {
    // SAFETY: the descriptor is this file's own; closing -1 does nothing.
    unsafe { libc::close(end.swap(-1, Ordering::Relaxed)) };
}
