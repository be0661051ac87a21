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

pub mod announcement;

#[cfg(not(loom))]
pub mod binding;
#[cfg(not(loom))]
pub mod board_table;
#[cfg(not(loom))]
pub mod bridge;
#[cfg(not(loom))]
pub mod brief_spins;
#[cfg(not(loom))]
pub mod cache_portion;
#[cfg(not(loom))]
pub mod client_table;
#[cfg(not(loom))]
pub mod clock;
#[cfg(not(loom))]
pub mod counter;
#[cfg(not(loom))]
pub mod descriptor;
#[cfg(not(loom))]
pub mod engine_thread;
#[cfg(not(loom))]
pub mod frequency_hint;
#[cfg(not(loom))]
pub mod huge_pages;
#[cfg(not(loom))]
pub mod injection;
#[cfg(not(loom))]
pub mod interrupt;
#[cfg(not(loom))]
pub mod job;
#[cfg(not(loom))]
pub mod kernel_copy;
#[cfg(not(loom))]
pub mod layout;
#[cfg(not(loom))]
pub mod machine_limits;
#[cfg(not(loom))]
pub mod packet;
#[cfg(not(loom))]
pub mod peer_heap;
#[cfg(not(loom))]
pub mod process_end;
pub mod process_name;
#[cfg(not(loom))]
pub mod report;
#[cfg(not(loom))]
pub mod reserved_memory;
pub mod sweep;
#[cfg(not(loom))]
pub mod topology;
#[cfg(not(loom))]
pub mod touch;
#[cfg(not(loom))]
pub mod unit;
#[cfg(not(loom))]
pub mod waiting;
