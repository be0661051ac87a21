//! The emulated messaging unit, and the machine it stands on.
//!
//! A [`unit::MessagingUnit`] is what a DMA unit is to a node: descriptors go into
//! injection FIFOs, an engine processes them in order, packets arrive in reception
//! FIFOs and are given to the packet handler that their header names, and counters
//! tell of completion.
//!
//! ```text
//! transport ─▶ descriptor ─▶ injection ─▶ engine ─▶ │ lane │ ─▶ reception ─▶ transport
//!                               └▶ pending queue        or kernel copy
//! ```
//!
//! A [`job::Job`] is the shared memory of all ranks that a launcher started together.
//!
//! Under `--cfg loom` only the lock-free handshake is built, on loom's atomics.

#[cfg(not(loom))]
pub mod binding;
#[cfg(not(loom))]
pub mod bridge;
#[cfg(not(loom))]
pub mod engine_thread;
#[cfg(not(loom))]
pub mod injection;
#[cfg(not(loom))]
pub mod interrupt;
#[cfg(not(loom))]
pub mod job;
#[cfg(not(loom))]
pub mod machine_limits;
#[cfg(not(loom))]
pub mod memory;
#[cfg(not(loom))]
pub mod report;
#[cfg(not(loom))]
pub mod topology;
#[cfg(not(loom))]
pub mod unit;
pub mod waiting;
