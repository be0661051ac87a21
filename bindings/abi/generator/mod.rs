//! Turns the tables of `table/` into Rust and C.
//!
//! `build.rs` and the test of the header both include this module, so that the
//! committed header and the compiled exports come from one reading:
//!
//! ```text
//! table/functions.txt --+                 +--> rust::exports     MPI_X, PMPI_X
//!                       +--> table::Table-+--> rust::constants   handles, values, error classes
//! table/constants.txt --+                 +--> header::header    include/mpi.h
//! ```
//!
//! A malformed line stops the build with its file and line number.

pub mod c_type;
pub mod header;
pub mod rust;
pub mod table;
