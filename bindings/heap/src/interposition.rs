//! The C library's functions for memory, and what MPI asks of the heap.
//!
//! Before: the program's calls, since this library is preloaded. After: `global.rs` for large
//! blocks, the C library's own functions (its `__libc_` names) for small ones and wherever the
//! heap cannot serve. Which of the two a block belongs to is told by its address.
//!
//! | function | large | small |
//! |---|---|---|
//! | malloc, calloc, memalign and kin | heap, if it has room | C library |
//! | realloc | in place, or moved, also between the two | C library |
//! | free, malloc_usable_size | by address | by address |

use std::ffi::{c_int, c_void};
use std::os::fd::AsRawFd;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use pamir_shm::segment::PAGE_BYTES;

use crate::global;
use crate::heap::Backing;

unsafe extern "C" {
    fn __libc_malloc(bytes: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, bytes: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, bytes: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

/// `malloc` of the C standard.
#[unsafe(no_mangle)]
pub extern "C" fn malloc(bytes: usize) -> *mut c_void {
    large(bytes, 1).unwrap_or_else(|| {
        // SAFETY: any size may be asked for.
        unsafe { __libc_malloc(bytes) }
    })
}

/// `calloc` of the C standard.
#[unsafe(no_mangle)]
pub extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    count
        .checked_mul(bytes)
        .filter(|&bytes| global::serves(bytes))
        .and_then(|bytes| global::with(|heap| heap.allocate_zeroed(bytes)))
        .map_or_else(
            // SAFETY: any size may be asked for; the C library checks the product too.
            || unsafe { __libc_calloc(count, bytes) },
            |block| block.as_ptr().cast(),
        )
}

/// `free` of the C standard.
///
/// # Safety
///
/// `block` is null or was allocated by one of these functions, and not freed since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    match owned(block) {
        Some(block) => keeping_errno(|| {
            global::with(|heap| {
                heap.release(block);
                Some(())
            });
        }),
        // SAFETY: what is not the heap's is the C library's.
        None => unsafe { __libc_free(block) },
    }
}

/// `realloc` of the C standard.
///
/// # Safety
///
/// As for [`free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    match owned(block) {
        // SAFETY: the caller's promise.
        Some(old) => unsafe { resize(old, bytes) },
        None if !global::serves(bytes) || block.is_null() => {
            if block.is_null() {
                return malloc(bytes);
            }
            // SAFETY: the block is the C library's.
            unsafe { __libc_realloc(block, bytes) }
        }
        // SAFETY: the block is the C library's.
        None => unsafe { move_into_heap(block, bytes) },
    }
}

/// `reallocarray` of POSIX.
///
/// # Safety
///
/// As for [`free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reallocarray(
    block: *mut c_void,
    count: usize,
    bytes: usize,
) -> *mut c_void {
    match count.checked_mul(bytes) {
        // SAFETY: the caller's promise.
        Some(bytes) => unsafe { realloc(block, bytes) },
        None => no_memory(),
    }
}

/// `memalign` of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn memalign(alignment: usize, bytes: usize) -> *mut c_void {
    large(bytes, alignment).unwrap_or_else(|| {
        // SAFETY: any size and alignment may be asked for.
        unsafe { __libc_memalign(alignment, bytes) }
    })
}

/// `aligned_alloc` of the C standard.
#[unsafe(no_mangle)]
pub extern "C" fn aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void {
    memalign(alignment, bytes)
}

/// `valloc` of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn valloc(bytes: usize) -> *mut c_void {
    memalign(PAGE_BYTES, bytes)
}

/// `pvalloc` of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    match bytes.checked_next_multiple_of(PAGE_BYTES) {
        Some(bytes) => memalign(PAGE_BYTES, bytes.max(PAGE_BYTES)),
        None => no_memory(),
    }
}

/// `posix_memalign` of POSIX.
///
/// # Safety
///
/// `block` points to room for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(
    block: *mut *mut c_void,
    alignment: usize,
    bytes: usize,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<*mut c_void>()) {
        return libc::EINVAL;
    }
    let got = keeping_errno(|| memalign(alignment, bytes));
    if got.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller's promise.
    unsafe { block.write(got) };
    0
}

/// `malloc_usable_size` of the C library.
///
/// # Safety
///
/// As for [`free`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    match owned(block) {
        Some(block) => global::with(|heap| Some(heap.length(block))).unwrap_or(0),
        // SAFETY: what is not the heap's is the C library's.
        None => unsafe { usable_size_of_small(block) },
    }
}

/// Where this process's heap lies and which descriptor maps it: 1 and the three values, or 0 if
/// there is no shared heap (nobody asked for it, the kernel refused, or this is a child by fork).
///
/// # Safety
///
/// The three point to room for their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pamir_shared_heap(
    address: *mut u64,
    bytes: *mut u64,
    descriptor: *mut c_int,
) -> c_int {
    let found = global::with(|heap| match heap.backing() {
        Backing::Shared(segment) => {
            let number = segment.descriptor().as_raw_fd();
            Some((heap.base().addr().get() as u64, heap.bytes() as u64, number))
        }
        Backing::Private => None,
    });
    let Some(found) = found else {
        return 0;
    };
    // SAFETY: the caller's promise.
    unsafe {
        address.write(found.0);
        bytes.write(found.1);
        descriptor.write(found.2);
    }
    1
}

/// A block of the heap, if it serves such sizes and has room.
fn large(bytes: usize, alignment: usize) -> Option<*mut c_void> {
    if !global::serves(bytes) || !alignment.is_power_of_two() {
        return None;
    }
    let block = global::with(|heap| heap.allocate(bytes, alignment))?;
    Some(block.as_ptr().cast())
}

fn owned(block: *mut c_void) -> Option<NonNull<u8>> {
    NonNull::new(block.cast()).filter(|block| global::owns(block.addr().get()))
}

/// # Safety
///
/// `old` is a block of the heap, not freed.
unsafe fn resize(old: NonNull<u8>, bytes: usize) -> *mut c_void {
    let old_block = old.as_ptr().cast::<c_void>();
    if bytes == 0 {
        // SAFETY: the caller's promise.
        unsafe { free(old_block) };
        return null_mut();
    }
    let stays = global::serves(bytes)
        && global::with(|heap| heap.resize(old, bytes).then_some(())).is_some();
    if stays {
        return old_block;
    }
    let new = malloc(bytes);
    if !new.is_null() {
        let length = global::with(|heap| Some(heap.length(old))).unwrap_or(0);
        // SAFETY: both blocks have as many bytes, and they are two; the old one is not used again.
        unsafe {
            new.copy_from_nonoverlapping(old_block, length.min(bytes));
            free(old_block);
        }
    }
    new
}

/// # Safety
///
/// `block` is one of the C library's, not freed.
unsafe fn move_into_heap(block: *mut c_void, bytes: usize) -> *mut c_void {
    let Some(new) = large(bytes, 1) else {
        // SAFETY: the caller's promise.
        return unsafe { __libc_realloc(block, bytes) };
    };
    // SAFETY: the caller's promise; the old block has the bytes that the C library says.
    unsafe {
        let length = usable_size_of_small(block);
        new.copy_from_nonoverlapping(block, length.min(bytes));
        __libc_free(block);
    }
    new
}

/// # Safety
///
/// `block` is null or one of the C library's, not freed.
unsafe fn usable_size_of_small(block: *mut c_void) -> usize {
    type Function = unsafe extern "C" fn(*mut c_void) -> usize;
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let mut next = NEXT.load(Ordering::Relaxed);
    if next == 0 {
        // SAFETY: the name ends with a zero. Two threads may both ask; they get the same answer.
        next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"malloc_usable_size".as_ptr()) }.addr();
        NEXT.store(next, Ordering::Relaxed);
    }
    if next == 0 {
        return 0;
    }
    // SAFETY: the C library's function of this name has this type.
    unsafe { std::mem::transmute::<usize, Function>(next)(block) }
}

fn no_memory() -> *mut c_void {
    // SAFETY: errno is this thread's.
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    null_mut()
}

fn keeping_errno<R>(act: impl FnOnce() -> R) -> R {
    // SAFETY: errno is this thread's.
    let kept = unsafe { *libc::__errno_location() };
    let result = act();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = kept };
    result
}
