//! MPI's Fortran over any library that has the standard ABI.
