//! Handles in other languages, and names of other times (MPI-5.0 chapters 17, 19 and 20).
//!
//! What else Fortran and other ABIs need of the C functions will be here.

pub mod handle_conversion;
pub mod removed;
