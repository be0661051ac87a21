//! Processor share for codes that know nothing of balancing: which ranks sit together on a core.
//!
//! Before: somebody has measured how long each rank computed. After: the launcher binds ranks again
//! and sets their priorities ("Load balancing at synchronization points": any other mechanism of
//! shifting than addresses; here the work stays with its rank, and the processor moves).
//!
//! ```text
//! window: work of each rank ─▶ smoothing ─▶ packing ─▶ controller ─▶ moves ─▶ binding, priority
//!                                                          ▲  did the last one help?
//!                                                          └────── next window
//! ```
//!
//! A job with more ranks than cores waits for the core with the most work. [`packing`] seats the
//! ranks so that the fullest core has as little as possible, [`controller`] decides whether a new
//! seating is worth its moves and takes it back where it did not help, [`priority`] gives late
//! ranks more of a core that they cannot have alone.

pub mod controller;
pub mod packing;
pub mod priority;
