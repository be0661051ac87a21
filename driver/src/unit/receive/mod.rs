//! Packets that have arrived: which lanes are looked at, and what is taken from them.
//!
//! Before: a sender has committed a record. After: the packet is with its handler, or with the receive that waits for it.

mod arrived;
pub(super) mod next_record;
mod poll;
pub mod recent;
pub(super) mod rotation;
