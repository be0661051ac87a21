//! The profile of a run: which task has sent how much to which.
//!
//! Before: `mpiexec --profile-comm`. After: placing reads it ([`crate::placement::communication`]).

pub mod counting;
pub mod iteration_range;
pub mod traffic;
