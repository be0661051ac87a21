//! Statuses: the library's form and the program's.
//!
//! What: [`Standard`], the library's; [`Own`], the program's; and the places between them. Step before: a call that
//! writes or reads statuses. Step after: the program's memory.
//!
//! ```text
//! Standard   MPI_SOURCE  MPI_TAG  MPI_ERROR  bytes (8)  cancelled  unused (8)        32 bytes
//! Own        abi::own_status
//! ```
//!
//! Invariants: a status that the library does not write stays as it was; a call that completes one operation leaves
//! `MPI_ERROR` alone.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use pamir_interface::face::Status as Integers;

pub use crate::own_status::{IGNORE, Own};

use crate::constant::{error_in, error_out, rank_in, rank_out, tag_in, tag_out};

/// A status of the standard ABI's, with this library's use of its inner integers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Standard {
    source: c_int,
    tag: c_int,
    error: c_int,
    bytes: [c_int; 2],
    cancelled: c_int,
    unused: [c_int; 2],
}

/// What no call writes as a source.
const UNWRITTEN: c_int = c_int::MIN;

/// What a status says, in whichever form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The rank that sent.
    pub source: c_int,
    /// The message's tag.
    pub tag: c_int,
    /// The error code.
    pub error: c_int,
    /// The length in bytes.
    pub bytes: i64,
    /// Whether the operation was cancelled.
    pub is_cancelled: bool,
}

impl Standard {
    const fn unwritten() -> Self {
        Self {
            source: UNWRITTEN,
            tag: 0,
            error: UNWRITTEN,
            bytes: [0; 2],
            cancelled: 0,
            unused: [0; 2],
        }
    }

    #[inline(always)]
    fn parts(&self) -> Parts {
        let [low, high] = self.bytes;
        Parts {
            source: rank_out(self.source),
            tag: tag_out(self.tag),
            error: self.error,
            bytes: i64::from(high) << 32 | i64::from(low as u32),
            is_cancelled: self.cancelled != 0,
        }
    }

    fn of(parts: Parts) -> Self {
        Self {
            source: rank_in(parts.source),
            tag: tag_in(parts.tag),
            error: error_in(parts.error),
            bytes: [parts.bytes as c_int, (parts.bytes >> 32) as c_int],
            cancelled: parts.is_cancelled.into(),
            unused: [0; 2],
        }
    }
}

/// A status that the library writes.
pub struct Place {
    standard: MaybeUninit<Standard>,
    own: *mut Own,
}

impl Place {
    /// For a status of the program's, which may be ignored.
    #[inline(always)]
    pub fn new(own: *mut Own) -> Self {
        let mut place = Self {
            standard: MaybeUninit::uninit(),
            own,
        };
        // SAFETY: a field of memory of this function's.
        unsafe { (&raw mut (*place.standard.as_mut_ptr()).source).write(UNWRITTEN) };
        place
    }

    /// What the library is given.
    #[inline(always)]
    pub fn address(&mut self) -> *mut Standard {
        match self.own as usize == IGNORE {
            true => std::ptr::null_mut(),
            false => self.standard.as_mut_ptr(),
        }
    }

    /// Writes the status to the program, if the library has written it.
    ///
    /// # Safety
    ///
    /// The program's status is ignored or writable.
    #[inline(always)]
    pub unsafe fn give(&self) {
        if self.own as usize == IGNORE {
            return;
        }
        // SAFETY: `new` has written the source; the library writes all fields or none but the error.
        unsafe {
            let standard = self.standard.as_ptr();
            if (*standard).source != UNWRITTEN {
                (&raw mut (*self.standard.as_ptr().cast_mut()).error).write(0);
                (*self.own).set((*standard).parts());
            }
        }
    }
}

/// So many statuses need no allocation.
const FEW: usize = 64;

/// Statuses that the library writes.
pub struct Places {
    few: [MaybeUninit<Standard>; FEW],
    many: Vec<Standard>,
    length: usize,
    own: *mut Own,
}

impl Places {
    /// For statuses of the program's, which may be ignored.
    #[inline(always)]
    pub fn new(own: *mut Own, length: usize) -> Self {
        let mut places = Self {
            few: [const { MaybeUninit::uninit() }; FEW],
            many: Vec::new(),
            length: if own as usize == IGNORE { 0 } else { length },
            own,
        };
        match places.few.get_mut(..places.length) {
            Some(few) => few.iter_mut().for_each(|place| {
                place.write(Standard::unwritten());
            }),
            None => places.many = vec![Standard::unwritten(); length],
        }
        places
    }

    /// What the library is given.
    #[inline(always)]
    pub fn address(&mut self) -> *mut Standard {
        match (self.own as usize == IGNORE, self.length <= FEW) {
            (true, _) => std::ptr::null_mut(),
            (false, true) => self.few.as_mut_ptr().cast(),
            (false, false) => self.many.as_mut_ptr(),
        }
    }

    /// Writes those to the program that the library has written.
    ///
    /// # Safety
    ///
    /// The program's statuses are ignored, or as many are writable.
    #[inline(always)]
    pub unsafe fn give(&mut self) {
        let standard = self.address();
        for index in 0..self.length {
            // SAFETY: the caller's promise; `new` has written as many.
            unsafe {
                let (standard, own) = (&*standard.add(index), &mut *self.own.add(index));
                if standard.source != UNWRITTEN {
                    own.set(standard.parts());
                }
                if standard.error != UNWRITTEN {
                    own.set_error(error_out(standard.error));
                }
            }
        }
    }
}

/// A status that the library reads, and may change.
pub struct Read {
    standard: Standard,
    is_null: bool,
}

impl Read {
    /// A status of the program's.
    ///
    /// # Safety
    ///
    /// `own` is ignored, or there is a status.
    pub unsafe fn new(own: *const Own) -> Self {
        let is_null = own.is_null() || own as usize == IGNORE;
        let standard = match is_null {
            true => Standard::unwritten(),
            // SAFETY: the caller's promise.
            false => Standard::of(unsafe { (*own).parts() }),
        };
        Self { standard, is_null }
    }

    /// What the library is given.
    pub fn address(&mut self) -> *mut Standard {
        match self.is_null {
            true => std::ptr::null_mut(),
            false => &raw mut self.standard,
        }
    }

    /// Writes the status to the program.
    ///
    /// # Safety
    ///
    /// `own` is the status that was read, and is writable.
    pub unsafe fn give(&self, own: *mut Own) {
        if !self.is_null {
            // SAFETY: the caller's promise.
            let own = unsafe { &mut *own };
            own.set(self.standard.parts());
            own.set_error(error_out(self.standard.error));
        }
    }
}

/// Writes the form that a callback of the program's sees.
pub extern "C" fn callback_out(standard: &Integers, shown: &mut Integers) {
    // SAFETY: integers in the form of the standard's status, and room for the program's, which is no longer.
    let (standard, own) = unsafe {
        (
            &*standard.as_ptr().cast::<Standard>(),
            &mut *shown.as_mut_ptr().cast::<[c_int; OWN]>(),
        )
    };
    let mut status = Own::default();
    status.set(standard.parts());
    status.set_error(error_out(standard.error));
    // SAFETY: both have the same size, and a status is nothing but integers.
    *own = unsafe { std::mem::transmute::<Own, [c_int; OWN]>(status) };
}

/// Reads what a callback of the program's has left.
pub extern "C" fn callback_in(shown: &Integers, standard: &mut Integers) {
    // SAFETY: as above.
    let own = unsafe { shown.as_ptr().cast::<Own>().read_unaligned() };
    // SAFETY: as above.
    *standard = unsafe { std::mem::transmute::<Standard, Integers>(Standard::of(own.parts())) };
}

/// How many integers the program's status is.
const OWN: usize = size_of::<Own>() / size_of::<c_int>();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_survives_both_ways() {
        for (bytes, is_cancelled) in [(0, false), (7, true), (0x1_2345_6789_abcd, false)] {
            let parts = Parts {
                source: 3,
                tag: 9,
                error: 0,
                bytes,
                is_cancelled,
            };
            let mut own = Own::default();
            own.set(Standard::of(parts).parts());
            own.set_error(0);
            assert_eq!(own.parts(), parts);
        }
    }

    #[test]
    fn a_status_that_is_not_written_stays() {
        let parts = Parts {
            source: 3,
            tag: 9,
            error: 0,
            bytes: 4,
            is_cancelled: false,
        };
        let mut own = Own::default();
        own.set(parts);
        // SAFETY: the status is this function's.
        unsafe { Place::new(&raw mut own).give() };
        assert_eq!(own.parts().bytes, 4);
    }
}
