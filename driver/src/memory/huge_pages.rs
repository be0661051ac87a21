//! Huge pages for the buffers of large messages.
//!
//! Before: a buffer's address goes to a peer that may copy from it through the kernel, or the kernel copies to or from
//! it here. After: a part of it that has been copied often is in a huge page.
//!
//! Why: to copy from another process, the kernel looks up each page, and copies page by page. Of huge pages there
//! are 512 times fewer (`docs/decisions/006-heap-and-huge-pages.md`). To have them for all that a program allocates
//! would cost some programs more than it brings others: fresh memory is cleared 2 MiB at a time, the kernel moves other memory
//! away to make room, and what is freed stays. So only memory is made huge that has shown that it pays:
//!
//! | a part of 2 MiB | becomes | when |
//! |---|---|---|
//! | unknown | counted | the first bytes of it are copied |
//! | counted | huge | `PAYS_BYTES` were copied, and `LEAST_PAGES` of its pages are there |
//! | counted | counted again | the same, and fewer are, or a peer copies from it just then |
//! | counted, huge | counted, as far again `SELDOM` times | it is huge, or the kernel refuses |
//! | any | unknown | another part takes its place in the table |
//!
//! Huge and refused parts are looked at again, though seldom: memory is given back and mapped again.
//!
//! By then, small pages have cost half as much as it costs to make them one: a program pays at most three times what
//! was needed. Pages that were not there are made with the rest: allocators leave some out between two buffers, and a
//! program may use the first part of a buffer only. Memory that a program has mapped and hardly uses stays as it is.
//!
//! Invariants: nothing but in what pages memory lies is changed; counts are hints, which threads may lose.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use pamir_shm::segment::HUGE_PAGE_BYTES;
use pamir_shm::segment::PAGE_BYTES;

/// Shorter copies are not counted.
const LEAST_BYTES: usize = 64 * 1024;

/// After so many bytes were copied from or to a part, a huge page would have paid.
const PAYS_BYTES: u64 = 4 * HUGE_PAGE_BYTES as u64;

/// Parts that are counted at a time.
const PARTS: usize = 1024;

/// So many pages of a part must be there: the others are new memory.
const LEAST_PAGES: usize = HUGE_PAGE_BYTES / PAGE_BYTES / 16;

/// Longer buffers have no room in the table.
const MOST_BYTES: usize = PARTS / 4 * HUGE_PAGE_BYTES;

/// In a word of the table, below the part's number: pages that are copied before the part is looked at.
const LEFT_BITS: u32 = 24;
const LEFT: u64 = (1 << LEFT_BITS) - 1;

/// Copied pages after which a part is looked at.
const PAYS_PAGES: u64 = PAYS_BYTES / PAGE_BYTES as u64;

/// How many times as many are copied before a part is looked at again that is huge, or can't be.
const SELDOM: u64 = 16;

/// For each class of parts: the number of the one that was copied last, and what is left.
static TABLE: [AtomicU64; PARTS] = [const { AtomicU64::new(0) }; PARTS];

/// `bytes` bytes at `address`, which are this process's, are copied through the kernel now or soon.
#[inline]
pub fn copied(address: usize, bytes: usize) {
    if (LEAST_BYTES..=MOST_BYTES).contains(&bytes) && is_wanted() {
        count(address, bytes);
    }
}

/// Whether huge pages are wanted, and the system would give them.
pub(crate) fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let path = "/sys/kernel/mm/transparent_hugepage/enabled";
        let setting = std::fs::read_to_string(path).unwrap_or_default();
        pamir_settings::HUGE_PAGES.value() && !setting.is_empty() && !setting.contains("[never]")
    });
    *wanted
}

fn count(address: usize, bytes: usize) {
    let end = address.saturating_add(bytes);
    for part in address / HUGE_PAGE_BYTES..end.div_ceil(HUGE_PAGE_BYTES) {
        let own = part * HUGE_PAGE_BYTES..(part + 1) * HUGE_PAGE_BYTES;
        let copied = end.min(own.end) - address.max(own.start);
        let word = &TABLE[part % PARTS];
        if pays(word, part as u64, copied.div_ceil(PAGE_BYTES) as u64) {
            let left = match make_huge(own) {
                Outcome::Settled => SELDOM * PAYS_PAGES,
                Outcome::Later => PAYS_PAGES,
            };
            word.store((part as u64) << LEFT_BITS | left, Ordering::Relaxed);
        }
    }
}

/// Counts `pages` more pages of a part; whether that is enough to look at it.
fn pays(word: &AtomicU64, part: u64, pages: u64) -> bool {
    let seen = word.load(Ordering::Relaxed);
    let left = if seen >> LEFT_BITS == part {
        seen & LEFT
    } else {
        PAYS_PAGES
    };
    let left = left.saturating_sub(pages);
    word.store(part << LEFT_BITS | left, Ordering::Relaxed);
    left == 0
}

/// What came of a part.
enum Outcome {
    /// It is huge, or cannot be.
    Settled,
    /// Somebody copies from it at this moment, or too little of it is used yet.
    Later,
}

#[cold]
fn make_huge(part: Range<usize>) -> Outcome {
    if !is_used(&part) {
        return Outcome::Later;
    }
    let start = std::ptr::without_provenance_mut(part.start);
    // SAFETY: the kernel looks at what is mapped there, and changes in what pages it lies, but no contents.
    let outcome = unsafe { libc::madvise(start, part.len(), libc::MADV_COLLAPSE) };
    let error = std::io::Error::last_os_error().raw_os_error();
    // Linux has it since 6.1; before, and for memory of files, it is EINVAL.
    match error {
        Some(libc::EAGAIN | libc::EBUSY) if outcome != 0 => Outcome::Later,
        _ => Outcome::Settled,
    }
}

/// Whether enough pages of a part have memory.
fn is_used(part: &Range<usize>) -> bool {
    let mut pages = [0_u8; HUGE_PAGE_BYTES / PAGE_BYTES];
    let start = std::ptr::without_provenance_mut(part.start);
    // SAFETY: the array has a byte for each page of the part; the kernel only answers.
    let known = unsafe { libc::mincore(start, part.len(), pages.as_mut_ptr()) } == 0;
    known && pages.iter().filter(|page| **page & 1 != 0).count() >= LEAST_PAGES
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 256;

    #[test]
    fn a_part_pays_after_many_copies() {
        let word = AtomicU64::new(0);
        assert!((0..7).all(|_| !pays(&word, 77, MIB)));
        assert!(pays(&word, 77, MIB));
    }

    #[test]
    fn another_part_begins_anew() {
        let word = AtomicU64::new(0);
        assert!((0..7).all(|_| !pays(&word, 77, MIB)));
        assert!((0..7).all(|_| !pays(&word, 77 + PARTS as u64, MIB)));
        assert!((0..7).all(|_| !pays(&word, 77, MIB)));
    }

    /// Room for so many huge pages at a multiple of their length.
    fn room(parts: usize) -> (crate::memory::reserved_memory::ReservedMemory, usize) {
        let bytes = (parts + 1) * HUGE_PAGE_BYTES;
        let memory = crate::memory::reserved_memory::ReservedMemory::new(bytes).unwrap();
        let start = memory.base().addr().next_multiple_of(HUGE_PAGE_BYTES);
        (memory, start)
    }

    /// The pages of a part that have memory.
    fn pages(part: &Range<usize>) -> usize {
        let mut pages = [0_u8; HUGE_PAGE_BYTES / PAGE_BYTES];
        let start = std::ptr::without_provenance_mut(part.start);
        // SAFETY: as in `is_used`.
        let outcome = unsafe { libc::mincore(start, part.len(), pages.as_mut_ptr()) };
        assert_eq!(outcome, 0);
        pages.iter().filter(|page| **page & 1 != 0).count()
    }

    #[test]
    fn memory_that_is_hardly_used_stays_small() {
        let (memory, start) = room(2);
        let at = start - memory.base().addr();
        let part = start..start + HUGE_PAGE_BYTES;
        let few = (LEAST_PAGES - 1) * PAGE_BYTES;
        memory.touch(at..at + few);
        for _ in 0..100 {
            count(start, few);
        }
        assert_eq!(pages(&part), LEAST_PAGES - 1);
        memory.touch(at..at + few + PAGE_BYTES);
        assert!(is_used(&part), "and is looked at again");
    }

    #[test]
    fn what_is_mapped_nowhere_is_not_used() {
        let (memory, start) = room(1);
        drop(memory);
        assert!(!is_used(&(start..start + HUGE_PAGE_BYTES)));
    }
}
