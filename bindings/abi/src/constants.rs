//! The constants of the standard ABI, under their C names.
//!
//! Generated from `table/constants.txt`. Predefined handles have the handle's
//! type, addresses such as `MPI_IN_PLACE` are pointers, and predefined callbacks
//! such as `MPI_COMM_DUP_FN` are the addresses (`usize`) that stand for them: they
//! are compared with, never called.

use crate::types::*;
use std::ffi::{c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
