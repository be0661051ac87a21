//! MPI semantics in Rust: communicators, groups, datatypes, operations, requests.
pub mod datatype;
