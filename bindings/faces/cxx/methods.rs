//! The functions, generated from `table/methods.txt`.
//!
//! What: one function for each line; registers come as words and go on as words. Step before: the program, or a table of
//! [`crate::layout`]. Step after: the C library, and [`crate::error`] where that says that something went wrong.
//! Invariant: what is an object is one of the class that the symbol names.

// Generated functions, which the symbols' names explain; constants stand in their expressions as the table has them.
#![allow(clippy::identity_op, clippy::unnecessary_cast, missing_docs)]

include!(concat!(env!("OUT_DIR"), "/methods.rs"));
