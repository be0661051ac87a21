//! The time that ranks of a cycle have to spare, for programs that run in it.
//!
//! Before: recorded calls of a job whose program knows nothing of balancing. After: the launcher knows when a second
//! program may run: [`gathering`] finds the cycles, [`dead_time`] what is left over in them, and [`punctuality`] whether
//! the kernel fits others in by itself.

pub mod dead_time;
pub mod gathering;
pub mod punctuality;
