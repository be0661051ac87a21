//! The inline engine: descriptors that are processed where they stand, or later from the injection FIFOs.
//!
//! Before: [`super::MessagingUnit::submit`]. After: packets are in the lanes, or bytes are copied; the owner is told of each
//! descriptor that is done.

mod backlog;
mod direct;
mod fifo_resize;
mod process;
mod replace;
pub(super) mod replenish;
mod step;
mod transfer;
