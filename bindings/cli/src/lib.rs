//! The commands: mpiexec, mpicc, mpicxx, pamir.
