//! A child's private copy of the heap.
//!
//! After fork, parent and child each expect memory of their own, but shared memory stays shared.
//! So the child copies all blocks before either goes on; programs that are started by vfork or
//! posix_spawn (system, popen) never come here.
//!
//! ```text
//! parent   close, pipe ─ fork ─ wait until the pipe is closed everywhere ─ open
//! child                   └─── copy, map the copy over the heap, close the pipe, open
//! ```
//!
//! The pipe closes however the child ends, so the parent never hangs. Between close and open, other
//! handlers of the fork, and other threads, get what they ask for from the next allocator
//! (`global.rs`). There are such handlers although these are known to the C library as early as
//! possible: what is loaded before this library may have some.
//!
//! Invariant: of several threads that fork, one is here at a time.

use std::cell::UnsafeCell;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::{global, request};

/// A copy that is longer is worth a word.
const LONG_BYTES: usize = 16 << 20;

struct Turn(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: only the C library's functions look into it.
unsafe impl Sync for Turn {}

/// Whose turn it is to fork. The C library's mutex, since it can be taken before a fork and given back
/// after it, by the child too.
static TURN: Turn = Turn(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));

/// Runs when the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    if request::asked_for() {
        watch();
    }
}

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
    // SAFETY: the mutex is initialised and is never destroyed.
    unsafe { libc::pthread_mutex_lock(TURN.0.get()) };
    global::close();
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
    global::open();
    end_turn();
}

extern "C" fn in_child() {
    close(&READING);
    // SAFETY: this is the one thread of a new process.
    unsafe { global::renew_lock() };
    // SAFETY: this thread's likeness has closed the heap before the fork.
    let copied = unsafe { global::locked() }.map_or(Ok(0), |heap| heap.make_private());
    match copied {
        Ok(bytes) if bytes >= LONG_BYTES => request::say(format_args!(
            "fork has copied {} MiB of the shared heap",
            bytes >> 20
        )),
        Ok(_) => {}
        Err(_) => give_up(
            b"pamir: no memory for a forked process's copy of the shared heap; run without --shared-heap\n",
        ),
    }
    close(&WRITING);
    global::open();
    end_turn();
}

fn end_turn() {
    // SAFETY: this thread has taken it before the fork, or its likeness in the parent.
    unsafe { libc::pthread_mutex_unlock(TURN.0.get()) };
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
