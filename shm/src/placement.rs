//! Where a segment's memory lies: huge pages by advice.
//!
//! On which NUMA node the pages lie is the driver's matter (`pamir_driver::binding`), which
//! knows the machine.

use crate::segment::Segment;

/// Bytes of a huge page. Where they are longer, less of them is had.
pub const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Asks for transparent huge pages in `bytes` bytes at `offset`. Only advice: where
/// the kernel does not offer them for shared memory, nothing changes.
pub fn advise_huge_pages(segment: &Segment, offset: u64, bytes: u64) {
    if let Ok(address) = segment.bytes_at(offset, bytes) {
        // SAFETY: the range lies in our mapping; MADV_HUGEPAGE changes no contents.
        unsafe { libc::madvise(address.cast(), bytes as usize, libc::MADV_HUGEPAGE) };
    }
}
