//! Which sets of modules an installation has, and which one a compiler reads.
//!
//! Before: the prefix and a compiler's words. After: the folder that is given to the compiler.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::compiler::{CompilerError, Version};
use super::file::CompilerFile;
use super::record::{Record, RecordError};

/// Why a compiler's set cannot be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// The compiler had to be asked, and did not answer.
    #[error(transparent)]
    Compiler(#[from] CompilerError),
    /// A set is damaged.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// A compiler's modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleSet {
    /// The folder's name, such as `gfortran-12`.
    pub id: String,
    /// Where its files lie.
    pub folder: PathBuf,
    /// Who made it.
    pub record: Record,
}

/// The folder that holds the sets of an installation, by its `lib`.
pub fn folder_of_sets(library: &Path) -> PathBuf {
    library.join("pamir/fortran")
}

impl ModuleSet {
    /// All sets of an installation, by name.
    ///
    /// # Errors
    ///
    /// [`RecordError`] of a set that is damaged.
    pub fn all(library: &Path) -> Result<Vec<ModuleSet>, RecordError> {
        let entries = std::fs::read_dir(folder_of_sets(library));
        let names = entries.into_iter().flatten().flatten();
        let mut names: Vec<String> = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        let sets = names.iter().map(|id| ModuleSet::named(library, id));
        sets.filter_map(Result::transpose).collect()
    }

    /// The set of this name, if it is there.
    fn named(library: &Path, id: &str) -> Result<Option<ModuleSet>, RecordError> {
        let folder = folder_of_sets(library).join(id);
        let record = Record::read(&folder)?;
        Ok(record.map(|record| ModuleSet {
            id: id.to_owned(),
            folder,
            record,
        }))
    }

    /// The set that the compiler of these words reads. It is found by the compiler's file; only one whose file
    /// is in no record is asked for its version.
    ///
    /// # Errors
    ///
    /// [`SetError`] where the compiler had to be asked and does not answer, or a set is damaged.
    pub fn of(library: &Path, words: &[OsString]) -> Result<Option<ModuleSet>, SetError> {
        let sets = ModuleSet::all(library)?;
        if let Some(file) = CompilerFile::of(words) {
            let mut same = sets
                .iter()
                .filter(|set| set.record.file.as_ref() == Some(&file));
            if let Some(set) = same.next() {
                return Ok(Some(set.clone()));
            }
        }
        let id = Version::asked(words)?.id;
        Ok(sets.into_iter().find(|set| set.id == id))
    }
}
