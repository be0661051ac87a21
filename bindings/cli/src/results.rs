//! What the commands write: standard output, complaints, and files.
//!
//! What: [`fn@print`], [`complain`] and [`write_file`], which every command uses in place of
//! `println!`, `eprintln!` and `std::fs::write`.
//! Why: a result that a full disk has swallowed must not look like a good one. `println!` panics
//! where a reader has left, and a file cut short by an error looks like a whole one.
//! Step before: a command has its text. Step after: the command's exit code.
//! Invariants: a file has its old text or all of its new one; a reader that has left is no error.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use nix::sys::signal::{SigSet, Signal};

/// Standard output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {place}: {source}")]
pub struct PrintError {
    place: String,
    source: io::Error,
}

impl PrintError {
    fn new(source: io::Error) -> Self {
        let path = std::fs::read_link("/proc/self/fd/1").ok();
        let path = path.filter(|path| path.is_absolute());
        let place = match path {
            Some(path) => format!("standard output ({})", path.display()),
            None => "standard output".to_string(),
        };
        Self { place, source }
    }
}

/// Writes the text to standard output; a reader that has left is no error.
///
/// # Errors
///
/// [`PrintError`] for any other reason that it cannot be written.
pub fn print(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), PrintError> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_ref());
    judge(written.and_then(|()| output.flush()))
}

/// Prints `text`, or what kept it from coming about; the command's exit code, which is `code`
/// after an error.
pub fn conclude<E: std::fmt::Display>(command: &str, text: Result<String, E>, code: u8) -> u8 {
    let printed = match text {
        Ok(text) => print(&text).map_err(|error| (error.to_string(), 1)),
        Err(error) => Err((error.to_string(), code)),
    };
    match printed {
        Ok(()) => 0,
        Err((error, code)) => {
            complain(format_args!("{command}: {error}"));
            code
        }
    }
}

/// Judges an attempt to write standard output.
///
/// # Errors
///
/// [`PrintError`] unless it succeeded or the reader has left.
pub fn judge(written: io::Result<()>) -> Result<(), PrintError> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(PrintError::new),
    }
}

/// Writes a line to standard error.
pub fn complain(line: impl std::fmt::Display) {
    // Where standard error cannot be written there is nobody to tell, but the exit code.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Keeps SIGXFSZ away, so that a write beyond `ulimit -f` is an error like others. Programs that
/// are started afterwards have to get the mask back that this returns.
///
/// # Errors
///
/// What the kernel says.
pub fn hold_file_size_signal() -> Result<SigSet, nix::errno::Errno> {
    let before = SigSet::thread_get_mask()?;
    SigSet::from(Signal::SIGXFSZ).thread_block()?;
    Ok(before)
}

/// Writes a file whole: under another name, which becomes its own once everything is on the disk.
/// Pipes and devices are written as they are, and so are files in directories that are closed to
/// this user.
///
/// # Errors
///
/// What the system says; the file is then as it was.
pub fn write_file(path: &Path, text: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
    let text = text.as_ref();
    let (place, permissions) = match std::fs::metadata(path) {
        Ok(status) if status.is_file() => {
            let permissions = status.permissions();
            // A name that someone else may not write is not replaced either.
            OpenOptions::new().write(true).open(path)?;
            (std::fs::canonicalize(path)?, Some(permissions))
        }
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
            (path.to_path_buf(), None)
        }
        _ => return write_through(path, text),
    };
    let new = beside(&place);
    match OpenOptions::new().write(true).create_new(true).open(&new) {
        Ok(file) => {
            let replaced =
                fill(file, text, permissions).and_then(|()| std::fs::rename(&new, &place));
            replaced.inspect_err(|_| drop(std::fs::remove_file(&new)))
        }
        Err(error) if is_closed(&error) && permissions.is_some() => write_through(&place, text),
        Err(error) => Err(error),
    }
}

/// A name in the same directory that no other process chooses.
fn beside(place: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    place.with_file_name(name)
}

fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

fn fill(mut file: File, text: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(text)?;
    file.sync_all()
}

fn write_through(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text)?;
    // Some file systems tell only at the end that there was no room.
    nix::unistd::close(file).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("pamir-results-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn entries(&self) -> usize {
            std::fs::read_dir(&self.0).unwrap().count()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_replaced_whole_and_keeps_its_mode() {
        let folder = Folder::new("replaced");
        let (file, link) = (folder.0.join("file"), folder.0.join("link"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        // A link that leads to nothing yet is followed, too.
        write_file(&link, "old").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        write_file(&link, "new text").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new text");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert!(link.is_symlink());
        assert_eq!(folder.entries(), 2);
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_text_and_nothing_else() {
        let folder = Folder::new("failed");
        let file = folder.0.join("file");
        write_file(&file, "old").unwrap();
        let name = beside(&file);
        std::fs::write(&name, "somebody's").unwrap();
        assert!(write_file(&file, "new").is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        std::fs::remove_file(&name).unwrap();
        let nowhere = folder.0.join("nowhere/file");
        assert_eq!(
            write_file(&nowhere, "new").unwrap_err().kind(),
            ErrorKind::NotFound
        );
        assert_eq!(folder.entries(), 1);
    }

    #[test]
    fn devices_are_written_and_not_replaced() {
        write_file(Path::new("/dev/null"), "text").unwrap();
        let full = write_file(Path::new("/dev/full"), "text").unwrap_err();
        assert_eq!(full.kind(), ErrorKind::StorageFull);
        assert!(!Path::new("/dev/full").is_file());
    }
}
