//! The process's one heap: behind a lock, with bounds that are read without it.
//!
//! Before: `demand.rs` makes it when it is first needed. After: `heap.rs` serves the blocks.
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
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::heap::Heap;
use crate::next;

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
    // Acquire pairs with the Release store in `set`; who holds an address of the heap has seen
    // both bounds anyway.
    address < GLOBAL.end.load(Ordering::Acquire) && address >= GLOBAL.base.load(Ordering::Relaxed)
}

/// Makes the heap as `make` says, if nobody has tried yet: it gives the heap and its shortest block
/// in bytes, or nothing where there is to be no heap. Says whether this was the first try.
pub fn try_once(make: impl FnOnce() -> Option<(Heap, usize)>) -> bool {
    // Nearly all calls end here, without the lock.
    if !is_untried() {
        return false;
    }
    while_open(|| is_untried().then(|| set(make())).is_some()).unwrap_or(false)
}

fn is_untried() -> bool {
    GLOBAL.base.load(Ordering::Relaxed) == UNTRIED
}

/// Makes this the process's heap, or says that there is none; who calls holds the lock.
fn set(made: Option<(Heap, usize)>) {
    let Some((heap, least)) = made else {
        GLOBAL.base.store(REFUSED, Ordering::Relaxed);
        return;
    };
    let base = heap.base().addr().get();
    GLOBAL
        .least
        .store(least.max(SMALLEST_LEAST), Ordering::Relaxed);
    GLOBAL.base.store(base, Ordering::Relaxed);
    GLOBAL.end.store(base + heap.bytes(), Ordering::Release);
    // SAFETY: the caller holds the lock.
    unsafe { *GLOBAL.heap.get() = Some(heap) };
}

/// Asks the heap; nothing if there is none, or it is closed.
pub fn with<R>(ask: impl FnOnce(&mut Heap) -> Option<R>) -> Option<R> {
    // SAFETY: `while_open` holds the lock meanwhile.
    while_open(|| unsafe { locked() }.and_then(ask)).flatten()
}

/// Does something under the lock; nothing if the heap is closed.
fn while_open<R>(act: impl FnOnce() -> R) -> Option<R> {
    if is_closed() {
        return None;
    }
    lock();
    // It may have been closed meanwhile.
    let done = (!is_closed()).then(act);
    unlock();
    done
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
