//! Where a segment's memory lies: huge pages by advice.
//!
//! NUMA placement needs no call here: a page is placed where it is first touched,
//! each rank's lanes are laid out by target, and the target touches its cursors;
//! [`bind_to_node`] moves the choice from the first toucher to the caller.

use crate::segment::Segment;

/// Asks for transparent huge pages in `bytes` bytes at `offset`. Only advice: where
/// the kernel does not offer them for shared memory, nothing changes.
pub fn advise_huge_pages(segment: &Segment, offset: u64, bytes: u64) {
    if let Ok(address) = segment.bytes_at(offset, bytes) {
        // SAFETY: the range lies in our mapping; MADV_HUGEPAGE changes no contents.
        unsafe { libc::madvise(address.cast(), bytes as usize, libc::MADV_HUGEPAGE) };
    }
}

/// Prefers NUMA node `node` for the pages of `bytes` bytes at `offset`, a multiple of
/// the page size. Gives whether the kernel took it; one-node machines need it not.
pub fn bind_to_node(segment: &Segment, offset: u64, bytes: u64, node: u32) -> bool {
    const MPOL_PREFERRED: i32 = 1;
    let Ok(address) = segment.bytes_at(offset, bytes) else {
        return false;
    };
    if node >= 64 {
        return false;
    }
    let mask: u64 = 1 << node;
    // SAFETY: the range lies in our mapping; the mask is a local of 64 bits, and 65 is
    // what the kernel takes for "the first 64 bits count".
    let result = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            address,
            bytes,
            MPOL_PREFERRED,
            &raw const mask,
            65,
            0,
        )
    };
    result == 0
}
