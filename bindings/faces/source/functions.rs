//! The exported symbols, `MPI_X` and `PMPI_X`. Generated from the tables.
//!
//! ```text
//! MPI_Send  --jmp--+
//!                  +--> body_MPI_Send --jmp--> pamir_functions.MPI_Send
//! PMPI_Send --jmp--+
//! ```
//!
//! Step before: a program, or a tool that stands in front of it. Step after: `libmpi_abi.so.1`, or [`crate::special`].
//! Invariant: no symbol calls another one, so that a tool's `MPI_Send` is not reached by `PMPI_Send`.

use std::ffi::{c_char, c_int, c_void};

use pamir_interface::export;

use crate::call::pamir_functions;
use crate::{address, array, constant, handle, place, status, text};

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
