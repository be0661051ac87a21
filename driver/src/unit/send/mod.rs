//! Messages on their way into the lanes, or into the exclusive buffers of a pair.
//!
//! Before: the transport hands over a message, or the engine comes to a descriptor. After: the packets are in the target's
//! reach, and it wakes if it slept.

mod commit;
pub(super) mod exclusive_buffer;
mod gather;
mod immediate;
pub(super) mod line;
pub(super) mod next_packet;
pub(super) mod packet_length;
