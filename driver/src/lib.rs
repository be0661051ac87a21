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

pub mod binding;
pub mod client_table;
pub mod counter;
pub mod descriptor;
pub mod engine_thread;
pub mod injection;
pub mod interrupt;
pub mod job;
pub mod kernel_copy;
pub mod layout;
pub mod machine_limits;
pub mod packet;
pub mod report;
pub mod topology;
pub mod touch;
pub mod unit;
pub mod waiting;
