//! The installation that modules are made for.
//!
//! Before: `--prefix`, or where the command itself lies. After: the places of what is made.

use std::path::{Path, PathBuf};

use super::error::{Access as _, FortranError};
use crate::fortran::folder_of_sets;

/// The folders of an installation.
#[derive(Debug)]
pub(super) struct Prefix {
    pub(super) include: PathBuf,
    pub(super) library: PathBuf,
}

impl Prefix {
    /// The one that is named, otherwise the one that this command lies in.
    pub(super) fn of(named: Option<&Path>) -> Result<Prefix, FortranError> {
        let path = match named {
            Some(path) => path.canonicalize().access(path)?,
            None => own().unwrap_or_else(|| PathBuf::from("/usr")),
        };
        Ok(Prefix {
            include: path.join("include"),
            library: path.join("lib"),
        })
    }

    /// The folder of all sets.
    pub(super) fn sets(&self) -> PathBuf {
        folder_of_sets(&self.library)
    }

    /// The folder of a set.
    pub(super) fn set(&self, id: &str) -> PathBuf {
        self.sets().join(id)
    }
}

/// What lies around `PREFIX/bin/pamir`.
fn own() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    Some(executable.parent()?.parent()?.to_path_buf())
}
