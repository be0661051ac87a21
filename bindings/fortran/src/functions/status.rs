//! Statuses between the forms of Fortran, and sizes of variables.
//!
//! What: all forms are eight integers, so that converting is copying. `MPI_Sizeof` reads a descriptor.
//! Step before: the modules' interfaces, which alone have these. Step after: nothing.
//! Invariant: they call nothing of C's: there is nothing of C's to ask.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use crate::c::{self, Integer, Status};
use crate::entry::spell;
use crate::error::finish;
use crate::section::Descriptor;

unsafe extern "C" fn convert(from: *const Status, to: *mut Status, ierror: *mut Integer) {
    // SAFETY: the program's statuses.
    unsafe {
        *to = *from;
        finish(ierror, c::SUCCESS);
    }
}

unsafe extern "C" fn size_of_variable(
    variable: *const Descriptor,
    size: *mut Integer,
    ierror: *mut Integer,
) {
    // SAFETY: a compiler made the descriptor; the others are the program's.
    unsafe {
        *size = (*variable).element as Integer;
        finish(ierror, c::SUCCESS);
    }
}

spell!(convert: mpi_status_f2f08_ mpi_status_f2f08__ MPI_STATUS_F2F08 mpi_status_f2f08);
spell!(convert: mpi_status_f082f_ mpi_status_f082f__ MPI_STATUS_F082F mpi_status_f082f);
spell!(convert: pmpi_status_f2f08_ pmpi_status_f2f08__ PMPI_STATUS_F2F08 pmpi_status_f2f08);
spell!(convert: pmpi_status_f082f_ pmpi_status_f082f__ PMPI_STATUS_F082F pmpi_status_f082f);
spell!(convert: mpi_status_f2f08_f08_ mpi_status_f082f_f08_ pmpi_status_f2f08_f08_ pmpi_status_f082f_f08_);
spell!(size_of_variable: mpi_sizeof_f08ts pmpi_sizeof_f08ts);
