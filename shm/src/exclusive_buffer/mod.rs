//! The buffers that one message has to itself, and whose turn each is.
//!
//! Before: a lane exists, whose ring would hold a long message in many packets. After: the origin
//! has written a whole message of some KiB in one place, and the target has given the place back.
//!
//! | file | what |
//! |---|---|
//! | `turns.rs` | the words that say whose turn a buffer is: the lock-free part, on loom's atomics in its tests |
//! | `mapped.rs` | the buffers of a lane in mapped memory, and the copies into and out of them |

#[cfg(not(loom))]
pub mod mapped;
pub mod turns;
