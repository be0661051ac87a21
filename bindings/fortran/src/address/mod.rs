//! Sentinels: variables whose address is the meaning.
//!
//! What: Fortran has no null pointer to pass, so `MPI_BOTTOM` and its like are variables. An argument at
//! one of their addresses becomes the value that C has for it.
//!
//! | face | the variables |
//! |---|---|
//! | standard | one common block |
//! | MPICH | five common blocks in `mpif.h` and `mpi`, variables with names of C's in `mpi_f08` |
//! | Open MPI | nine variables that its C library has |
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: a variable is wherever the loader put it - a program that has it itself
//! brings its own, which takes the place of ours - so its address is read from the global offset table.

#[cfg(face = "mpich")]
mod mpich;
#[cfg(face = "openmpi")]
mod openmpi;
#[cfg(not(face = "openmpi"))]
mod place;
#[cfg(face = "standard")]
mod standard;

#[cfg(face = "mpich")]
pub use mpich::*;
#[cfg(face = "openmpi")]
pub use openmpi::*;
#[cfg(face = "standard")]
pub use standard::*;
