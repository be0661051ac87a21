//! The integers of handles that are too wide for one: requests.
//!
//! Objects have handles below 2^31, which are their own integers. A message's request has its place in the
//! transport's table in the lower half of its handle, and how often the place was used in the upper one:
//!
//! ```text
//! handle  1 | generation | index          integer  -1 - index        table[index] = handle
//! handle  a settled request, number n     integer  MIN + n           no table
//! ```
//!
//! Before: a handle on its way to Fortran. After: the integer on its way back.
//! Invariants: neither way takes a lock once a block is there. An integer means the request that was last given it, so that
//! of a request that has ended is refused by its generation, or is that of the next one at its place.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::requests::{MESSAGE, SETTLED};

/// The places of the first block; each further block doubles what there is.
const FIRST: usize = 64;
const BLOCKS: usize = 26;
/// Integers below it are settled requests.
const SETTLED_END: c_int = c_int::MIN + 16;

/// Handles by index, in blocks that never move.
struct Places([OnceLock<Box<[AtomicUsize]>>; BLOCKS]);

static PLACES: Places = Places([const { OnceLock::new() }; BLOCKS]);

impl Places {
    /// Block and place in it: block n has the indices from `FIRST * (2^n - 1)` on.
    fn locate(index: usize) -> (usize, usize) {
        let block = (index / FIRST + 1).ilog2() as usize;
        (block, index - FIRST * ((1 << block) - 1))
    }

    fn place(&self, index: usize) -> Option<&AtomicUsize> {
        let (block, place) = Self::locate(index);
        self.0.get(block)?.get()?.get(place)
    }

    /// The place of an index, whose block is made if nobody has been there.
    fn made_place(&self, index: usize) -> &AtomicUsize {
        let (block, place) = Self::locate(index);
        let make = || (0..FIRST << block).map(|_| AtomicUsize::new(0)).collect();
        &self.0[block].get_or_init(make)[place]
    }
}

/// The integer of a handle.
#[inline]
pub fn to_int(handle: usize) -> c_int {
    match c_int::try_from(handle) {
        Ok(integer) => integer,
        Err(_) => wide_to_int(handle),
    }
}

fn wide_to_int(handle: usize) -> c_int {
    if handle & MESSAGE == 0 {
        return c_int::MIN + (handle & !SETTLED) as c_int;
    }
    // More than 2^26 requests under way would not fit into memory.
    let index = handle as u32 as usize;
    // Whoever is given the integer by another thread is given the place's content with it.
    PLACES.made_place(index).store(handle, Ordering::Relaxed);
    -1 - index as c_int
}

/// The handle of an integer, or `null` if no handle was given that integer.
#[inline]
pub fn from_int(integer: c_int, null: usize) -> usize {
    match usize::try_from(integer) {
        Ok(handle) => handle,
        Err(_) => wide_from_int(integer).unwrap_or(null),
    }
}

fn wide_from_int(integer: c_int) -> Option<usize> {
    if integer < SETTLED_END {
        return Some(SETTLED | (integer - c_int::MIN) as usize);
    }
    let index = -1 - i64::from(integer);
    let handle = PLACES.place(index as usize)?.load(Ordering::Relaxed);
    (handle != 0).then_some(handle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::requests::{COMPLETED_SEND, RECEIVED_NOTHING};

    #[test]
    fn indices_fill_the_blocks_without_gaps() {
        let mut next = (0, 0);
        for index in 0..100_000 {
            assert_eq!(Places::locate(index), next, "index {index}");
            next.1 += 1;
            if next.1 == FIRST << next.0 {
                next = (next.0 + 1, 0);
            }
        }
    }

    #[test]
    fn a_place_gives_the_request_that_had_it_last() {
        let handle = |generation: usize, index: usize| MESSAGE | generation << 32 | index;
        for index in [0, 63, 64, 5_000] {
            let (old, new) = (handle(3, index), handle(4, index));
            let integer = to_int(old);
            assert!(integer < 0);
            assert_eq!(from_int(integer, 7), old);
            assert_eq!(to_int(new), integer);
            assert_eq!(from_int(integer, 7), new);
        }
    }

    #[test]
    fn an_integer_that_was_never_given_is_the_null_handle() {
        assert_eq!(from_int(-900_000, 7), 7);
        assert_eq!(from_int(SETTLED_END, 7), 7);
    }

    #[test]
    fn settled_requests_keep_their_handles() {
        for request in [COMPLETED_SEND, RECEIVED_NOTHING] {
            assert_eq!(from_int(to_int(request.0), 7), request.0);
        }
    }
}
