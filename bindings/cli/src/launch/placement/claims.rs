//! Which processors other jobs of this user are bound to.
//!
//! What: [`Claims`] reads them, and writes this job's, as locks on the bytes of an empty file: byte N is
//! processor N's.
//! Why: two jobs that know nothing of each other would both begin at the first core and take turns on it,
//! beside cores that nobody uses. Locks of `fcntl` die with the process that holds them, however it ends.
//! Step before: the launcher has read the machine. Step after: [`mod@super::seats`] takes what is free.
//!
//! ```text
//! open (its turn) ─▶ taken ─▶ claim ─▶ end_turn ... the job runs ... drop: the last removes the file
//! ```
//!
//! The file is `/run/user/UID/pamir-processors` where there is that directory, else
//! `/tmp/pamir-processors-UID`; `PAMIR_CLAIMS` names another one, or is `off`.
//!
//! Invariants: a file that is not a regular one of this user's is not used, nor one behind a link; nothing
//! of the file is read or written but its locks; who cannot get a turn soon does without.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{FcntlArg, fcntl};

/// The byte that who looks and claims has locked: behind the processors of every machine.
const TURN: i64 = 1 << 24;

/// How often a turn is tried, and how long is waited between.
const TRIES: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);

/// This job's claims, for as long as it runs.
#[derive(Debug)]
pub struct Claims {
    file: File,
    path: PathBuf,
}

impl Claims {
    /// Opens the user's file, and waits for a turn to look and claim.
    pub fn open() -> Option<Self> {
        match pamir_settings::CLAIMS.value() {
            Some(value) if value == "off" || value == "0" => None,
            Some(value) => Self::at(Path::new(&value)),
            None => Self::at(&own_path()),
        }
    }

    fn at(path: &Path) -> Option<Self> {
        for _ in 0..TRIES {
            let claims = Self {
                file: open_own(path)?,
                path: path.to_path_buf(),
            };
            if claims.lock(TURN, 1) {
                if claims.is_at_its_path() {
                    return Some(claims);
                }
                // Its last user has removed it since it was opened.
                continue;
            }
            std::thread::sleep(PAUSE);
        }
        None
    }

    /// Those of these processors that other jobs have.
    pub fn taken(&self, processors: &[u32]) -> Vec<u32> {
        let taken = |unit: &&u32| self.is_locked(i64::from(**unit), 1);
        processors.iter().filter(taken).copied().collect()
    }

    /// Claims these processors; what others have stays theirs.
    pub fn claim(&self, processors: &[u32]) {
        for unit in processors {
            self.lock(i64::from(*unit), 1);
        }
    }

    /// Lets others look and claim.
    pub fn end_turn(&self) {
        let _ = fcntl(
            &self.file,
            FcntlArg::F_OFD_SETLK(&range(libc::F_UNLCK, TURN, 1)),
        );
    }

    fn lock(&self, first: i64, bytes: i64) -> bool {
        let range = range(libc::F_WRLCK, first, bytes);
        fcntl(&self.file, FcntlArg::F_OFD_SETLK(&range)).is_ok()
    }

    /// Whether somebody else has locked any of these bytes.
    fn is_locked(&self, first: i64, bytes: i64) -> bool {
        let mut range = range(libc::F_WRLCK, first, bytes);
        let asked = fcntl(&self.file, FcntlArg::F_OFD_GETLK(&mut range));
        asked.is_ok() && range.l_type != libc::F_UNLCK as libc::c_short
    }

    fn is_at_its_path(&self) -> bool {
        let identity = |status: std::fs::Metadata| (status.dev(), status.ino());
        let own = self.file.metadata().map(identity);
        let there = std::fs::symlink_metadata(&self.path).map(identity);
        matches!((own, there), (Ok(own), Ok(there)) if own == there)
    }
}

impl Drop for Claims {
    /// The last user removes the file. Nobody can begin to use it meanwhile: it is this one's turn.
    fn drop(&mut self) {
        if self.lock(TURN, 1) && !self.is_locked(0, TURN) && self.is_at_its_path() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A lock on bytes, as the kernel is asked for it.
fn range(kind: libc::c_int, first: i64, bytes: i64) -> libc::flock {
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: first,
        l_len: bytes,
        l_pid: 0,
    }
}

/// Opens the file, or makes it; nothing unless it is an empty one of this user's.
fn open_own(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).ok()?;
    let status = file.metadata().ok()?;
    let own = status.uid() == user();
    (own && status.is_file() && status.len() == 0).then_some(file)
}

/// Who this process acts for.
fn user() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// Where the user's file is.
fn own_path() -> PathBuf {
    let user = user();
    let directory = PathBuf::from(format!("/run/user/{user}"));
    let private = std::fs::symlink_metadata(&directory).is_ok_and(|status| {
        status.is_dir() && status.uid() == user && status.permissions().mode() & 0o077 == 0
    });
    if private {
        directory.join("pamir-processors")
    } else {
        PathBuf::from(format!("/tmp/pamir-processors-{user}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("pamir-claims-{name}-{}", std::process::id()))
    }

    #[test]
    fn claims_are_seen_until_their_job_ends() {
        let path = path("seen");
        let one = Claims::at(&path).unwrap();
        assert!(one.taken(&[0, 1, 2, 3]).is_empty());
        one.claim(&[1, 3]);
        one.end_turn();
        let other = Claims::at(&path).unwrap();
        assert_eq!(other.taken(&[0, 1, 2, 3]), [1, 3]);
        other.claim(&[0, 1]);
        other.end_turn();
        assert_eq!(one.taken(&[0, 1, 2, 3]), [0]);
        drop(one);
        assert!(path.exists());
        assert!(other.taken(&[0, 1, 2, 3]).is_empty());
        drop(other);
        assert!(!path.exists());
    }

    #[test]
    fn one_looks_at_a_time() {
        let path = path("turn");
        let one = Claims::at(&path).unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| Claims::at(&path).map(|other| other.taken(&[5])));
            std::thread::sleep(Duration::from_millis(20));
            one.claim(&[5]);
            one.end_turn();
            assert_eq!(other.join().unwrap(), Some(vec![5]));
        });
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let target = path("written");
        std::fs::write(&target, "kept").unwrap();
        assert!(Claims::at(&target).is_none());
        let link = path("link");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink("/nowhere/at/all", &link).unwrap();
        assert!(Claims::at(&link).is_none());
        assert!(Claims::at(Path::new("/nowhere/at/all")).is_none());
        assert!(Claims::at(Path::new("/tmp")).is_none());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept");
        let _ = (std::fs::remove_file(target), std::fs::remove_file(link));
    }
}
