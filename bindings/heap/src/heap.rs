//! Blocks of memory in a segment, by runs of whole pages.
//!
//! Before: `interposition.rs` with sizes in bytes. After: `runs.rs` with pages. The pages of a
//! freed block keep their memory, up to [`KEPT_BYTES`] in all, so that a program that allocates
//! and frees in a loop does not fault each page in again; beyond that they go back to the kernel.
//!
//! Invariants: a page from `untouched` on was never handed out and is zero; a block begins with a
//! page.

use std::ffi::c_int;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;

use memmap2::{MmapOptions, MmapRaw};
use pamir_shm::segment::{PAGE_BYTES, Segment};

use crate::dumped::Dumped;
use crate::runs::{Links, PageRuns};

/// Memory of free pages that is kept.
const KEPT_BYTES: usize = 256 << 20;

/// What lies behind the heap's addresses.
pub enum Backing {
    /// Shared memory, which peers can map.
    Shared(Segment),
    /// Private memory: this process is a child by fork.
    Private,
}

/// The blocks of one process's heap.
pub struct Heap {
    base: NonNull<u8>,
    backing: Backing,
    runs: PageRuns,
    dumped: Dumped,
    /// Pages below this one may hold something.
    untouched: u32,
    /// Pages that are free and may have memory, about.
    kept: usize,
}

// SAFETY: the pointer is to a mapping that the heap owns for the life of the process.
unsafe impl Send for Heap {}

impl Heap {
    /// A heap of `bytes` bytes, none of which take memory until they are used; nothing if the
    /// kernel refuses.
    pub fn new(bytes: usize) -> Option<Self> {
        let pages = bytes / PAGE_BYTES;
        if pages == 0 || pages >= 1 << 31 {
            return None;
        }
        let segment = Segment::create((pages * PAGE_BYTES) as u64).ok()?;
        let base = NonNull::new(segment.base())?;
        // SAFETY: the mapping has `bytes` bytes; advice changes no contents and may be refused.
        unsafe { libc::madvise(base.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
        Some(Self {
            base,
            backing: Backing::Shared(segment),
            dumped: Dumped::new(base, pages),
            runs: PageRuns::new(tables(pages)?, tables::<Links>(pages)?),
            untouched: 0,
            kept: 0,
        })
    }

    /// The first byte.
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.runs.pages() as usize * PAGE_BYTES
    }

    /// What lies behind it.
    pub fn backing(&self) -> &Backing {
        &self.backing
    }

    /// A block of at least `bytes` bytes at a multiple of `alignment` (a power of two).
    pub fn allocate(&mut self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        let pages = pages(bytes)?;
        let alignment = pages_of_alignment(alignment)?;
        // The heap's first page has a number too.
        let phase = (self.base.addr().get() / PAGE_BYTES % alignment as usize) as u32;
        let first = self.runs.allocate(pages, alignment, phase)?;
        self.took(first, pages);
        Some(self.address(first))
    }

    /// As [`Self::allocate`], all zero.
    pub fn allocate_zeroed(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        let pages = pages(bytes)?;
        let untouched = self.untouched;
        let first = self.runs.allocate(pages, 1, 0)?;
        self.took(first, pages);
        let stale = untouched.saturating_sub(first).min(pages) as usize * PAGE_BYTES;
        let block = self.address(first);
        // SAFETY: the block's pages were just handed out, to nobody else.
        unsafe { block.write_bytes(0, stale.min(bytes)) };
        Some(block)
    }

    /// Gives a block back.
    pub fn release(&mut self, block: NonNull<u8>) {
        let first = self.page(block);
        let length = self.runs.length(first) as usize;
        if (self.kept + length) * PAGE_BYTES > KEPT_BYTES {
            self.give_memory_back(block, length * PAGE_BYTES);
            self.dumped.leave_out(first, length as u32);
        } else {
            self.kept += length;
        }
        self.runs.release(first);
    }

    /// Makes a block `bytes` bytes long where it stands, if there is room.
    pub fn resize(&mut self, block: NonNull<u8>, bytes: usize) -> bool {
        let (first, Some(pages)) = (self.page(block), pages(bytes)) else {
            return false;
        };
        let resized = self.runs.resize(first, pages);
        if resized {
            self.took(first, pages);
        }
        resized
    }

    /// Usable bytes of a block.
    pub fn length(&self, block: NonNull<u8>) -> usize {
        self.runs.length(self.page(block)) as usize * PAGE_BYTES
    }

    /// Puts a copy of all blocks, private to this process, under the same addresses; how many bytes were
    /// copied. Pages that nobody has written to are not.
    ///
    /// # Errors
    ///
    /// The kernel has no memory for it; nothing has changed then.
    pub fn make_private(&mut self) -> Result<usize, std::io::Error> {
        let mut copied = 0;
        let copy = MmapOptions::new()
            .len(self.bytes())
            .no_reserve_swap()
            .map_anon()?;
        let copy = MmapRaw::from(copy);
        self.runs.each_used(|first, length| {
            let (start, bytes) = (first as usize * PAGE_BYTES, length as usize * PAGE_BYTES);
            self.each_written(start..start + bytes, |part| {
                // SAFETY: both mappings have the run's bytes, and they do not overlap; nobody writes
                // meanwhile, as the parent waits and this thread is the child's only one.
                unsafe {
                    let from = self.base.as_ptr().add(part.start);
                    from.copy_to_nonoverlapping(copy.as_mut_ptr().add(part.start), part.len());
                }
                copied += part.len();
            });
        });
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: the copy's mapping moves over the heap's, which has its length; whoever points
        // into the heap finds the same bytes there.
        let moved = unsafe {
            let (from, to) = (copy.as_mut_ptr(), self.base.as_ptr());
            libc::mremap(from.cast(), copy.len(), copy.len(), flags, to)
        };
        if moved == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        // The mappings that these would take away are gone, or somebody else's now.
        std::mem::forget(copy);
        std::mem::forget(std::mem::replace(&mut self.backing, Backing::Private));
        Ok(copied)
    }

    /// Calls `visit` with the parts of `range`, in bytes, that have memory; with all of it where the
    /// kernel does not say.
    fn each_written(&self, range: Range<usize>, mut visit: impl FnMut(Range<usize>)) {
        let mut at = range.start;
        while at < range.end {
            let start = match self.seek(at, libc::SEEK_DATA) {
                Some(start) => start,
                None if errno() == libc::ENXIO => return,
                None => at,
            };
            if start >= range.end {
                return;
            }
            let hole = self.seek(start, libc::SEEK_HOLE).unwrap_or(range.end);
            at = hole.clamp(start + 1, range.end);
            visit(start..at);
        }
    }

    /// The first byte from `at` on that has memory, or has none.
    fn seek(&self, at: usize, what: c_int) -> Option<usize> {
        let Backing::Shared(segment) = &self.backing else {
            return None;
        };
        let descriptor = segment.descriptor().as_raw_fd();
        // SAFETY: it changes nothing but the descriptor's place, which nobody else uses.
        let found = unsafe { libc::lseek(descriptor, at as libc::off_t, what) };
        usize::try_from(found).ok()
    }

    fn took(&mut self, first: u32, pages: u32) {
        let below = self.untouched.saturating_sub(first).min(pages);
        self.kept = self.kept.saturating_sub(below as usize);
        self.untouched = self.untouched.max(first + pages);
        self.dumped.take_in(first, pages);
    }

    fn give_memory_back(&self, block: NonNull<u8>, bytes: usize) {
        let advice = match self.backing {
            Backing::Shared(_) => libc::MADV_REMOVE,
            Backing::Private => libc::MADV_DONTNEED,
        };
        // SAFETY: the pages are the block's, which its owner has given up.
        unsafe { libc::madvise(block.as_ptr().cast(), bytes, advice) };
    }

    fn address(&self, page: u32) -> NonNull<u8> {
        // SAFETY: the page is one of the mapping's.
        unsafe { self.base.add(page as usize * PAGE_BYTES) }
    }

    fn page(&self, block: NonNull<u8>) -> u32 {
        ((block.addr().get() - self.base.addr().get()) / PAGE_BYTES) as u32
    }
}

fn errno() -> c_int {
    let error = std::io::Error::last_os_error();
    error.raw_os_error().unwrap_or(0)
}

fn pages(bytes: usize) -> Option<u32> {
    u32::try_from(bytes.max(1).div_ceil(PAGE_BYTES)).ok()
}

fn pages_of_alignment(bytes: usize) -> Option<u32> {
    u32::try_from(bytes.div_ceil(PAGE_BYTES).max(1)).ok()
}

/// Room for a `T` a page, all zero, which takes memory where it is used.
fn tables<T: Copy + Default>(pages: usize) -> Option<&'static mut [T]> {
    let mapping = MmapOptions::new()
        .len(pages * size_of::<T>())
        .no_reserve_swap()
        .map_anon()
        .ok()?;
    let mapping = MmapRaw::from(mapping);
    let first = mapping.as_mut_ptr().cast::<T>();
    std::mem::forget(mapping);
    // SAFETY: the mapping is never taken away, nobody else knows it, a page's alignment is enough
    // for `T`, and zeros are a `T`: both users' are made of integers.
    Some(unsafe { std::slice::from_raw_parts_mut(first, pages) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap() -> Heap {
        Heap::new(64 << 20).unwrap()
    }

    fn fill(block: NonNull<u8>, bytes: usize, value: u8) {
        // SAFETY: the tests' blocks have this many bytes.
        unsafe { block.write_bytes(value, bytes) };
    }

    fn is(block: NonNull<u8>, bytes: usize, value: u8) -> bool {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(block.as_ptr(), bytes) }
            .iter()
            .all(|&byte| byte == value)
    }

    #[test]
    fn zeroed_blocks_are_zero_though_their_pages_were_used() {
        let mut heap = heap();
        let block = heap.allocate(100_000, 16).unwrap();
        fill(block, 100_000, 7);
        heap.release(block);
        let again = heap.allocate_zeroed(300_000).unwrap();
        assert_eq!(again, block);
        assert!(is(again, 300_000, 0));
    }

    #[test]
    fn blocks_grow_where_they_stand_while_there_is_room() {
        let mut heap = heap();
        let (one, two) = (
            heap.allocate(9000, 16).unwrap(),
            heap.allocate(9000, 16).unwrap(),
        );
        assert_eq!(heap.length(one), 12_288);
        assert!(!heap.resize(one, 20_000));
        heap.release(two);
        assert!(heap.resize(one, 20_000));
        assert!(heap.length(one) >= 20_000);
    }

    #[test]
    fn alignment_is_kept_and_what_is_too_long_refused() {
        let mut heap = heap();
        let block = heap.allocate(70_000, 1 << 20).unwrap();
        assert_eq!(block.addr().get() % (1 << 20), 0);
        assert!(block >= heap.base());
        assert!(heap.allocate(65 << 20, 16).is_none());
        assert!(heap.allocate(usize::MAX, 16).is_none());
    }

    #[test]
    fn a_private_copy_holds_the_same_bytes_and_is_its_own() {
        let mut heap = heap();
        let (one, two) = (
            heap.allocate(50_000, 16).unwrap(),
            heap.allocate(50_000, 16).unwrap(),
        );
        fill(one, 50_000, 1);
        fill(two, 50_000, 2);
        let Backing::Shared(segment) = heap.backing() else {
            panic!("it is shared");
        };
        let peer = Segment::attach(segment.descriptor().try_clone_to_owned().unwrap()).unwrap();
        assert_eq!(heap.make_private().unwrap(), 2 * 53_248);
        assert!(is(one, 50_000, 1) && is(two, 50_000, 2));
        fill(one, 50_000, 3);
        // SAFETY: the segment is mapped whole.
        assert_eq!(unsafe { peer.base().read() }, 1);
        heap.release(two);
        let more = heap.allocate_zeroed(200_000).unwrap();
        assert!(is(more, 200_000, 0));
    }

    #[test]
    fn memory_beyond_what_is_kept_goes_back() {
        let mut heap = Heap::new(KEPT_BYTES * 2 + (8 << 20)).unwrap();
        let block = heap.allocate(KEPT_BYTES + PAGE_BYTES, 16).unwrap();
        fill(block, PAGE_BYTES, 9);
        heap.release(block);
        let again = heap.allocate(PAGE_BYTES, 16).unwrap();
        assert!(is(again, PAGE_BYTES, 0));
    }
}
