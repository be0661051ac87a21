//! Lists of places for the kernel: where the next bytes of a machine are.
//!
//! Before: a transfer that the kernel serves. After: the kernel copies between two such lists.

use pamir_driver::kernel_copy::MOST_PLACES;

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
