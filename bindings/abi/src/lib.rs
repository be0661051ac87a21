//! The MPI-5.0 standard ABI: C handles, constants and functions.
//!
//! `libmpi_abi.so.1` exports every function of the standard header, each as
//! `MPI_X` and as `PMPI_X`. The regular part is generated from `table/` by
//! `build.rs`; what a function does is written by hand in [`functions`].
//!
//! ```text
//! program --> exports::MPI_Send --> functions::messages::point_to_point::send --> pamir_mpi
//!                    |                         |
//!                    +<---- error::raise <-----+ Err(Error)
//! ```
//!
//! MPI's error classes and codes exist only here; the crates below have errors
//! of their own, which the functions translate.

pub mod argument;
pub mod balance;
pub mod collective;
pub mod constants;
pub mod count;
pub mod engine;
pub mod error;
pub mod exports;
pub mod face;
pub mod functions;
pub mod process;
pub mod state;
pub mod types;
