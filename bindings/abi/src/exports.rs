//! The exported symbols, `MPI_X` and `PMPI_X`.
//!
//! Generated from `table/functions.txt`. Both symbols of a function jump to one
//! body, which is local to the library:
//!
//! ```text
//! MPI_Send  --jmp--+
//!                  +--> body_MPI_Send --> functions::point_to_point::send
//! PMPI_Send --jmp--+
//! ```
//!
//! A tool or program that defines `MPI_Send` itself takes its place in the
//! process; `PMPI_Send` still reaches the body. Were one symbol to call the other,
//! or were the compiler to merge the two, it would reach the tool again: hence the
//! jumps are written in assembly.

// The names are C's, and what the bodies pass on is described by `crate::functions`.
// A handwritten function may be safe to call, and need no `unsafe`.
#![allow(non_snake_case, unused_unsafe, unused_variables)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

use crate::types::*;
use pamir_interface::export;
use std::ffi::{c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
