//! Data that does not lie together: programs that describe it, machines that move it.
//!
//! ```text
//!   datatype's constructors     builder     code (from a peer)
//!            └─ node: repeat, sequence ─────┘
//!                      │ canonical
//!                   program ──── explain
//!          run by ┌────┴─────┐ sought by
//!              machine     dummy ── prefix_sums
//!           sink  │   └─ random_access (bytes in any order; states kept at gaps) ── section
//!        memory, direct      whole (one packet) ── rows
//!           │     └─ kernel ─ vectors, masked ───────┘
//!        staging ─▶ lane
//! ```
//!
//! A [`Program`] is what a datatype compiles to (DGSP). A [`Machine`] runs it over a user's
//! buffer for so many bytes, stops, and goes on (DGSM); the dummy machine gives it
//! the state of any offset without moving a byte. [`stripes`] divides messages. With
//! these, submessages and packets of a message may be moved in any order, by
//! anyone, each unaware of the others.
//!
//! Step before: MPI or PAMI describes memory. Step after: the transport asks a
//! [`RandomAccess`] for bytes at an offset, through [`crate::tagged::buffer::Noncontiguous`].
//!
//! Invariant: only `memory`, `direct`, `whole`, `rows`, `kernel`, `vectors` and `masked` touch user memory.
//!
//! Source: striping (data gather/scatter programs and machines).

mod blocks;
pub mod builder;
pub mod canonical;
pub mod code;
pub mod elements;
pub mod error;
pub mod explain;
pub mod machine;
pub mod node;
pub mod prefix_sums;
pub mod program;
pub mod random_access;
pub mod section;
pub mod sink;
pub mod stripes;
pub mod whole;

mod direct;
mod dummy;
mod kernel;
mod masked;
mod memory;
mod rows;
mod staging;
mod vectors;

#[cfg(test)]
mod tests;

pub use builder::Builder;
pub use error::ProgramError;
pub use machine::{IoVector, Machine, State};
pub use program::Program;
pub use random_access::RandomAccess;
pub use section::Section;
pub use whole::Whole;
