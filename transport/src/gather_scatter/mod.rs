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

pub mod copy;
pub mod error;
pub mod explain;
pub mod machine;
pub mod program;
pub mod stripes;

#[cfg(test)]
mod tests;

pub use copy::whole::Whole;
pub use error::ProgramError;
pub use machine::random_access::RandomAccess;
pub use machine::section::Section;
pub use machine::{IoVector, Machine, State};
pub use program::Program;
pub use program::builder::Builder;
