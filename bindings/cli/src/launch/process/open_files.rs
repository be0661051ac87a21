//! Room for the launcher's descriptors.
//!
//! What: [`raise`] raises the soft limit of open files as far as a job needs.
//! Why: the usual limit of 1024 was made for `select`. Ranks get it back, as they may use that.
//! Step before: [`crate::launch::arguments`] say how large the job is. Step after: [`crate::launch::nodes`] and
//! [`super::start`], which open what is counted here.

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::launch::input::InputTo;
use crate::launch::request::Launch;

/// Descriptors of the launcher beside those that grow with the job.
const OTHERS: u64 = 64;

/// There is no room.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenFilesError {
    /// The job needs more than the limit that cannot be raised.
    #[error(
        "{needed} open files are needed, and the limit is {hard}: raise it (ulimit -Hn), or start fewer ranks or --nodes"
    )]
    TooFew {
        /// What the job needs.
        needed: u64,
        /// The hard limit.
        hard: u64,
    },
    /// The system refused.
    #[error("cannot raise the limit of open files: {}", .0.desc())]
    System(#[from] Errno),
}

/// Makes room for the job's pipes and connections; returns the soft limit that ranks get back, if
/// it was raised.
pub fn raise(launch: &Launch) -> Result<Option<u64>, OpenFilesError> {
    let needed = needed(launch);
    let wanted = needed + OTHERS;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if needed > hard {
        return Err(OpenFilesError::TooFew { needed, hard });
    }
    if wanted <= soft {
        return Ok(None);
    }
    setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard)?;
    Ok(Some(soft))
}

/// What grows with the job: two pipes a rank, its files, what passes standard input on, and what
/// its nodes need.
fn needed(launch: &Launch) -> u64 {
    let ranks = launch.ranks();
    let pipes = match launch.input {
        InputTo::All => 4 * ranks,
        InputTo::Rank(_) | InputTo::Nobody => 2 * ranks,
    };
    let files = launch.output.files(ranks);
    (pipes + files + launch.nodes.descriptors(launch.network.unwrap_or_default())) as u64
}
