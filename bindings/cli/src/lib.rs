//! The commands: `mpiexec`, `mpicc`, `mpicxx`, `mpifort`, `pamir`.
//!
//! What: each command's whole work, as a function from its arguments to its exit code.
//! Why: the programs in `bin/` hold nothing that would have to be tested as a process.
//! Step before: a shell. Step after: the ranks ([`launch`]), a compiler ([`wrapper`]), or a table
//! on standard output ([`command`]). Their output goes through [`results`].

pub mod command;
pub mod fortran;
pub mod launch;
pub mod results;
pub mod status;
mod svg;
pub mod wrapper;
