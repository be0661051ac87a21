//! Placement: which process of a job should run on which processing unit.
//!
//! What: a communication graph says how much each pair of processes sends, a topology graph how
//! dear a transfer between each pair of processing entities is, and a mapping `M` puts process
//! `i` on entity `M(i)`. Its cost is the sum over all pairs of `f(w(i,j), d(M(i),M(j)))`
//! (equation 1 of US 7,644,142), `f` being the product unless another is chosen. Everything here
//! is pure logic over recorded data: it can be run for machines that are not here.
//!
//! ```text
//!  profile, trace, file ─▶ CommunicationGraph ─┐
//!                                              ├─▶ Problem ─▶ algorithm ─▶ Mapping ─▶ mpiexec,
//!  hwloc, /sys, ping-pong ─▶ TopologyGraph ────┘                                      scripts/pin
//! ```
//!
//! Finding the best mapping is the quadratic assignment problem. [`algorithm::ALGORITHMS`] has the
//! ways to it, from trying everything (below ten processes) over the document's exchange of pairs
//! to a memetic tabu search; [`multilevel`] is for thousands of ranks on machines that are trees.
//!
//! Step before: [`format`](mod@format) reads graphs, [`topology`] builds them from the machine. Step after:
//! [`mapping`] is written to a file that the launcher reads.
//!
//! Invariants: the same problem, limits in steps, and seed give the same mapping; no search ends
//! with a mapping that costs more than the one it began with, by the true cost.

pub mod algorithm;
pub mod communication;
mod error;
pub mod format;
pub mod gain;
pub mod mapping;
pub mod matrix;
pub mod multilevel;
pub mod problem;
pub mod random;
pub mod search;
pub mod topology;
pub mod what_if;

pub use communication::{CommunicationGraph, Traffic, Weight};
pub use error::PlacementError;
pub use mapping::Mapping;
pub use matrix::Matrix;
pub use problem::{EdgeFunction, Problem};
pub use search::{Clock, Limits, Progress, Solution, solve};
pub use topology::{LevelCosts, TopologyGraph};
