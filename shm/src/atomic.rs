//! The atomics that the lock-free algorithms use: the machine's, or loom's.
//!
//! Every algorithm in this crate that two processes run at once takes its atomic
//! types from here, so that the same source is model-checked with
//! `RUSTFLAGS="--cfg loom"`.

#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(not(loom))]
pub use std::hint::spin_loop;

#[cfg(loom)]
pub use loom::hint::spin_loop;
