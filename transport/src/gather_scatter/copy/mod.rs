//! Moving the bytes of a program: between its memory and a packet, or another layout.
//!
//! Before: a machine names the next piece of memory, or [`whole`] takes all of a message at once. After: lines of a lane,
//! or the user's memory. Only the files of this folder touch that.

pub(super) mod direct;
pub(super) mod kernel;
pub(super) mod masked;
pub(super) mod memory;
pub(super) mod rows;
pub(super) mod staging;
pub(super) mod vectors;
pub mod whole;
