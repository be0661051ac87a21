//! Turns the tables of `bindings/interface/table` into the C face: Rust and a header.
//!
//! `build.rs` and the tests of the header both include this module, so that the
//! committed header and the compiled exports come from one reading:
//!
//! ```text
//!                                  +--> rust::exports     MPI_X, PMPI_X
//! pamir_interface::read -> Table --+--> rust::constants   handles, values, error classes
//!                                  +--> header::header    include/mpi.h
//! ```
//!
//! A malformed line stops the build with its file and line number.

pub mod header;
pub mod rust;
