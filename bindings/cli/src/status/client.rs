//! The other end: asks the launchers of this user's jobs.
//!
//! What: [`jobs`] asks all at once, each on a thread of its own.
//! Step before: `pamir jobs`. Step after: a table, or the documents as they are.
//! Invariant: a launcher that does not answer, since it is stopped for one, is waited for no longer than [`PATIENCE`], and
//! holds up no other one.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};

use super::REQUEST;
use super::folder::{Folder, FolderError};
use super::socket_name::SocketName;

/// How long a launcher may take for each part of its answer.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// More than the documents of the largest jobs have.
const MOST_BYTES: u64 = 16 << 20;

/// A job and what its launcher says.
#[derive(Debug)]
pub struct Answer {
    /// The job.
    pub name: SocketName,
    /// The document's text, or why there is none.
    pub text: io::Result<String>,
}

/// Asks the launchers of all jobs of this user, or of job `only` alone. Jobs that end meanwhile are left out.
///
/// # Errors
///
/// [`FolderError`] if their sockets cannot be looked for.
pub fn jobs(only: Option<u32>) -> Result<Vec<Answer>, FolderError> {
    let folders = Folder::all()?;
    let wanted = |name: &SocketName| only.is_none_or(|process| process == name.process);
    let answers = std::thread::scope(|scope| {
        let asked: Vec<_> = folders
            .iter()
            .flat_map(|folder| folder.sweep().into_iter().map(move |name| (folder, name)))
            .filter(|(_, name)| wanted(name))
            .map(|(folder, name)| (name, scope.spawn(move || answer(folder, name))))
            .collect();
        let joined = asked.into_iter().map(|(name, asked)| {
            let lost = |_| Some(Err(io::Error::other("the thread that asked has ended")));
            Some(Answer {
                name,
                text: asked.join().unwrap_or_else(lost)?,
            })
        });
        joined.flatten().collect()
    });
    Ok(answers)
}

/// What one launcher says; nothing if it is gone.
fn answer(folder: &Folder, name: SocketName) -> Option<io::Result<String>> {
    let path = folder.socket(name);
    let text = ask(&path);
    let gone = |error: &io::Error| {
        matches!(
            error.kind(),
            ErrorKind::NotFound | ErrorKind::ConnectionRefused
        )
    };
    match &text {
        Err(error) if gone(error) => {
            // Of another PID namespace, where nobody can tell otherwise that a launcher has been killed.
            if error.kind() == ErrorKind::ConnectionRefused && !name.is_known_here() {
                let _ = std::fs::remove_file(path);
            }
            None
        }
        Err(_) if name.is_stale() => None,
        _ => Some(text),
    }
}

fn ask(path: &Path) -> io::Result<String> {
    let mut stream = connection(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("{REQUEST}\n").as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    let mut text = String::new();
    match stream.take(MOST_BYTES).read_to_string(&mut text) {
        Ok(0) => Err(io::Error::new(
            ErrorKind::UnexpectedEof,
            "its launcher says nothing",
        )),
        Ok(_) => Ok(text),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Err(silent()),
        Err(error) => Err(error),
    }
}

fn silent() -> io::Error {
    let text = format!(
        "its launcher does not answer within {} s",
        PATIENCE.as_secs()
    );
    io::Error::new(ErrorKind::TimedOut, text)
}

/// Connects without waiting for a launcher that has as many clients as the kernel keeps for it.
fn connection(path: &Path) -> io::Result<UnixStream> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    let connected = connect(
        std::os::fd::AsRawFd::as_raw_fd(&socket),
        &UnixAddr::new(path)?,
    );
    connected.map_err(|errno| match errno {
        nix::errno::Errno::EAGAIN => silent(),
        errno => errno.into(),
    })?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}
