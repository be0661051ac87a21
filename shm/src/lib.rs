//! The bytes two processes agree on.
//!
//! Everything that crosses from one rank to another lies in a segment: a memfd
//! that the launcher makes and the ranks inherit. Inside it, positions are
//! offsets, never pointers; the first page is a header that refuses a layout it
//! does not know; and messages travel in lanes, one for each (origin, target)
//! pair. A rank that has nothing to do climbs down the waiting ladder: spin,
//! yield, sleep.
//!
//! ```text
//! driver ──▶ lane::Producer ──▶ │ shared memory │ ──▶ lane::Consumer ──▶ driver
//! ```
//!
//! Under `--cfg loom` only the lock-free algorithms are built, on loom's atomics.

pub mod atomic;
pub mod bells;
pub mod board;
pub mod call_record;
pub mod cell_turns;
#[cfg(not(loom))]
pub mod copy;
pub mod countdown;
pub mod lane;
pub mod piece_claims;
pub mod record;
pub mod refusal;

#[cfg(not(loom))]
pub mod header;
#[cfg(not(loom))]
pub mod lane_room;
#[cfg(not(loom))]
mod line_distance;
#[cfg(not(loom))]
pub mod mapped;
#[cfg(not(loom))]
pub mod mapped_board;
#[cfg(not(loom))]
pub mod mapped_cells;
#[cfg(not(loom))]
pub mod mapped_lane;
#[cfg(not(loom))]
pub mod membarrier;
#[cfg(not(loom))]
pub mod offset;
#[cfg(not(loom))]
pub mod processor;
#[cfg(not(loom))]
pub mod segment;
pub mod shareable;
pub mod sleep;
