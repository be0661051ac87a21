//! MPI semantics in Rust: communicators, groups, datatypes, operations, requests.
//!
//! This room knows what MPI's objects mean, and nothing of C: no handles, no error codes,
//! no constants' values. [`process`] is MPI in one process; [`communicator`] says who can
//! talk to whom; [`point_to_point`] turns ranks into tasks and messages into tagged ones.
//!
//! ```text
//! abi ─▶ point_to_point ─▶ communicator ─▶ transport
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used))]
pub mod attribute;
pub mod balance;
pub mod communicator;
pub mod datatype;
pub mod error_handler;
pub mod group;
pub mod info;
pub mod op;
pub mod point_to_point;
pub mod process;
pub mod topology;
pub mod window;
