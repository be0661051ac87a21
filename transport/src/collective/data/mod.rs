//! The memory that operations work on: where blocks, contributions and results lie.
//!
//! Before: the caller's buffers. After: an algorithm moves and combines their parts.

pub mod apart;
pub mod blocks;
pub mod root;
pub mod scratch;
