//! Strings: blanks at the end in Fortran, a zero in C.
//!
//! Step before: `entry`, with a string's address and its length in characters. Step after: C.
//! Invariant: nothing is written beyond the length that the program's variable has.

use crate::c::c_char;

/// A string for C.
pub struct Input(Vec<u8>);

impl Input {
    /// The text without the blanks behind it.
    ///
    /// # Safety
    ///
    /// `length` characters are at `text`.
    pub unsafe fn end(text: *const c_char, length: usize) -> Self {
        // SAFETY: the caller's promise.
        let text = unsafe { characters(text, length) };
        Self(
            without_blanks(text, false)
                .iter()
                .copied()
                .chain([0])
                .collect(),
        )
    }

    /// The text without the blanks around it.
    ///
    /// # Safety
    ///
    /// `length` characters are at `text`.
    pub unsafe fn both(text: *const c_char, length: usize) -> Self {
        // SAFETY: the caller's promise.
        let text = unsafe { characters(text, length) };
        Self(
            without_blanks(text, true)
                .iter()
                .copied()
                .chain([0])
                .collect(),
        )
    }

    /// Where C finds it.
    pub fn as_ptr(&self) -> *mut c_char {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// The text without the blanks behind it, and those before it if `both`; other white space is text.
fn without_blanks(text: &[u8], both: bool) -> &[u8] {
    let is_text = |byte: &u8| *byte != b' ';
    let end = text.iter().rposition(is_text).map_or(0, |last| last + 1);
    let begin = text[..end].iter().position(is_text).unwrap_or(end);
    &text[if both { begin } else { 0 }..end]
}

/// The characters of a Fortran string; what follows a zero is no text.
unsafe fn characters<'a>(text: *const c_char, length: usize) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: the caller says that so many characters are there.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    text.split(|byte| *byte == 0).next().unwrap_or(&[])
}

/// Room for a string of C's.
pub struct Output<const SIZE: usize>([u8; SIZE]);

impl<const SIZE: usize> Output<SIZE> {
    /// An empty string.
    pub fn new() -> Self {
        Self([0; SIZE])
    }

    /// Where C writes.
    pub fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }

    /// Gives the text to the program's variable, as much as it holds.
    ///
    /// # Safety
    ///
    /// `length` characters at `text` may be written.
    pub unsafe fn give(&self, text: *mut c_char, length: usize) {
        // SAFETY: the caller's promise.
        unsafe { give(&self.0, text, length) };
    }
}

/// Writes a C string into a Fortran variable: cut at its length, or filled with blanks.
///
/// # Safety
///
/// `length` characters at `text` may be written.
pub unsafe fn give(from: &[u8], text: *mut c_char, length: usize) {
    let from = from.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let copied = from.len().min(length);
    // SAFETY: both parts lie in the variable; the caller says that it may be written.
    unsafe {
        std::ptr::copy_nonoverlapping(from.as_ptr(), text.cast(), copied);
        std::ptr::write_bytes(text.cast::<u8>().add(copied), b' ', length - copied);
    }
}

impl Input {
    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 1
    }
}
