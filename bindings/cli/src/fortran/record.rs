//! The record in a set of modules: which compiler made it.
//!
//! Before: `pamir fortran` has made a set. After: `mpifort` finds it by the compiler's file; `pamir fortran --list`
//! shows it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::CompilerFile;
use crate::results;

/// Its name in a set's folder.
const NAME: &str = "compiler.json";

/// The compiler that made a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The words that called it.
    pub compiler: Vec<String>,
    /// What it said of its version.
    pub version: String,
    /// Its file, unless another program was called in front of it.
    pub file: Option<CompilerFile>,
}

/// Why a record cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system refuses.
    #[error("cannot access {}: {source}", path.display())]
    Access {
        /// The record.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is no record.
    #[error(
        "{} is damaged ({reason}): make the set again with `pamir fortran --compiler FC`",
        path.display()
    )]
    Damaged {
        /// The record.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Record {
    /// The record in a set's folder; none where the folder is no set.
    ///
    /// # Errors
    ///
    /// [`RecordError`] where one is there and cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Record>, RecordError> {
        let path = folder.join(NAME);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(RecordError::Access { path, source }),
        };
        let read = serde_json::from_slice(&text);
        read.map(Some).map_err(|error| RecordError::Damaged {
            path,
            reason: error.to_string(),
        })
    }

    /// Writes it into a set's folder.
    ///
    /// # Errors
    ///
    /// [`RecordError`] where the system refuses.
    pub fn write(&self, folder: &Path) -> Result<(), RecordError> {
        let path = folder.join(NAME);
        let text = serde_json::to_string_pretty(self).expect("a record is text and numbers");
        results::write_file(&path, &(text + "\n"))
            .map_err(|source| RecordError::Access { path, source })
    }
}
