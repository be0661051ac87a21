//! Address space that becomes memory where it is touched, and stops being memory on request.
//!
//! Before: an array whose items move between ranks is made. After: each rank has the address of
//! every item, and the memory of those that are its own.
//!
//! | a page is | becomes | by |
//! |---|---|---|
//! | reserved  | memory, of zeros | a write to it; [`ReservedMemory::touch`] |
//! | memory    | reserved | [`ReservedMemory::release`], for whole pages |
//!
//! Invariant: the addresses stay the same as long as the value lives.

use std::ops::Range;

use pamir_shm::segment::PAGE_BYTES;

/// Reserved address space of this process alone.
#[derive(Debug)]
pub struct ReservedMemory {
    base: *mut libc::c_void,
    bytes: usize,
}

impl ReservedMemory {
    /// Reserves `bytes` bytes, at least one page.
    ///
    /// # Errors
    ///
    /// What the system says, where it has no room for them.
    pub fn new(bytes: usize) -> std::io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE_BYTES);
        // SAFETY: a new private mapping of no file, at an address that the kernel chooses.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        Ok(Self { base, bytes })
    }

    /// Its first byte.
    pub fn base(&self) -> *mut u8 {
        self.base.cast()
    }

    /// Makes memory of the pages that hold bytes `range`, which keep what is in them; how many
    /// bytes were asked for.
    pub fn touch(&self, range: Range<usize>) -> usize {
        let start = range.start.min(self.bytes) / PAGE_BYTES * PAGE_BYTES;
        let end = range.end.min(self.bytes).next_multiple_of(PAGE_BYTES);
        if start >= end {
            return 0;
        }
        self.advise(start..end, libc::MADV_POPULATE_WRITE)
    }

    /// Gives back the pages that lie in bytes `range` as a whole; how many bytes of them were
    /// memory.
    pub fn release(&self, range: Range<usize>) -> usize {
        let start = range.start.min(self.bytes).next_multiple_of(PAGE_BYTES);
        let end = range.end.min(self.bytes) / PAGE_BYTES * PAGE_BYTES;
        if start >= end {
            return 0;
        }
        let bytes = self.resident_bytes(start..end);
        self.advise(start..end, libc::MADV_DONTNEED).min(bytes)
    }

    /// How many bytes of whole pages the kernel has done as advised with: all or none.
    fn advise(&self, pages: Range<usize>, advice: libc::c_int) -> usize {
        // SAFETY: the pages lie in the mapping. Neither advice changes what the program may
        // still look at: one only makes pages present, and `release` is the other's contract.
        let done = unsafe { libc::madvise(self.base.byte_add(pages.start), pages.len(), advice) };
        // An older kernel does not know the first: then pages come one by one, as always.
        if done == 0 { pages.len() } else { 0 }
    }

    /// How many bytes of some whole pages are memory now; 0 where the kernel does not tell.
    fn resident_bytes(&self, range: Range<usize>) -> usize {
        let mut pages = vec![0_u8; range.len() / PAGE_BYTES];
        // SAFETY: the pages lie in the mapping, and the vector has a byte for each.
        let told = unsafe {
            let start = self.base.byte_add(range.start);
            libc::mincore(start, range.len(), pages.as_mut_ptr())
        };
        if told != 0 {
            return 0;
        }
        pages.iter().filter(|page| **page & 1 == 1).count() * PAGE_BYTES
    }
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made, which nobody uses once its owner is dropped.
        unsafe { libc::munmap(self.base, self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_with_touching_and_goes_with_releasing() {
        // More than the machine has: only what is touched counts.
        let memory = ReservedMemory::new(1 << 40).unwrap();
        assert_eq!(memory.touch(5000..9000), 8192);
        // SAFETY: the bytes lie in the mapping.
        unsafe { memory.base().add(8191).write(7) };
        assert_eq!(memory.touch(0..9000), 12_288);
        assert_eq!(memory.release(4097..8192), 0, "no whole page");
        // SAFETY: as above.
        assert_eq!(unsafe { memory.base().add(8191).read() }, 7);
        assert_eq!(memory.release(4096..8192), 4096);
        // SAFETY: as above.
        assert_eq!(unsafe { memory.base().add(8191).read() }, 0);
        assert_eq!(memory.touch(1 << 50..1 << 51), 0);
    }

    #[test]
    fn what_is_released_is_no_memory_any_more() {
        let memory = ReservedMemory::new(1 << 20).unwrap();
        memory.touch(0..1 << 19);
        // More where the kernel gives a huge page at once.
        assert!(memory.resident_bytes(0..1 << 20) >= 1 << 19);
        assert!(memory.release(0..1 << 20) >= 1 << 19);
        assert_eq!(memory.resident_bytes(0..1 << 20), 0);
    }
}
