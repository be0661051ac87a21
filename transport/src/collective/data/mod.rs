//! The memory that operations work on: where blocks, contributions and results lie.
//!
//! Before: the caller's buffers. After: an algorithm moves and combines their parts.

pub mod blocks;
pub mod out_of_place;
pub mod root;
pub mod scratch;
