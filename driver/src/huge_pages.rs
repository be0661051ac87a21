//! Huge pages for what a program allocates and has in static memory.
//!
//! Before: `mpiexec` has asked the C library for them, in the variable [`VARIABLE`] that the GNU one reads, and a library
//! has allocated what it needs to begin. After: the program allocates its buffers.
//!
//! Why: to copy from another process, the kernel looks up each page (0.13 us), and copies page by page. Of huge
//! pages there are 512 times fewer, and what lies in one fills a core's cache evenly (an idle process's
//! memory, far: 64 KiB 2.5 us in small pages, 1.7 in huge ones; 256 KiB 8.8 and 5.6).
//!
//! The C library advises the kernel for each part of its heap. What is left is here: its heap begins where the kernel
//! wants it to, and the first large buffer would lie partly before the first huge page; static memory has no advice at
//! all.
//!
//! ```text
//!            top of the heap   huge page        huge page        huge page
//!   heap ░░░░░░│    │▒▒▒▒▒▒▒▒│▪│················│················│······
//!        in use  small filler  a page: the next large block begins here
//! ```
//!
//! Invariants: nothing but where memory lies, and in what pages, is changed; without the variable, nothing at all.

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

use pamir_shm::placement::HUGE_PAGE_BYTES;
use pamir_shm::segment::PAGE_BYTES;

/// What the GNU C library's settings are read from.
pub const VARIABLE: &str = "GLIBC_TUNABLES";

/// In it: huge pages are wanted for the heap.
pub const HEAP_SETTING: &str = "glibc.malloc.hugetlb=1";

/// What the allocator has before each block.
#[cfg(target_env = "gnu")]
const CHUNK_HEAD_BYTES: usize = 2 * size_of::<usize>();

/// What is left for small blocks.
#[cfg(target_env = "gnu")]
const BYTES_FOR_SMALL_BLOCKS: usize = 32 * 1024;

/// The shortest filler: nothing but the heap's unused end has room for it, mostly.
#[cfg(target_env = "gnu")]
const LEAST_FILLER_BYTES: usize = 64 * 1024;

/// The filler, for those who look for memory that nobody knows any more.
#[cfg(target_env = "gnu")]
static FILLER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Static memory that is shorter has no advice.
const LEAST_STATIC_BYTES: usize = 2 * HUGE_PAGE_BYTES;

/// Prepares this process for huge pages, if they are wanted and it is not prepared yet.
pub fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(prepare_if_wanted);
}

fn prepare_if_wanted() {
    let settings = std::env::var_os(VARIABLE).unwrap_or_default();
    let settings = settings.to_string_lossy();
    if settings.split(':').any(|setting| setting == HEAP_SETTING) {
        begin_heap();
        advise_static_memory();
    }
}

/// What is left to the next boundary of a huge page.
fn left(address: usize) -> usize {
    address.next_multiple_of(HUGE_PAGE_BYTES) - address
}

/// Makes the unused part of the heap begin just before the next boundary of a huge page, by a block that stays.
///
/// Some memory before it is free for small blocks: a program that has no others takes no huge page.
#[cfg(target_env = "gnu")]
fn begin_heap() {
    // SAFETY: neither changes anything. The second is an `int`: a longer end is noticed below.
    let (end, unused) = unsafe { (libc::sbrk(0), libc::mallinfo().keepcost) };
    let begin = end.addr().wrapping_sub(unused as usize);
    // SAFETY: any size may be asked for.
    let room = unsafe { libc::malloc(BYTES_FOR_SMALL_BLOCKS) };
    let begin = if room.addr() == begin.wrapping_add(CHUNK_HEAD_BYTES) {
        begin + CHUNK_HEAD_BYTES + BYTES_FOR_SMALL_BLOCKS
    } else {
        begin
    };
    let bytes = left(begin + PAGE_BYTES + LEAST_FILLER_BYTES) + LEAST_FILLER_BYTES;
    // SAFETY: as above.
    let filler = unsafe { libc::malloc(bytes - CHUNK_HEAD_BYTES) };
    if filler.addr() == begin.wrapping_add(CHUNK_HEAD_BYTES) {
        FILLER.store(filler, Ordering::Relaxed);
    } else {
        // SAFETY: it is not used. It is not where it was to be: the allocator is another one, this thread has a heap
        // of its own, or there was room elsewhere.
        unsafe { libc::free(filler) };
    }
    // SAFETY: it is not used.
    unsafe { libc::free(room) };
}

#[cfg(not(target_env = "gnu"))]
fn begin_heap() {}

/// Advises huge pages for the static memory of the program and its libraries, where there is much of it.
fn advise_static_memory() {
    // SAFETY: the callback has the type that is called, and keeps nothing.
    unsafe { libc::dl_iterate_phdr(Some(advise_object), std::ptr::null_mut()) };
}

/// # Safety
///
/// `object` describes a loaded object, as `dl_iterate_phdr` says it.
unsafe extern "C" fn advise_object(
    object: *mut libc::dl_phdr_info,
    _: usize,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise.
    let object = unsafe { &*object };
    if object.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the object has so many headers there, which stay as long as it is loaded.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
    for header in headers {
        let zeroed = header.p_memsz.saturating_sub(header.p_filesz) as usize;
        let writable = header.p_flags & libc::PF_W != 0;
        if header.p_type != libc::PT_LOAD || !writable || zeroed < LEAST_STATIC_BYTES {
            continue;
        }
        let begin = (object.dlpi_addr + header.p_vaddr + header.p_filesz) as usize;
        let bytes = (zeroed - left(begin)) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        let begin = std::ptr::without_provenance_mut(begin + left(begin));
        // SAFETY: these are whole pages of the object's memory; the advice changes no contents.
        unsafe { libc::madvise(begin, bytes, libc::MADV_HUGEPAGE) };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_ends_at_a_boundary() {
        assert_eq!(left(0), 0);
        assert_eq!(left(1), HUGE_PAGE_BYTES - 1);
        assert_eq!(left(3 * HUGE_PAGE_BYTES), 0);
    }
}
