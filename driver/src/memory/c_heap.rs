//! What the C library keeps of memory that was freed.
//!
//! Before: a program has freed memory. After: its pages are the system's again.

/// How many bytes the C library keeps that are the program's no more.
pub fn free_bytes() -> usize {
    // SAFETY: it takes no argument, and counts under the heap's own locks.
    let counted = unsafe { libc::mallinfo() };
    // Its fields wrap at 4 GiB; the wider ones of later C libraries are not everywhere.
    counted.fordblks as u32 as usize
}

/// Gives back what can be; by how many bytes the process has become smaller, which other threads
/// change too.
pub fn give_back() -> usize {
    let before = resident_bytes();
    // SAFETY: the C library's own, which may be called at any time.
    unsafe { libc::malloc_trim(0) };
    before.saturating_sub(resident_bytes())
}

/// The memory of this process, in bytes; 0 where the system does not tell.
fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|word| word.parse().ok());
    pages.unwrap_or(0_usize) * pamir_shm::segment::PAGE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_counted_until_it_is_given_back() {
        let blocks: Vec<Vec<u8>> = (0..40_000).map(|_| vec![1; 1000]).collect();
        let pinned = vec![1_u8; 1000];
        drop(blocks);
        assert!(free_bytes() > 20_000_000, "{}", free_bytes());
        assert!(give_back() > 20_000_000);
        assert_eq!(
            pinned.iter().map(|byte| usize::from(*byte)).sum::<usize>(),
            1000
        );
    }
}
