//! Strings on their way between the languages.
//!
//! The library itself needs a C library to link with, so that the file is compiled in here.

#![allow(
    dead_code,
    missing_docs,
    reason = "a part of the library is compiled in, and a part of that is used"
)]

mod c {
    pub use std::ffi::c_char;
}

#[path = "../src/string.rs"]
mod string;

use std::ffi::CStr;

use string::{Input, give};

fn input(text: &str, make: unsafe fn(*const c::c_char, usize) -> Input) -> String {
    // SAFETY: the text is there for the call.
    let made = unsafe { make(text.as_ptr().cast(), text.len()) };
    // SAFETY: an input ends with a zero.
    let text = unsafe { CStr::from_ptr(made.as_ptr()) };
    text.to_str().expect("it was text").to_owned()
}

#[test]
fn blanks_end_a_string_and_begin_a_key() {
    assert_eq!(input(" name  ", Input::end), " name");
    assert_eq!(input(" key  ", Input::both), "key");
    assert_eq!(input("   ", Input::end), "");
    assert_eq!(input("", Input::end), "");
    assert_eq!(input("a b", Input::end), "a b");
    assert_eq!(input("zero\0behind", Input::end), "zero");
}

fn given(text: &[u8], length: usize) -> String {
    let mut variable = vec![b'#'; length + 1];
    // SAFETY: the variable has the length that is said, and a guard.
    unsafe { give(text, variable.as_mut_ptr().cast(), length) };
    assert_eq!(variable.pop(), Some(b'#'), "written beyond the end");
    String::from_utf8(variable).expect("it was text")
}

#[test]
fn a_string_fills_its_variable_and_no_more() {
    assert_eq!(given(b"pamir\0rest", 8), "pamir   ");
    assert_eq!(given(b"pamir\0", 3), "pam");
    assert_eq!(given(b"\0", 4), "    ");
    assert_eq!(given(b"pamir", 0), "");
}
