//! Messages between two processes (MPI-5.0 chapters 3 and 4), and the requests and statuses of all
//! chapters.
//!
//! Partitioned communication will be `partitioned` here.

pub mod buffer;
pub mod persistent;
pub mod point_to_point;
pub mod probe;
pub mod request;
pub mod status;
