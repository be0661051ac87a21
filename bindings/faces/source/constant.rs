//! Integers that mean something: ranks, tags, kinds, error codes. Generated from the tables.
//!
//! What: for each family of constants a function in and one out. Step before: a function's arguments. Step after: the
//! library's. Invariant: families whose numbers are the same in both ABIs have no function here.

// Every family is written, of which a face needs those that differ.
#![allow(dead_code)]
// A family whose numbers are the same has an arm for each, or none.
#![allow(clippy::match_single_binding)]

use std::ffi::c_int;

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
