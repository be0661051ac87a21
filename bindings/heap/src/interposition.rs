//! The C library's functions for memory, and what MPI asks of the heap.
//!
//! Before: the program's calls, since this library is preloaded. After: `global.rs` for large
//! blocks, `next.rs` for small ones and wherever the heap cannot serve. Which of the two a block
//! belongs to is told by its address.
//!
//! | function | large | small |
//! |---|---|---|
//! | malloc, calloc, memalign and kin | heap, if it has room | next allocator |
//! | realloc | in place, or moved, also between the two | next allocator |
//! | free, malloc_usable_size | by address | by address |
//!
//! Invariant: without the heap, each call goes to the function that the program would call without
//! this library.

use std::ffi::{c_int, c_void};
use std::os::fd::AsRawFd;
use std::ptr::{NonNull, null_mut};

use pamir_shm::segment::PAGE_BYTES;

use crate::heap::Backing;
use crate::{demand, global, next};

/// `malloc` of the C standard.
#[unsafe(no_mangle)]
pub extern "C" fn malloc(bytes: usize) -> *mut c_void {
    large(bytes, 1).unwrap_or_else(|| next::malloc(bytes))
}

/// `calloc` of the C standard.
#[unsafe(no_mangle)]
pub extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    count
        .checked_mul(bytes)
        .filter(|&bytes| global::serves(bytes))
        .and_then(|bytes| demand::with(|heap| heap.allocate_zeroed(bytes)))
        .map_or_else(|| next::calloc(count, bytes), |block| block.as_ptr().cast())
}

/// `free` of the C standard.
///
/// # Safety
///
/// `block` is null or was allocated by one of these functions, and not freed since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    match owned(block) {
        Some(block) => keeping_errno(|| global::release(block)),
        // SAFETY: what is not the heap's is the next allocator's.
        None => unsafe { next::free(block) },
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
            // SAFETY: the block is the next allocator's.
            unsafe { next::realloc(block, bytes) }
        }
        // SAFETY: the block is the next allocator's.
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
    // SAFETY: the caller's promise.
    if let Some(block) = unsafe { next::realloc_array(block, count, bytes) } {
        return block;
    }
    match count.checked_mul(bytes) {
        // SAFETY: the caller's promise.
        Some(bytes) => unsafe { realloc(block, bytes) },
        None => no_memory(),
    }
}

/// `memalign` of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn memalign(alignment: usize, bytes: usize) -> *mut c_void {
    large(bytes, alignment).unwrap_or_else(|| next::memalign(alignment, bytes))
}

/// `aligned_alloc` of the C standard.
#[unsafe(no_mangle)]
pub extern "C" fn aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void {
    large(bytes, alignment).unwrap_or_else(|| next::aligned_alloc(alignment, bytes))
}

/// `valloc` of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn valloc(bytes: usize) -> *mut c_void {
    large(bytes, PAGE_BYTES).unwrap_or_else(|| next::valloc(bytes))
}

/// `pvalloc` of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    // The heap's blocks are whole pages.
    large(bytes, PAGE_BYTES).unwrap_or_else(|| next::pvalloc(bytes))
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
    let Some(got) = keeping_errno(|| large(bytes, alignment)) else {
        // SAFETY: the caller's promise.
        return unsafe { next::posix_memalign(block, alignment, bytes) };
    };
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
        Some(block) => global::length(block),
        // SAFETY: what is not the heap's is the next allocator's.
        None => unsafe { next::usable_size(block) },
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
    let found = demand::with(|heap| match heap.backing() {
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
    let block = demand::with(|heap| heap.allocate(bytes, alignment))?;
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
        && demand::with(|heap| heap.resize(old, bytes).then_some(())).is_some();
    if stays {
        return old_block;
    }
    let new = malloc(bytes);
    if !new.is_null() {
        let length = global::length(old);
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
/// `block` is one of the next allocator's, not freed.
unsafe fn move_into_heap(block: *mut c_void, bytes: usize) -> *mut c_void {
    let Some(new) = large(bytes, 1) else {
        // SAFETY: the caller's promise.
        return unsafe { next::realloc(block, bytes) };
    };
    // SAFETY: the caller's promise; the old block has the bytes that its allocator says.
    unsafe {
        let length = next::usable_size(block);
        new.copy_from_nonoverlapping(block, length.min(bytes));
        next::free(block);
    }
    new
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
