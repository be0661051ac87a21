//! `mpiexec --profile-comm FILE`: the file that ranks add their counts to.
//!
//! What: makes the file with its first lines, which name this machine, and tells the ranks its name, and which iterations
//! count apart (`--profile-iterations`); each adds its own lines in MPI_Finalize. Why the launcher
//! begins it: a file that cannot be written is known before anything runs, and an older profile is
//! never mixed with a new one.
//! Step before: [`super::arguments`]. Step after: `transport/src/tagged/profile/traffic.rs` in each rank.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use pamir_driver::topology::Machine;
use pamir_settings::{PROFILE_COMM, PROFILE_ITERATIONS};

use super::request::Launch;

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The file cannot be written.
    #[error("--profile-comm: cannot write {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Iterations are named, and no file to write them to.
    #[error("--profile-iterations needs --profile-comm FILE, the profile that they are a part of")]
    NoFile,
}

/// Makes the file of a job, if it is to have one; the variables that its ranks need.
pub fn begin(launch: &Launch) -> Result<Vec<(OsString, OsString)>, ProfileError> {
    let Some(path) = &launch.profile else {
        return match launch.profile_iterations {
            Some(_) => Err(ProfileError::NoFile),
            None => Ok(Vec::new()),
        };
    };
    let mut variables = vec![(PROFILE_COMM.name().into(), file(path, launch.ranks())?)];
    if let Some(range) = &launch.profile_iterations {
        variables.push((PROFILE_ITERATIONS.name().into(), range.into()));
    }
    Ok(variables)
}

/// Makes the file of a job of so many ranks; its name from anywhere.
fn file(path: &Path, ranks: usize) -> Result<OsString, ProfileError> {
    let failed = |source| ProfileError::File {
        path: path.to_path_buf(),
        source,
    };
    begin_file(path, ranks).map_err(failed)?;
    // Ranks may start in directories of their own.
    Ok(std::path::absolute(path).map_err(failed)?.into())
}

/// Not under another name at first, as ranks add their lines to it where it is.
fn begin_file(path: &Path, ranks: usize) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        // The launcher waits for no reader of a pipe.
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    // Of what is no machine of this library's, the profile says nothing.
    let machine = Machine::from_sysfs().map(|machine| machine.fingerprint().line());
    let machine = machine.unwrap_or_default();
    file.write_all(format!("# pamir communication 1\nranks {ranks}\n{machine}").as_bytes())
}
