//! What C hands in, checked: handles, lists of attributes, memory.
//!
//! Before: a C call. After: the rooms above have objects and values.
//!
//! | file | what |
//! |---|---|
//! | `mark.rs`, `handle.rs` | whether an object lives, and finding it |
//! | `attributes.rs` | lists of attributes |
//! | `span.rs` | memory for a known number of bytes |
//!
//! A new kind of argument that needs a check goes here, with the check; a pointer of a new kind goes to
//! `structures/pointer.rs`.

pub mod attributes;
pub mod handle;
pub mod mark;
pub mod span;
