//! The file that a compiler's name leads to, and how to see that it is still the same.
//!
//! Before: the words by which a compiler is called. After: the record of its set is compared, without running it.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A compiler's file with its age and length, which change with an upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerFile {
    /// Where it lies, behind all links.
    pub path: PathBuf,
    bytes: u64,
    modified_ns: i128,
}

impl CompilerFile {
    /// The file that these words run, if it can be found. Of several words (`ccache gfortran`) the first one runs,
    /// and says nothing of the compiler.
    pub fn of(words: &[OsString]) -> Option<CompilerFile> {
        let [name] = words else { return None };
        let path = found(name)?.canonicalize().ok()?;
        let status = path.metadata().ok()?;
        Some(CompilerFile {
            path,
            bytes: status.len(),
            modified_ns: i128::from(status.mtime()) * 1_000_000_000
                + i128::from(status.mtime_nsec()),
        })
    }

    /// Whether it has the name of a set's family, and is no ccache that calls it.
    pub fn is_named_by(&self, id: &str) -> bool {
        let family = id.rsplit_once('-').map_or(id, |(family, _)| family);
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().contains(family)
    }
}

/// The file that a name leads to, as a shell looks for it.
fn found(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return Some(path.to_path_buf());
    }
    let folders = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(path));
    files.find(|file| {
        nix::unistd::access(file, nix::unistd::AccessFlags::X_OK).is_ok() && file.is_file()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_lead_to_the_same_file() {
        let by_name = CompilerFile::of(&["sh".into()]).expect("a shell");
        let by_path = CompilerFile::of(&["/bin/sh".into()]).expect("a shell");
        assert_eq!(by_name, by_path);
        assert_eq!(CompilerFile::of(&["sh".into(), "-c".into()]), None);
        assert_eq!(CompilerFile::of(&["no-such-compiler".into()]), None);
    }

    #[test]
    fn a_program_in_front_of_a_compiler_is_not_taken_for_it() {
        let named = |path: &str, id| {
            let path = PathBuf::from(path);
            CompilerFile {
                path,
                bytes: 1,
                modified_ns: 1,
            }
            .is_named_by(id)
        };
        assert!(named(
            "/usr/bin/x86_64-linux-gnu-gfortran-12",
            "gfortran-12"
        ));
        assert!(named("/usr/lib/llvm-19/bin/flang-new", "flang-19"));
        assert!(!named("/usr/bin/ccache", "gfortran-12"));
    }
}
