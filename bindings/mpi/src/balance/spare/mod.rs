//! What is done in the time in which a rank waits for others: housekeeping, the library's own and the
//! program's, and low power.
//!
//! Before: a rank has called a synchronisation in which it will wait for long. After: it is at its
//! place again when the last one calls.

pub mod housekeeping;
pub mod low_power;
pub mod trim;
