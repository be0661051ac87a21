//! MPI semantics in Rust: communicators, groups, datatypes, operations, requests.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod datatype;
pub mod group;
pub mod info;
pub mod op;
