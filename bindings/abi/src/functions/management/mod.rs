//! The process and what surrounds it: environment, errors, hints, sessions (MPI-5.0 chapters 9 to 11).
//!
//! Processes that are started or met while the program runs will be `spawn` here.

pub mod environment;
pub mod error;
pub mod info;
pub mod session;
