//! Lists of places for the kernel: where the next bytes of a machine are.
//!
//! Before: a transfer that the kernel serves. After: the kernel copies between two such lists; or
//! it has said whether there is memory at the places of one ([`are_accessible`]).

use std::ops::Range;

use pamir_driver::memory::kernel_copy::{Access, MOST_PLACES, is_accessible};
use pamir_shm::segment::PAGE_BYTES;

use crate::gather_scatter::{IoVector, Machine};

/// Places for one call of the kernel.
#[derive(Default)]
pub(super) struct Places {
    found: Vec<IoVector>,
    pub(super) kernel: Vec<libc::iovec>,
}

impl Places {
    /// Those of a machine from packed offset `at` on, up to `end`.
    pub(super) fn fill(&mut self, machine: &Machine, at: usize, end: usize) {
        let mut beyond = machine
            .iovecs(at, MOST_PLACES, &mut self.found)
            .saturating_sub(end);
        while beyond != 0
            && let Some(last) = self.found.last_mut()
        {
            let cut = beyond.min(last.bytes);
            last.bytes -= cut;
            beyond -= cut;
            if last.bytes == 0 {
                self.found.pop();
            }
        }
        self.kernel.clear();
        self.kernel
            .extend(self.found.iter().map(|place| libc::iovec {
                iov_base: std::ptr::with_exposed_provenance_mut(place.address),
                iov_len: place.bytes,
            }));
    }
}

/// The grain in which memory is or is not there: pages, which are no shorter anywhere.
const GRAIN_BYTES: u64 = PAGE_BYTES as u64;

/// Whether this process has memory at all places of a machine's packed bytes `at..end` that it may
/// access so. Pages between two places are not looked at: nobody has said that they are memory.
pub(super) fn are_accessible(machine: &Machine, at: usize, end: usize, access: Access) -> bool {
    let look = |pages: &Range<u64>| {
        let bytes = (pages.end - pages.start).checked_mul(GRAIN_BYTES);
        bytes.is_some_and(|bytes| is_accessible(pages.start * GRAIN_BYTES, bytes, access))
    };
    let (mut at, mut places, mut pages) = (at, Places::default(), 0..0);
    while at < end {
        places.fill(machine, at, end);
        for place in &places.found {
            let next = pages_of(place);
            // One look is for all pages in a row.
            if next.start <= pages.end && pages.start <= next.end {
                pages = pages.start.min(next.start)..pages.end.max(next.end);
            } else if !look(&std::mem::replace(&mut pages, next)) {
                return false;
            }
            at += place.bytes;
        }
        if places.found.is_empty() {
            break;
        }
    }
    look(&pages)
}

fn pages_of(place: &IoVector) -> Range<u64> {
    let start = place.address as u64;
    let behind = start.saturating_add(place.bytes as u64);
    start / GRAIN_BYTES..behind.div_ceil(GRAIN_BYTES)
}
