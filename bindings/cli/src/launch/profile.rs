//! `mpiexec --profile-comm FILE`: the file that ranks add their counts to.
//!
//! What: makes the file with its first lines, and tells the ranks its name; each adds its own lines
//! in MPI_Finalize. Why the launcher begins it: a file that cannot be written is known before
//! anything runs, and an older profile is never mixed with a new one.
//! Step before: [`super::arguments`]. Step after: `transport/src/tagged/traffic.rs` in each rank.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pamir_transport::tagged::traffic::FILE_VARIABLE;

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
#[error("--profile-comm: cannot write {path}: {source}")]
pub struct ProfileError {
    path: PathBuf,
    source: std::io::Error,
}

/// Makes the file of a job of so many ranks; the variable that its ranks need.
pub fn begin(path: &Path, ranks: usize) -> Result<(OsString, OsString), ProfileError> {
    let failed = |source| ProfileError {
        path: path.to_path_buf(),
        source,
    };
    std::fs::write(path, format!("# pamir communication 1\nranks {ranks}\n")).map_err(failed)?;
    // Ranks may start in directories of their own.
    let absolute = std::path::absolute(path).map_err(failed)?;
    Ok((FILE_VARIABLE.into(), absolute.into()))
}
