//! `libmpi_abi_fortran.so.1`: MPI's Fortran over any library that has the standard ABI.
//!
//! What: the external procedures behind `mpif.h` and the modules `mpi` and `mpi_f08`. Each converts its
//! arguments and calls the C function of the same name in `libmpi_abi.so.1`.
//! Why a library of its own: the standard's ABI ends at C. Nothing of Pamir is in here, so that the
//! same file serves Fortran programs on every library of the ABI.
//!
//! ```text
//! program --mpi_send_(buf, count, ..., ierror)--> entry --+--> address    sentinels
//!         --mpi_send_f08ts(descriptor, ...)-----> section-+    handle     INTEGER <-> C handle
//!                                                              string     blanks <-> final zero
//!                                                              callback   Fortran procedures as C functions
//!                                                         +--> functions  what needs a hand
//!                                                         +--> MPI_Send of libmpi_abi.so.1
//! ```
//!
//! The same sources give the Fortran libraries of programs that were built for MPICH or Open MPI, over the C
//! library of that interface: `cfg(face = ...)`, which `build.rs` sets, is what differs.
//!
//! Step before: a compiled Fortran program. Step after: the C library.
//! Invariants: no state but what `callback`, `attribute` and `pending` say they keep; an entry that needs
//! none of them neither allocates nor locks.

#![cfg_attr(
    face = "openmpi",
    allow(
        dead_code,
        unused_imports,
        reason = "its modules have no large counts, and its programs' compilers copy sections"
    )
)]

mod address;
mod attribute;
mod c;
mod callback;
mod entry;
mod error;
mod functions;
mod handle;
#[cfg(not(face = "standard"))]
mod modules;
mod pending;
mod section;
mod string;
mod topology;
