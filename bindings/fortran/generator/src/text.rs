//! Text that grows by lines.
//!
//! Step before: every module that writes. Step after: a file.
//! Invariant: a line ends with one newline.

use std::fmt::{Arguments, Write};

/// Adds a line.
pub fn line(out: &mut String, text: Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
    out.push('\n');
}
