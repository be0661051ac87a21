//! Why modules cannot be made.
//!
//! Before: a compiler or the file system refuses. After: one sentence on standard error, below the compiler's own.

use std::path::{Path, PathBuf};

use crate::fortran::{CompilerError, RecordError};

/// What keeps a set from coming about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(super) enum FortranError {
    /// The compiler cannot be run, or is none.
    #[error(transparent)]
    Compiler(#[from] CompilerError),
    /// The record of a set.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The file system refuses.
    #[error("cannot access {}: {source}", path.display())]
    Access {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The prefix has no library for Fortran.
    #[error(
        "{} is not there: install Pamir under that prefix with scripts/install first, or name another \
         with --prefix",
        path.display()
    )]
    NoLibrary {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The tables that the texts are made from are wrong.
    #[error("the texts cannot be written: {reason}; build Pamir again from its sources")]
    Texts {
        /// The line that is wrong.
        reason: String,
    },
    /// The compiler does not take a text.
    #[error(
        "`{line}` failed, see above; the modules need Fortran 2008 with the C interoperability of \
         TS 29113, as gfortran has it from 9 on and flang from 16 on"
    )]
    Compilation {
        /// The command.
        line: String,
    },
    /// Sets could not be renewed.
    #[error(
        "these sets are still those of the version before, see above: make them again once their compilers \
         are back, or remove them: rm -r {folders}"
    )]
    Old {
        /// Their folders.
        folders: String,
    },
    /// The objects cannot be put together.
    #[error("`{line}` failed, see above: ar comes with the package binutils")]
    Archive {
        /// The command.
        line: String,
    },
}

/// Names the file in an error of the system's.
pub(super) trait Access<T> {
    /// The outcome, or [`FortranError::Access`] of this file.
    fn access(self, path: &Path) -> Result<T, FortranError>;
}

impl<T> Access<T> for std::io::Result<T> {
    fn access(self, path: &Path) -> Result<T, FortranError> {
        self.map_err(|source| FortranError::Access {
            path: path.to_path_buf(),
            source,
        })
    }
}
