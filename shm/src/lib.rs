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
//! | room | what belongs there |
//! |---|---|
//! | `segment/` | a shared segment: making, mapping, its header and the offsets in it |
//! | `lane/` | the ring of one (origin, target) pair: its records, its memory, its distance |
//! | `exclusive_buffer/` | buffers of a lane that hold one whole message each |
//! | `board/` | what several ranks post for each other in a collective |
//! | `copy/` | copying data into and out of all of these, and sharing one copy between both ends |
//! | `window/` | the words of a window for one-sided communication: its locks, gates and counts |
//! | `sleep/` | the word a rank sleeps on, the bells that say who rang, and the fence they need |
//!
//! What one file says alone stays beside the rooms: the atomics, a countdown of submessages, the
//! record of synchronisation calls, and what is known of the processor.
//!
//! Under `--cfg loom` only the lock-free algorithms are built, on loom's atomics.

pub mod atomic;
pub mod board;
pub mod call_record;
pub mod copy;
pub mod countdown;
pub mod exclusive_buffer;
pub mod lane;
#[cfg(not(loom))]
pub mod processor;
pub mod refusal;
#[cfg(not(loom))]
pub mod segment;
pub mod shareable;
pub mod sleep;
pub mod window;
