//! How a thread waits: the ladder, what it spins on, and how it goes to sleep.
//!
//! Before: a poll that has found nothing. After: the next one, as soon as it can find something and without taking
//! the processor from those that it waits for.

pub mod announcement;
#[cfg(not(loom))]
pub mod brief_spins;
#[cfg(not(loom))]
pub mod clock;
#[cfg(not(loom))]
pub mod frequency_hint;
#[cfg(not(loom))]
pub mod ladder;
