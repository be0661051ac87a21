//! Sets of MPI's Fortran modules, one for each compiler, below `PREFIX/lib/pamir/fortran`.
//!
//! What: [`Version`] says who a compiler is, [`ModuleSet`] which set is its own. A set holds the `.mod` files, the
//! library with the modules' own objects, and a [`Record`] of the compiler that made them.
//! Why: each compiler, and often each of its major versions, has a format of `.mod` files of its own.
//! Step before: `pamir fortran` makes a set, `mpifort` looks for one. Step after: the compiler reads it.
//! Invariants: a set's folder is named by its compiler's version; a compiler whose file is the recorded one is
//! known without being run.

mod compiler;
mod file;
mod record;
mod set;

pub use compiler::{CompilerError, Version};
pub use file::CompilerFile;
pub use record::{Record, RecordError};
pub use set::{ModuleSet, SetError, folder_of_sets};

/// The archive with the objects of the modules, which lies in each set.
pub const MODULES_LIBRARY: &str = "libmpi_abi_modules.a";
