//! Which parts of the heap go into a core: those that something was handed out of.
//!
//! Before: `heap.rs` hands out a run of pages, or gives the memory of one back. After: the kernel
//! dumps the chunks around what was handed out, and nothing else.
//!
//! The heap is as long as the machine's memory, and its pages are shared ones: a dump of them all
//! would make memory of each. A segment is left out of cores as a whole (`pamir_shm::segment`), so
//! chunks are taken in as they come into use. There are few of them, since neighbours that differ are
//! mappings of their own to the kernel, which allows a process some 65,000.
//!
//! Invariants: a chunk of which a page is in use is dumped, unless the kernel refuses; a chunk begins
//! at an address that is a multiple of its length.

use std::ops::Range;
use std::ptr::NonNull;

use pamir_shm::segment::HUGE_PAGE_BYTES;
use pamir_shm::segment::PAGE_BYTES;

/// The most chunks.
const CHUNKS: usize = 4096;

/// The shortest chunk, in pages: no boundary between two of them lies inside of a huge page.
const LEAST_PAGES: usize = HUGE_PAGE_BYTES / PAGE_BYTES;

/// The chunks of a heap.
pub struct Dumped {
    base: NonNull<u8>,
    pages: usize,
    chunk_pages: usize,
    /// A bit for each chunk: whether it is dumped. One more than there are, as the first may begin
    /// before the heap.
    chunks: [u64; CHUNKS / 64 + 1],
}

impl Dumped {
    /// Those of the heap of `pages` pages at `base`, none of which are dumped.
    pub fn new(base: NonNull<u8>, pages: usize) -> Self {
        Self {
            base,
            pages,
            chunk_pages: pages.div_ceil(CHUNKS).next_power_of_two().max(LEAST_PAGES),
            chunks: [0; CHUNKS / 64 + 1],
        }
    }

    /// `pages` pages from `first` on are in use.
    #[inline]
    pub fn take_in(&mut self, first: u32, pages: u32) {
        let (first, end) = (first as usize, first as usize + pages as usize);
        for chunk in self.chunk_of(first)..=self.chunk_of(end - 1) {
            if !self.is_dumped(chunk) {
                self.set(chunk, libc::MADV_DODUMP);
            }
        }
    }

    /// `pages` pages from `first` on have no memory any more: of the chunks that lie in them as a whole,
    /// nothing is dumped.
    pub fn leave_out(&mut self, first: u32, pages: u32) {
        let (first, end) = (first as usize, first as usize + pages as usize);
        for chunk in self.chunk_of(first)..=self.chunk_of(end - 1) {
            let own = self.pages_of(chunk);
            if own.start >= first && own.end <= end && self.is_dumped(chunk) {
                self.set(chunk, libc::MADV_DONTDUMP);
            }
        }
    }

    /// How many pages before the heap its first chunk begins.
    fn phase(&self) -> usize {
        self.base.addr().get() / PAGE_BYTES % self.chunk_pages
    }

    fn chunk_of(&self, page: usize) -> usize {
        (page + self.phase()) / self.chunk_pages
    }

    /// The heap's pages in a chunk.
    fn pages_of(&self, chunk: usize) -> Range<usize> {
        let start = (chunk * self.chunk_pages).saturating_sub(self.phase());
        let end = (chunk + 1) * self.chunk_pages - self.phase();
        start..end.min(self.pages)
    }

    fn is_dumped(&self, chunk: usize) -> bool {
        self.chunks[chunk / 64] >> (chunk % 64) & 1 != 0
    }

    #[cold]
    fn set(&mut self, chunk: usize, advice: libc::c_int) {
        let own = self.pages_of(chunk);
        // SAFETY: the pages are the heap's; the advice is about cores only, and may be refused.
        unsafe {
            let start = self.base.as_ptr().wrapping_add(own.start * PAGE_BYTES);
            libc::madvise(start.cast(), own.len() * PAGE_BYTES, advice);
        }
        self.chunks[chunk / 64] ^= 1 << (chunk % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the chunks are dumped.
    fn count(dumped: &Dumped) -> u32 {
        dumped.chunks.iter().map(|word| word.count_ones()).sum()
    }

    /// A heap at an address that no mapping has, so that the kernel refuses each advice.
    fn dumped(pages: usize) -> Dumped {
        let base = NonNull::without_provenance((3 * PAGE_BYTES).try_into().unwrap());
        Dumped::new(base, pages)
    }

    #[test]
    fn chunks_cover_all_pages_without_a_gap() {
        for pages in [
            1,
            1000,
            LEAST_PAGES * CHUNKS,
            LEAST_PAGES * CHUNKS + 7,
            1 << 27,
        ] {
            let dumped = dumped(pages);
            let last = dumped.chunk_of(pages - 1);
            assert!(last <= CHUNKS);
            assert_eq!(dumped.pages_of(0).start, 0);
            assert_eq!(dumped.pages_of(last).end, pages);
            for chunk in 0..last {
                let own = dumped.pages_of(chunk);
                assert_eq!(own.end, dumped.pages_of(chunk + 1).start);
                assert_eq!(dumped.chunk_of(own.start), chunk);
                assert_eq!(dumped.chunk_of(own.end - 1), chunk);
            }
        }
    }

    #[test]
    fn what_is_in_use_is_dumped_and_what_was_given_back_is_not() {
        let mut dumped = dumped(20 * LEAST_PAGES);
        dumped.take_in(5, 1);
        dumped.take_in(6, 100);
        assert_eq!(count(&dumped), 1);
        // It begins and ends within chunks.
        dumped.take_in(1000, 4 * LEAST_PAGES as u32);
        assert_eq!(count(&dumped), 6);
        dumped.leave_out(1000, 4 * LEAST_PAGES as u32);
        assert_eq!(count(&dumped), 3);
        dumped.take_in(1000, 4 * LEAST_PAGES as u32);
        assert_eq!(count(&dumped), 6);
    }
}
