//! The process's one heap: made when it is first needed, behind a lock, with bounds that are read
//! without it.
//!
//! | from | to | by |
//! |---|---|---|
//! | untried | ready | the first large allocation, or MPI's question |
//! | untried | refused | the same, where the kernel gives no memory, or nobody asked for the heap |
//!
//! The lock is the C library's mutex, since it can be taken before a fork and given back after it.

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fork;
use crate::heap::Heap;

/// Set by `mpiexec --shared-heap`; without it, nothing is replaced.
const ASKED_FOR: &CStr = c"PAMIR_SHARED_HEAP";
/// Shortest block that comes from the heap, in bytes.
const LEAST: &CStr = c"PAMIR_SHARED_HEAP_LEAST";
const DEFAULT_LEAST: usize = 32 << 10;
/// What is shorter would waste most of its page.
const SMALLEST_LEAST: usize = 4096;

const UNTRIED: usize = 0;
const REFUSED: usize = 1;

struct Global {
    lock: UnsafeCell<libc::pthread_mutex_t>,
    heap: UnsafeCell<Option<Heap>>,
    /// `UNTRIED`, `REFUSED`, or the heap's first address.
    base: AtomicUsize,
    /// The address after the heap's last one; 0 while there is none.
    end: AtomicUsize,
    /// Shortest block, once the heap was tried; before, everything may be one.
    least: AtomicUsize,
}

// SAFETY: `heap` is only reached between `lock` and `unlock`; all else is atomic.
unsafe impl Sync for Global {}

static GLOBAL: Global = Global {
    lock: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
    heap: UnsafeCell::new(None),
    base: AtomicUsize::new(UNTRIED),
    end: AtomicUsize::new(0),
    least: AtomicUsize::new(SMALLEST_LEAST),
};

/// Takes the lock; [`unlock`] gives it back.
pub fn lock() {
    // SAFETY: the mutex is initialised and is never destroyed.
    unsafe { libc::pthread_mutex_lock(GLOBAL.lock.get()) };
}

/// Gives the lock back that this thread took, or that its parent's did before the fork.
pub fn unlock() {
    // SAFETY: callers hold it.
    unsafe { libc::pthread_mutex_unlock(GLOBAL.lock.get()) };
}

/// The heap, for who holds the lock.
///
/// # Safety
///
/// The caller holds the lock, and keeps no other reference to the heap.
pub unsafe fn locked() -> Option<&'static mut Heap> {
    // SAFETY: the caller promises to be the only one.
    unsafe { (*GLOBAL.heap.get()).as_mut() }
}

/// Whether the heap may serve a block of so many bytes.
pub fn serves(bytes: usize) -> bool {
    bytes >= GLOBAL.least.load(Ordering::Relaxed) && GLOBAL.base.load(Ordering::Relaxed) != REFUSED
}

/// Whether an address lies within the heap.
pub fn owns(address: usize) -> bool {
    // Acquire pairs with the Release store in `make`; who holds an address of the heap has seen
    // both bounds anyway.
    address < GLOBAL.end.load(Ordering::Acquire) && address >= GLOBAL.base.load(Ordering::Relaxed)
}

/// Asks the heap, which is made if this is the first time; nothing if there is none.
pub fn with<R>(ask: impl FnOnce(&mut Heap) -> Option<R>) -> Option<R> {
    lock();
    let first = GLOBAL.base.load(Ordering::Relaxed) == UNTRIED;
    if first {
        make();
    }
    // SAFETY: this thread holds the lock.
    let answer = unsafe { locked() }.and_then(ask);
    unlock();
    if first {
        fork::watch();
    }
    answer
}

/// Makes the heap; who calls holds the lock.
fn make() {
    let heap = asked_for().then(|| Heap::new(memory_bytes())).flatten();
    let Some(heap) = heap else {
        GLOBAL.base.store(REFUSED, Ordering::Relaxed);
        return;
    };
    let base = heap.base().addr().get();
    let least = number(LEAST).unwrap_or(DEFAULT_LEAST).max(SMALLEST_LEAST);
    GLOBAL.least.store(least, Ordering::Relaxed);
    GLOBAL.base.store(base, Ordering::Relaxed);
    GLOBAL.end.store(base + heap.bytes(), Ordering::Release);
    // SAFETY: the caller holds the lock.
    unsafe { *GLOBAL.heap.get() = Some(heap) };
}

/// As much as the machine has memory.
fn memory_bytes() -> usize {
    // SAFETY: sysconf only answers.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    usize::try_from(pages).unwrap_or(0) * pamir_shm::segment::PAGE_BYTES
}

fn asked_for() -> bool {
    number(ASKED_FOR).is_some_and(|value| value != 0)
}

/// An environment variable that is a number; read without allocating.
fn number(name: &CStr) -> Option<usize> {
    // SAFETY: the name ends with a zero; the environment is not changed while a program's first
    // large block is allocated, as far as any library can rely on it.
    let value = NonNull::new(unsafe { libc::getenv(name.as_ptr()) })?;
    // SAFETY: getenv's strings end with a zero.
    let value = unsafe { CStr::from_ptr(value.as_ptr()) };
    value.to_str().ok()?.trim().parse().ok()
}
