//! Texts that come out: an ABI's programs have room for as much as its header says.
//!
//! What: [`Place`], room for the longest text of the standard ABI. Step before: a call that writes a text. Step after:
//! the program's memory, with what fits. Invariant: the program's memory gets a final zero, and no byte behind its room.

use std::ffi::{c_char, c_int};

/// Room for a text of the library's.
pub struct Place {
    room: Vec<c_char>,
    own: *mut c_char,
    fits: usize,
}

impl Place {
    /// For a text at `own`; the lengths are the standard's and the face's.
    pub fn new(own: *mut c_char, (standard, fits): (usize, usize)) -> Self {
        let is_needed = fits < standard && !own.is_null();
        Self {
            room: vec![0; if is_needed { standard } else { 0 }],
            own,
            fits,
        }
    }

    /// What the library is given.
    pub fn address(&mut self) -> *mut c_char {
        match self.room.is_empty() {
            true => self.own,
            false => self.room.as_mut_ptr(),
        }
    }

    /// Writes what fits to the program, and corrects its length.
    ///
    /// # Safety
    ///
    /// The program has the room that its header says; `length` is null or the integer that the library wrote.
    pub unsafe fn give(&self, length: *mut c_int) {
        if self.room.is_empty() {
            return;
        }
        let end = self.room.iter().position(|character| *character == 0);
        let bytes = end.unwrap_or(self.room.len()).min(self.fits - 1);
        // SAFETY: the caller's promise; the text has more bytes than are copied.
        unsafe {
            std::ptr::copy_nonoverlapping(self.room.as_ptr(), self.own, bytes);
            *self.own.add(bytes) = 0;
            if !length.is_null() {
                *length = bytes as c_int;
            }
        }
    }
}
