//! Several short messages whose data one call to the kernel copies.
//!
//! Before: [`super`] has several pulls from one origin, none of which the origin copies too. After: all are
//! complete; or nothing was done, and each is copied by itself.
//!
//! A call costs as much as copying 16 KiB does, whatever it copies. Four messages share one
//! (`docs/decisions/005-protocols.md`): with more, the first of them would wait too long for its end.
//!
//! Invariant: pulls stay in their queue until their data is copied.

use std::iter::zip;

use pamir_driver::memory::kernel_copy::{self, NOWHERE};
use pamir_driver::unit::UnitError;

use super::under_way::{Data, Pull};
use crate::context::Context;

/// Messages that share a call.
const MOST_PULLS: usize = 4;

/// The longest of them, in bytes: of longer ones a call is a small part.
const LONGEST_BYTES: usize = 64 * 1024;

/// Where the data of some pulls lies at both ends.
#[derive(Debug)]
struct Places {
    local: [libc::iovec; MOST_PULLS],
    remote: [libc::iovec; MOST_PULLS],
    pulls: usize,
    bytes: usize,
}

impl Places {
    /// Those of the oldest pulls that can share a call.
    fn of<'p>(pulls: impl Iterator<Item = &'p Pull>) -> Self {
        let mut places = Self {
            local: [NOWHERE; MOST_PULLS],
            remote: [NOWHERE; MOST_PULLS],
            pulls: 0,
            bytes: 0,
        };
        let rooms = zip(&mut places.local, &mut places.remote);
        for (pull, (local, remote)) in pulls.zip(rooms) {
            (*local, *remote) = pull.data.places();
            places.pulls += 1;
            places.bytes += pull.data.bytes;
        }
        places
    }
}

impl Data {
    fn places(&self) -> (libc::iovec, libc::iovec) {
        let place = |iov_base| libc::iovec {
            iov_base,
            iov_len: self.bytes,
        };
        (place(self.local.cast()), place(self.remote as *mut _))
    }
}

impl Pull {
    /// Whether its whole data is still to be copied, here and in one piece.
    fn is_short(&self) -> bool {
        let bytes = self.data.bytes;
        self.alone && self.front == 0 && bytes != 0 && bytes <= LONGEST_BYTES
    }
}

impl Context {
    /// Copies the data of the oldest pulls, if they are several from the same origin that can share a call; whether
    /// it did.
    pub(super) fn pull_several(&self) -> Result<bool, UnitError> {
        let Some((origin, places)) = self.short_pulls() else {
            return Ok(false);
        };
        let range = ..places.pulls;
        // SAFETY: each local place lies in the buffer of a receive, from its beginning on and no longer than it, which
        // whoever posted it vouched for until it is complete; the kernel checks the origin's addresses.
        let copied = unsafe {
            kernel_copy::read_places(
                self.process(origin),
                &places.local[range],
                &places.remote[range],
            )
        };
        // What went wrong, and with which of them, is seen when each is copied by itself.
        if copied != Ok(places.bytes) || self.has_withdrawn(origin)? {
            return Ok(false);
        }
        self.end_oldest_pulls(places.pulls)?;
        Ok(true)
    }

    /// The origin of the oldest pull, and the places of it and of those behind it that can share its call.
    fn short_pulls(&self) -> Option<(u32, Places)> {
        let pulls = self.tagged.transfers.pulls.borrow();
        let origin = pulls.front()?.origin;
        let shares = |pull: &&Pull| pull.origin == origin && pull.is_short();
        let places = Places::of(pulls.iter().take_while(shares));
        if places.pulls < 2 || origin as usize == self.task() {
            return None;
        }
        let oldest = pulls.front()?.data;
        let is_mapped = kernel_copy::is_mapped(self.process(origin), oldest.remote, oldest.bytes);
        (!is_mapped).then_some((origin, places))
    }

    fn end_oldest_pulls(&self, count: usize) -> Result<(), UnitError> {
        for _ in 0..count {
            let oldest = self.tagged.transfers.pulls.borrow_mut().pop_front();
            if let Some(mut pull) = oldest {
                pull.front = pull.data.units();
                self.end_pull(pull)?;
            }
        }
        Ok(())
    }
}
