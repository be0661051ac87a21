//! The process's one heap: made when it is first needed, behind a lock, with bounds that are read
//! without it.
//!
//! | from | to | by |
//! |---|---|---|
//! | untried | ready | the first large allocation, or MPI's question |
//! | untried | refused | the same, where the kernel gives no memory, nobody asked for the heap, or the program has another allocator |
//!
//! While a thread forks, the heap is closed: what is asked for comes from elsewhere, and what is freed
//! is put off. So nothing changes between what parent and child remember of it, handlers of the fork may
//! use memory, and no thread waits for the lock of one that waits for it.
//!
//! Invariants: while the heap is closed nothing of it changes; who forks does not need the lock
//! meanwhile, as another thread may have had it when the child was made.

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::heap::Heap;
use crate::{fork, next};

/// Set by `mpiexec --shared-heap`; without it, nothing is replaced. 2 says what is worth knowing.
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
    /// The thread that forks; 0 while the heap is open.
    forking: AtomicUsize,
    /// Blocks that were freed while the heap was closed.
    put_off: AtomicPtr<PutOff>,
}

/// A block that is to be freed. It is somewhere else than in the block: a child's handlers may not write
/// there, since it is its parent's too.
struct PutOff {
    block: NonNull<u8>,
    next: *mut PutOff,
}

// SAFETY: `heap` is only reached between `lock` and `unlock`; all else is atomic.
unsafe impl Sync for Global {}

static GLOBAL: Global = Global {
    lock: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
    heap: UnsafeCell::new(None),
    base: AtomicUsize::new(UNTRIED),
    end: AtomicUsize::new(0),
    least: AtomicUsize::new(SMALLEST_LEAST),
    forking: AtomicUsize::new(0),
    put_off: AtomicPtr::new(null_mut()),
};

/// Takes the lock; [`unlock`] gives it back.
fn lock() {
    // SAFETY: the mutex is initialised and is never destroyed.
    unsafe { libc::pthread_mutex_lock(GLOBAL.lock.get()) };
}

/// Gives the lock back that this thread took.
fn unlock() {
    // SAFETY: callers hold it.
    unsafe { libc::pthread_mutex_unlock(GLOBAL.lock.get()) };
}

/// Closes the heap for a fork of this thread.
pub fn close() {
    lock();
    // Under the lock: whoever has it later sees that the heap is closed.
    GLOBAL.forking.store(this_thread(), Ordering::Relaxed);
    unlock();
}

/// Opens the heap again, and frees what was put off.
pub fn open() {
    GLOBAL.forking.store(0, Ordering::Relaxed);
    free_put_off();
}

/// In a child, before [`open`]: the lock is free, though a thread that only the parent has may have held
/// it.
///
/// # Safety
///
/// This process has just been made by fork, and has one thread.
pub unsafe fn renew_lock() {
    // SAFETY: the caller's promise: nobody holds or waits for it.
    unsafe { GLOBAL.lock.get().write(libc::PTHREAD_MUTEX_INITIALIZER) };
}

fn is_closed() -> bool {
    GLOBAL.forking.load(Ordering::Relaxed) != 0
}

fn this_thread() -> usize {
    // SAFETY: it only answers.
    unsafe { libc::pthread_self() as usize }
}

/// The heap, for who holds the lock, or has closed it.
///
/// # Safety
///
/// The caller holds the lock or is the thread that forks, and keeps no other reference to the heap.
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

/// Asks the heap, which is made if this is the first time; nothing if there is none, or it is closed.
pub fn with<R>(ask: impl FnOnce(&mut Heap) -> Option<R>) -> Option<R> {
    if is_closed() {
        return None;
    }
    lock();
    // It may have been closed meanwhile.
    if is_closed() {
        unlock();
        return None;
    }
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

/// Gives a block back, at once or when the heap is open again.
pub fn release(block: NonNull<u8>) {
    let released = with(|heap| {
        heap.release(block);
        Some(())
    });
    if released.is_none() {
        put_off(block);
    }
}

/// Usable bytes of a block.
pub fn length(block: NonNull<u8>) -> usize {
    let forks = GLOBAL.forking.load(Ordering::Relaxed) == this_thread();
    if !forks {
        lock();
    }
    // SAFETY: this thread holds the lock, or it is the one that forks.
    let length = unsafe { locked() }.map_or(0, |heap| heap.length(block));
    if !forks {
        unlock();
    }
    length
}

/// Where there is no memory to remember it, the block stays.
fn put_off(block: NonNull<u8>) {
    let Some(place) = NonNull::new(next::malloc(size_of::<PutOff>()).cast::<PutOff>()) else {
        return;
    };
    let mut next = GLOBAL.put_off.load(Ordering::Relaxed);
    loop {
        // SAFETY: the place has room for it, is aligned as malloc's are, and nobody else knows it yet.
        unsafe { place.write(PutOff { block, next }) };
        // Release pairs with the Acquire in `free_put_off`.
        let (success, failure) = (Ordering::Release, Ordering::Relaxed);
        let list = &GLOBAL.put_off;
        match list.compare_exchange_weak(next, place.as_ptr(), success, failure) {
            Ok(_) => break,
            Err(other) => next = other,
        }
    }
    // Whoever has opened the heap meanwhile may not have seen it.
    if !is_closed() {
        free_put_off();
    }
}

fn free_put_off() {
    let mut first = GLOBAL.put_off.swap(null_mut(), Ordering::Acquire);
    while let Some(place) = NonNull::new(first) {
        // SAFETY: the list's places were written before they were put there, and this thread has taken them
        // all out of it.
        let PutOff { block, next } = unsafe { place.read() };
        first = next;
        // SAFETY: the place is `put_off`'s, and nobody looks at it any more.
        unsafe { next::free(place.as_ptr().cast()) };
        release(block);
    }
}

/// Makes the heap; who calls holds the lock.
fn make() {
    let is_wanted = asked_for() && has_plain_allocator();
    let heap = is_wanted.then(|| Heap::new(memory_bytes())).flatten();
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

/// Whether the heap was asked for.
pub fn asked_for() -> bool {
    number(ASKED_FOR).is_some_and(|value| value != 0)
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

/// Says something on standard error, if that was asked for; allocates nothing.
pub fn say(what: std::fmt::Arguments<'_>) {
    if number(ASKED_FOR) != Some(2) {
        return;
    }
    let mut line = [0; 256];
    let mut rest = &mut line[..];
    // What is too long is cut.
    let _ = std::io::Write::write_fmt(&mut rest, format_args!("pamir: {what}\n"));
    let length = 256 - rest.len();
    // SAFETY: the line has these bytes. Nobody can be told that this fails.
    unsafe { libc::write(2, line.as_ptr().cast(), length) };
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
