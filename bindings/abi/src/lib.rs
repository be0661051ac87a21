//! The MPI-5.0 standard ABI: C handles, constants and functions.
