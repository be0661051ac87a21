//! What data looks like in memory (MPI-5.0 chapter 5).

pub mod datatype;
pub mod pack;
