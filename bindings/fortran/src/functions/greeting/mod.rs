//! What C is told of Fortran when MPI has begun.
//!
//! What: each face's `tell_of_fortran`. MPICH's C library has names for two variables of Fortran's; Open MPI's
//! knows its Fortran.
//! Step before: `environment`. Step after: C.
//! Invariant: it is told once.

#[cfg(face = "standard")]
mod standard;

#[cfg(face = "standard")]
pub use standard::tell_of_fortran;

/// Tells MPICH where its statuses that are not wanted lie.
#[cfg(face = "mpich")]
pub fn tell_of_fortran(_code: crate::c::c_int) {
    crate::address::tell_c();
}

/// Tells Open MPI nothing.
#[cfg(face = "openmpi")]
pub fn tell_of_fortran(_code: crate::c::c_int) {}
