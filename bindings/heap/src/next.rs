//! The allocator behind this library: the C library's, or another one that the program brought.
//!
//! Before: `interposition.rs` has a block that the heap does not serve. After: the functions that the
//! program would have called without this library.
//!
//! | the program's malloc | first | next | heap |
//! |---|---|---|---|
//! | the C library's | this library | C library | on |
//! | another library's (jemalloc and the like) | this library | that library | off: it has functions of its own for its blocks |
//! | its own | the program | C library, or another library | off: it does not come here |
//!
//! Invariant: while the linker is asked for these functions, which may allocate in old C libraries,
//! the asking thread's blocks are the C library's.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use pamir_shm::segment::PAGE_BYTES;

unsafe extern "C" {
    fn __libc_malloc(bytes: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, bytes: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, bytes: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

/// The functions, each at its place in [`NAMES`].
#[derive(Clone, Copy)]
enum Name {
    Malloc,
    Calloc,
    Realloc,
    ReallocArray,
    Memalign,
    AlignedAlloc,
    PosixMemalign,
    Valloc,
    Pvalloc,
    Free,
    UsableSize,
}

const NAMES: [&CStr; 11] = [
    c"malloc",
    c"calloc",
    c"realloc",
    c"reallocarray",
    c"memalign",
    c"aligned_alloc",
    c"posix_memalign",
    c"valloc",
    c"pvalloc",
    c"free",
    c"malloc_usable_size",
];

/// Their addresses; 0 where there is none, or nobody has asked yet.
static ADDRESSES: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];

const UNASKED: usize = 0;
const PLAIN: usize = 1;
const OTHER: usize = 2;

/// `UNASKED`, `PLAIN` where the only allocator is the C library's, or `OTHER`.
static STATE: AtomicUsize = AtomicUsize::new(UNASKED);

/// The thread that asks the linker.
static ASKING: AtomicUsize = AtomicUsize::new(0);

/// Whether the program's blocks are the C library's, but for those of the heap.
pub fn is_plain() -> bool {
    if STATE.load(Ordering::Acquire) == UNASKED {
        ask();
    }
    STATE.load(Ordering::Acquire) == PLAIN
}

/// `malloc`.
pub fn malloc(bytes: usize) -> *mut c_void {
    // SAFETY: the function of this name has this type; any size may be asked for.
    unsafe {
        match function::<unsafe extern "C" fn(usize) -> *mut c_void>(Name::Malloc) {
            Some(next) => next(bytes),
            None => __libc_malloc(bytes),
        }
    }
}

/// `calloc`.
pub fn calloc(count: usize, bytes: usize) -> *mut c_void {
    // SAFETY: the function of this name has this type; the product is checked there.
    unsafe {
        match function::<unsafe extern "C" fn(usize, usize) -> *mut c_void>(Name::Calloc) {
            Some(next) => next(count, bytes),
            None => __libc_calloc(count, bytes),
        }
    }
}

/// `realloc`.
///
/// # Safety
///
/// `block` is null or of one of these functions, not freed.
pub unsafe fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    type Function = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
    // SAFETY: the function of this name has this type; the caller's promise.
    unsafe {
        match function::<Function>(Name::Realloc) {
            Some(next) => next(block, bytes),
            None => __libc_realloc(block, bytes),
        }
    }
}

/// `reallocarray`, where it is not this library's [`realloc`] that it leads to.
///
/// # Safety
///
/// As for [`realloc`].
pub unsafe fn realloc_array(block: *mut c_void, count: usize, bytes: usize) -> Option<*mut c_void> {
    type Function = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
    if is_plain() {
        return None;
    }
    // SAFETY: the function of this name has this type; the caller's promise.
    unsafe { function::<Function>(Name::ReallocArray).map(|next| next(block, count, bytes)) }
}

/// `memalign`.
pub fn memalign(alignment: usize, bytes: usize) -> *mut c_void {
    aligned(Name::Memalign, alignment, bytes)
}

/// `aligned_alloc`.
pub fn aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void {
    aligned(Name::AlignedAlloc, alignment, bytes)
}

fn aligned(name: Name, alignment: usize, bytes: usize) -> *mut c_void {
    // SAFETY: the functions of these names have this type; any size and alignment may be asked for.
    unsafe {
        match function::<unsafe extern "C" fn(usize, usize) -> *mut c_void>(name) {
            Some(next) => next(alignment, bytes),
            None => __libc_memalign(alignment, bytes),
        }
    }
}

/// `valloc`.
pub fn valloc(bytes: usize) -> *mut c_void {
    of_pages(Name::Valloc, bytes)
}

/// `pvalloc`.
pub fn pvalloc(bytes: usize) -> *mut c_void {
    of_pages(Name::Pvalloc, bytes)
}

fn of_pages(name: Name, bytes: usize) -> *mut c_void {
    // SAFETY: the functions of these names have this type; any size may be asked for.
    unsafe {
        match function::<unsafe extern "C" fn(usize) -> *mut c_void>(name) {
            Some(next) => next(bytes),
            None => __libc_memalign(PAGE_BYTES, bytes),
        }
    }
}

/// `posix_memalign`.
///
/// # Safety
///
/// `block` points to room for an address.
pub unsafe fn posix_memalign(block: *mut *mut c_void, alignment: usize, bytes: usize) -> c_int {
    type Function = unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int;
    // SAFETY: the function of this name has this type; the caller's promise.
    unsafe {
        match function::<Function>(Name::PosixMemalign) {
            Some(next) => next(block, alignment, bytes),
            None => libc::ENOMEM,
        }
    }
}

/// `free`.
///
/// # Safety
///
/// As for [`realloc`].
pub unsafe fn free(block: *mut c_void) {
    // SAFETY: the function of this name has this type; the caller's promise.
    unsafe {
        match function::<unsafe extern "C" fn(*mut c_void)>(Name::Free) {
            Some(next) => next(block),
            None => __libc_free(block),
        }
    }
}

/// `malloc_usable_size`; 0 where nobody knows.
///
/// # Safety
///
/// As for [`realloc`].
pub unsafe fn usable_size(block: *mut c_void) -> usize {
    type Function = unsafe extern "C" fn(*mut c_void) -> usize;
    // SAFETY: the function of this name has this type; the caller's promise.
    unsafe { function::<Function>(Name::UsableSize).map_or(0, |next| next(block)) }
}

/// The next function of a name; none while the linker is asked.
///
/// # Safety
///
/// `F` is the type of a pointer to the function of this name.
#[inline]
unsafe fn function<F: Copy>(name: Name) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    // Acquire pairs with the Release store in `ask`.
    if STATE.load(Ordering::Acquire) == UNASKED {
        ask();
    }
    let address = ADDRESSES[name as usize].load(Ordering::Relaxed);
    // SAFETY: the address is of a function of this type, as the caller promises, and not 0; both types
    // have the same size.
    (address != 0).then(|| unsafe { std::mem::transmute_copy(&address) })
}

/// Asks the linker. Two threads may both do so; they get the same answers.
#[cold]
fn ask() {
    // SAFETY: it only answers.
    let own = unsafe { libc::pthread_self() } as usize;
    if ASKING.swap(own, Ordering::Relaxed) == own {
        return;
    }
    let next = NAMES.map(|name| {
        // SAFETY: the name ends with a zero.
        unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
    });
    for (place, next) in ADDRESSES.iter().zip(next) {
        place.store(next.addr(), Ordering::Relaxed);
    }
    // SAFETY: the name ends with a zero.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, NAMES[Name::Malloc as usize].as_ptr()) };
    let comes_here = object_of(first) == object_of((&raw const STATE).cast());
    let libc_function = __libc_malloc as unsafe extern "C" fn(usize) -> *mut c_void;
    let is_libc = |function| object_of(function) == object_of(libc_function as *const c_void);
    let plain =
        comes_here && is_libc(next[Name::Malloc as usize]) && is_libc(next[Name::Free as usize]);
    STATE.store(if plain { PLAIN } else { OTHER }, Ordering::Release);
    ASKING.store(0, Ordering::Relaxed);
}

/// Where the library, or the program, begins that an address is in.
fn object_of(address: *const c_void) -> usize {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null::<c_char>(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: any address may be asked for; the answer goes to this function's value.
    match unsafe { libc::dladdr(address, &mut found) } {
        0 => 0,
        _ => found.dli_fbase.addr(),
    }
}
