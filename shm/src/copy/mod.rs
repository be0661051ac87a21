//! Copies into and out of shared memory.
//!
//! | file | what |
//! |---|---|
//! | `payload.rs` | a payload of any length, out of a lane or a board; short ones into it |
//! | `lane_copy.rs` | long data into a lane, by the way that is measured to be the fastest |
//! | `long_read.rs` | long data out of it, through four pages side by side |

pub(crate) mod lane_copy;
#[cfg(target_arch = "x86_64")]
mod long_read;
mod payload;

pub use payload::{LINE_DATA_BYTES, copy_line, copy_payload, copy_read, copy_short};
