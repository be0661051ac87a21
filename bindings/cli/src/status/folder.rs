//! The folder of a user's status sockets.
//!
//! What: [`Folder::make`] for a launcher, [`Folder::all`] for who looks for jobs; [`Folder::sweep`] removes the sockets of
//! launchers that were killed.
//! Why: nobody else may find, replace or answer for a socket: the folder is closed to others.
//! Step before: `mpiexec` has started its ranks, or `pamir jobs` was called. Step after: [`super::server`], [`super::client`].
//!
//! | candidate | when |
//! |---|---|
//! | `$PAMIR_STATUS` | it is set, and alone then; `off`: no folder |
//! | `$XDG_RUNTIME_DIR/pamir` | that folder is there, the user's, and written by nobody else |
//! | `/run/user/UID/pamir` | the same |
//! | `/tmp/pamir-UID` | always |
//!
//! Invariant: a folder that is used belongs to this user, is open to nobody else, and is no link.

use std::fs::{DirBuilder, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use super::socket_name::SocketName;

/// What the name of a socket begins with while nobody listens to it yet.
const UNFINISHED: &str = ".";

/// Why there is no folder for sockets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The user wants none.
    #[error("PAMIR_STATUS is off")]
    Off,
    /// Somebody else could write there.
    #[error("{path} is not a folder that belongs to this user and is closed to others (mode 0700)")]
    Open {
        /// The folder.
        path: PathBuf,
    },
    /// It cannot be made, or looked at.
    #[error("{path}: {source}")]
    System {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A folder that is this user's alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder for a new socket, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`FolderError`].
    pub fn make() -> Result<Self, FolderError> {
        let mut refused = None;
        for path in candidates()? {
            match Self::make_at(path) {
                Ok(folder) => return Ok(folder),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or(FolderError::Off))
    }

    fn make_at(path: PathBuf) -> Result<Self, FolderError> {
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(FolderError::System {
                path,
                source: error,
            }),
            _ => Self::checked(path),
        }
    }

    /// All folders that there are in which jobs of this user may have a socket.
    ///
    /// # Errors
    ///
    /// [`FolderError::Off`]; where there is none, why one that is there may not be used.
    pub fn all() -> Result<Vec<Self>, FolderError> {
        let (mut folders, mut refused) = (Vec::new(), None);
        for path in candidates()? {
            match Self::checked(path) {
                Ok(folder) => folders.push(folder),
                Err(FolderError::System { source, .. }) if source.kind() == ErrorKind::NotFound => {
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused {
            Some(error) if folders.is_empty() => Err(error),
            _ => Ok(folders),
        }
    }

    fn checked(path: PathBuf) -> Result<Self, FolderError> {
        match path.symlink_metadata() {
            Ok(status) if is_closed(&status, 0o077) => Ok(Self(path)),
            Ok(_) => Err(FolderError::Open { path }),
            Err(source) => Err(FolderError::System { path, source }),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where the socket of that name is.
    pub fn socket(&self, name: SocketName) -> PathBuf {
        self.0.join(name.to_string())
    }

    /// Where the socket of that name is until somebody listens to it.
    pub fn unfinished(&self, name: SocketName) -> PathBuf {
        self.0.join(format!("{UNFINISHED}{name}"))
    }

    /// The sockets of launchers that live, or that cannot be told to have ended from here. Those of others are removed.
    pub fn sweep(&self) -> Vec<SocketName> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut living = Vec::new();
        for entry in entries {
            let file = entry.file_name();
            let Some(text) = file.to_str() else { continue };
            let whole = text.strip_prefix(UNFINISHED);
            let Ok(name) = whole.unwrap_or(text).parse::<SocketName>() else {
                continue;
            };
            if name.is_stale() {
                let _ = std::fs::remove_file(entry.path());
            } else if whole.is_none() {
                living.push(name);
            }
        }
        living.sort_unstable();
        living
    }

    /// Removes it if it is empty.
    pub fn remove_if_empty(&self) {
        // One that is not empty stays.
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Where sockets may be, the best place first.
fn candidates() -> Result<Vec<PathBuf>, FolderError> {
    if let Some(told) = pamir_settings::STATUS.value() {
        return match told.to_str() {
            Some("off" | "0") => Err(FolderError::Off),
            _ => Ok(vec![told.into()]),
        };
    }
    let user = geteuid();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let usual = PathBuf::from(format!("/run/user/{user}"));
    let mut places: Vec<PathBuf> = Vec::new();
    for base in runtime.into_iter().chain([usual]) {
        let closed = base
            .symlink_metadata()
            .is_ok_and(|status| is_closed(&status, 0o022));
        let place = base.join("pamir");
        if base.is_absolute() && closed && !places.contains(&place) {
            places.push(place);
        }
    }
    places.push(format!("/tmp/pamir-{user}").into());
    Ok(places)
}

/// Whether it is a folder of this user's without these permissions.
fn is_closed(status: &Metadata, permissions: u32) -> bool {
    status.is_dir() && status.uid() == geteuid().as_raw() && status.mode() & permissions == 0
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder that goes with the test.
    pub(in crate::status) struct Temporary(pub Folder);

    impl Temporary {
        pub(in crate::status) fn new(name: &str) -> Self {
            let name = format!("pamir-status-{name}-{}", std::process::id());
            Self(Folder::make_at(std::env::temp_dir().join(name)).unwrap())
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(self.0.path());
        }
    }

    #[test]
    fn a_folder_that_others_can_use_is_refused() {
        let folder = Temporary::new("open");
        let path = folder.0.path();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(Folder::make_at(path.into()).unwrap(), folder.0);
        let link = path.join("link");
        std::os::unix::fs::symlink(path, &link).unwrap();
        assert!(matches!(
            Folder::make_at(link),
            Err(FolderError::Open { .. })
        ));
        let file = path.join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(
            Folder::make_at(file),
            Err(FolderError::Open { .. })
        ));
        for mode in [0o701, 0o740, 0o777] {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
            assert!(matches!(
                Folder::make_at(path.into()),
                Err(FolderError::Open { .. })
            ));
        }
        let nowhere = Folder::make_at(path.join("not/there"));
        assert!(matches!(nowhere, Err(FolderError::System { .. })));
    }

    #[test]
    fn sockets_of_processes_that_are_gone_are_removed() {
        let folder = Temporary::new("sweep");
        let own = SocketName::own();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let other = own
            .to_string()
            .replacen(&own.process.to_string(), &child.id().to_string(), 1);
        child.wait().unwrap();
        for name in [
            &own.to_string(),
            &other,
            &format!(".{other}"),
            "notes.socket",
        ] {
            std::fs::write(folder.0.path().join(name), "").unwrap();
        }
        assert_eq!(folder.0.sweep(), [own]);
        let mut left: Vec<_> = std::fs::read_dir(folder.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut expected = [own.to_string(), "notes.socket".to_string()];
        expected.sort();
        assert_eq!(left, expected);
    }
}
