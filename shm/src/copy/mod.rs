//! Copies into and out of shared memory.
//!
//! | file | what |
//! |---|---|
//! | `payload.rs` | a payload of any length, out of a lane or a board; short ones into it |
//! | `lane_copy.rs` | long data into a lane, by the way that is measured to be the fastest |
//! | `long_read.rs` | long data out of it, through four pages side by side |
//! | `chunk_claims.rs` | one transfer that both of its ends copy: who copies which part |

pub mod chunk_claims;
#[cfg(not(loom))]
pub(crate) mod lane_copy;
#[cfg(all(not(loom), target_arch = "x86_64"))]
mod long_read;
#[cfg(not(loom))]
mod payload;

#[cfg(not(loom))]
pub use payload::{LINE_DATA_BYTES, copy_line, copy_payload, copy_read, copy_short};
