//! Places for what the library writes: a handle, an integer.
//!
//! What: [`Handle`], a handle of the standard ABI's in place of the program's; [`give_integer`]. Step before: a call
//! whose handle comes out. Step after: the program's memory. Invariant: a null pointer of the program's is a null pointer
//! for the library, whose error it is.

use std::ffi::c_int;

/// A handle that the library writes.
pub struct Handle<H> {
    standard: usize,
    own: *mut H,
}

impl<H: Copy> Handle<H> {
    /// For a handle that only comes out.
    #[inline(always)]
    pub fn new(own: *mut H) -> Self {
        Self { standard: 0, own }
    }

    /// For a handle that goes in and comes out.
    ///
    /// # Safety
    ///
    /// `own` is null, or there is a handle.
    #[inline(always)]
    pub unsafe fn read(own: *mut H, to_standard: impl FnOnce(H) -> usize) -> Self {
        let standard = match own.is_null() {
            true => 0,
            // SAFETY: the caller's promise.
            false => to_standard(unsafe { *own }),
        };
        Self { standard, own }
    }

    /// What the library is given.
    #[inline(always)]
    pub fn address(&mut self) -> *mut usize {
        match self.own.is_null() {
            true => std::ptr::null_mut(),
            false => &raw mut self.standard,
        }
    }

    /// Writes the handle to the program.
    ///
    /// # Safety
    ///
    /// The program's address is null or writable.
    #[inline(always)]
    pub unsafe fn give(&self, to_own: impl FnOnce(usize) -> H) {
        if !self.own.is_null() {
            // SAFETY: the caller's promise.
            unsafe { *self.own = to_own(self.standard) };
        }
    }
}

/// Translates an integer that the library has written.
///
/// # Safety
///
/// `place` is null, or there is an integer.
#[inline(always)]
pub unsafe fn give_integer(place: *mut c_int, to_own: impl FnOnce(c_int) -> c_int) {
    if !place.is_null() {
        // SAFETY: the caller's promise.
        unsafe { *place = to_own(*place) };
    }
}
