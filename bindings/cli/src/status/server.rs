//! The launcher's end: a socket that answers while the launcher does something else.
//!
//! What: [`Server`] listens, and keeps the few clients that are in the middle of their exchange.
//! Why: the launcher has one loop, which waits for everything at once and for nothing alone.
//! Step before: the loop of [`crate::launch::supervise`] sees that a descriptor is ready. Step after: it hands in the document.
//!
//! ```text
//! connection ─▶ this user's? ─▶ asking ──whole line, end, or too long──▶ answering ──all sent──▶ done
//!                  │no            │ time is up                            │ time is up
//!                  └──────────────┴───────────────▶ done ◀────────────────┘
//! ```
//!
//! Invariants: no call here waits; there are at most [`MOST_CLIENTS`], each for at most [`PATIENCE`]; the socket goes
//! with the server.

use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::poll::PollFlags;
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use nix::unistd::{Uid, geteuid};

use super::REQUEST;
use super::document::Refusal;
use super::folder::{Folder, FolderError};
use super::socket_name::SocketName;

/// How long an exchange may take from the connection on.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// Exchanges at a time; the kernel keeps some more clients waiting.
pub const MOST_CLIENTS: usize = 16;
/// The longest request that is looked at.
const MOST_REQUEST_BYTES: usize = 256;
/// How often the folder is made anew.
const MOST_TRIES: u32 = 100;
/// How long nobody is let in after the system has refused a connection.
const PAUSE: Duration = Duration::from_secs(1);

/// Why a job has no status.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// There is no folder for it.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The socket cannot be made.
    #[error("{path}: {source}")]
    Socket {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a descriptor of [`Server::descriptors`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusEvent {
    /// Somebody connects.
    Connection,
    /// This client can be read or written.
    Client(usize),
}

/// The socket of a job.
#[derive(Debug)]
pub struct Server {
    folder: Folder,
    path: PathBuf,
    listener: UnixListener,
    user: Uid,
    clients: Vec<Client>,
    paused_until: Option<Instant>,
}

impl Server {
    /// Opens the socket of this process in the user's folder, and removes those of launchers that are gone.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn open() -> Result<Self, ServerError> {
        let mut tries = 0;
        loop {
            let folder = Folder::make()?;
            folder.sweep();
            match Self::open_in(folder) {
                // The last job before has just removed the folder.
                Err(ServerError::Socket { source, .. })
                    if source.kind() == ErrorKind::NotFound && tries < MOST_TRIES =>
                {
                    tries += 1;
                }
                outcome => return outcome,
            }
        }
    }

    fn open_in(folder: Folder) -> Result<Self, ServerError> {
        let name = SocketName::own();
        let path = folder.socket(name);
        match listen(&folder.unfinished(name), &path) {
            Ok(listener) => Ok(Self {
                folder,
                path,
                listener,
                user: geteuid(),
                clients: Vec::new(),
                paused_until: None,
            }),
            Err(source) => Err(ServerError::Socket { path, source }),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the loop waits for.
    pub fn descriptors(&self) -> impl Iterator<Item = (StatusEvent, BorrowedFd<'_>, PollFlags)> {
        let lets_in = self.clients.len() < MOST_CLIENTS && self.paused_until.is_none();
        let connection = (
            StatusEvent::Connection,
            self.listener.as_fd(),
            PollFlags::POLLIN,
        );
        let clients = self.clients.iter().enumerate().map(|(number, client)| {
            let event = StatusEvent::Client(number);
            (event, client.stream.as_fd(), client.stage.awaits())
        });
        lets_in.then_some(connection).into_iter().chain(clients)
    }

    /// Deals with what has happened; who has asked gets the `document`.
    pub fn handle(&mut self, event: StatusEvent, document: impl FnOnce() -> Vec<u8>) {
        match event {
            StatusEvent::Connection => self.let_in(),
            StatusEvent::Client(number) => {
                if let Some(client) = self.clients.get_mut(number) {
                    client.go_on(document);
                }
            }
        }
    }

    /// When something is due, if anything is.
    pub fn due(&self) -> Option<Instant> {
        let clients = self.clients.iter().map(|client| client.give_up_at);
        clients.chain(self.paused_until).min()
    }

    /// Forgets clients that are done, and those that have taken too long. Their numbers mean others afterwards.
    pub fn tidy(&mut self, now: Instant) {
        let stays = |client: &Client| client.stage != Stage::Done && client.give_up_at > now;
        self.clients.retain(stays);
        self.paused_until = self.paused_until.filter(|until| *until > now);
    }

    fn let_in(&mut self) {
        while self.clients.len() < MOST_CLIENTS {
            match self.listener.accept() {
                Ok((stream, _)) => self.clients.extend(Client::new(stream, self.user)),
                Err(error) if is_passing(&error) => {}
                Err(error) => {
                    if error.kind() != ErrorKind::WouldBlock {
                        // There are no descriptors left, for one: it would be ready again at once.
                        self.paused_until = Some(Instant::now() + PAUSE);
                    }
                    return;
                }
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        self.folder.remove_if_empty();
    }
}

/// A listener under `path`, which is there only once it listens.
fn listen(unfinished: &Path, path: &Path) -> io::Result<UnixListener> {
    // Left by a process that had this one's number and start, if at all.
    let _ = fs::remove_file(unfinished);
    let listener = UnixListener::bind(unfinished)?;
    let named = listener
        .set_nonblocking(true)
        .and_then(|()| fs::rename(unfinished, path));
    named.inspect_err(|_| drop(fs::remove_file(unfinished)))?;
    Ok(listener)
}

/// Whether the same call may succeed the next time.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Interrupted | ErrorKind::ConnectionAborted
    )
}

/// Who has connected.
#[derive(Debug)]
struct Client {
    stream: UnixStream,
    stage: Stage,
    give_up_at: Instant,
}

/// How far a client is.
#[derive(Debug, PartialEq)]
enum Stage {
    Asking { request: Vec<u8> },
    Answering { text: Vec<u8>, sent: usize },
    Done,
}

impl Stage {
    fn awaits(&self) -> PollFlags {
        match self {
            Stage::Answering { .. } => PollFlags::POLLOUT,
            Stage::Asking { .. } | Stage::Done => PollFlags::POLLIN,
        }
    }
}

impl Client {
    /// The client, if it acts for `user`.
    fn new(stream: UnixStream, user: Uid) -> Option<Self> {
        let peer = getsockopt(&stream, PeerCredentials).ok()?;
        stream.set_nonblocking(true).ok()?;
        (peer.uid() == user.as_raw()).then(|| Self {
            stream,
            stage: Stage::Asking {
                request: Vec::new(),
            },
            give_up_at: Instant::now() + PATIENCE,
        })
    }

    fn go_on(&mut self, document: impl FnOnce() -> Vec<u8>) {
        if let Stage::Asking { request } = &mut self.stage {
            match read_request(&mut self.stream, request) {
                Ok(true) => {
                    let text = answer(request, document);
                    self.stage = Stage::Answering { text, sent: 0 };
                }
                Ok(false) => return,
                Err(_) => self.stage = Stage::Done,
            }
        }
        if let Stage::Answering { text, sent } = &mut self.stage {
            match send(&mut self.stream, &text[*sent..]) {
                Ok(count) if *sent + count < text.len() => *sent += count,
                // Sent, or nobody takes it any more.
                Ok(_) | Err(_) => self.stage = Stage::Done,
            }
        }
    }
}

/// Reads what has come; whether the request is whole, or too long to become one.
fn read_request(stream: &mut UnixStream, request: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 4 * MOST_REQUEST_BYTES];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(true),
            Ok(count) => {
                request.extend_from_slice(&buffer[..count]);
                if request.contains(&b'\n') || request.len() > MOST_REQUEST_BYTES {
                    return Ok(true);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn answer(request: &[u8], document: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let line = request
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let mut text = if line.trim_ascii() == REQUEST.as_bytes() {
        document()
    } else {
        let error = format!("ask for {REQUEST:?}, in a line of its own");
        serde_json::to_vec(&Refusal { error }).unwrap_or_default()
    };
    text.push(b'\n');
    text
}

/// Sends as much as the socket takes now.
fn send(stream: &mut UnixStream, text: &[u8]) -> io::Result<usize> {
    let mut sent = 0;
    while sent < text.len() {
        match stream.write(&text[sent..]) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::folder::tests::Temporary;

    const TEXT: &str = r#"{"job":1}"#;

    fn server(name: &str) -> (Server, Temporary) {
        let folder = Temporary::new(name);
        (Server::open_in(folder.0.clone()).unwrap(), folder)
    }

    /// A turn of the launcher's loop in which everybody is ready.
    fn turn(server: &mut Server, document: &str) {
        let events: Vec<_> = server.descriptors().map(|(event, ..)| event).collect();
        for event in events {
            server.handle(event, || document.into());
        }
        server.tidy(Instant::now());
    }

    fn ask(server: &mut Server, request: &[u8]) -> String {
        let mut client = UnixStream::connect(server.path()).unwrap();
        client.write_all(request).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        for _ in 0..3 {
            turn(server, TEXT);
        }
        let mut text = String::new();
        client.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_request_is_answered_and_everything_else_is_refused() {
        let (mut server, _folder) = server("requests");
        for good in ["status\n", "status", " status \r\n", "status\nmore"] {
            assert_eq!(
                ask(&mut server, good.as_bytes()),
                format!("{TEXT}\n"),
                "{good:?}"
            );
        }
        let long = vec![b'x'; 4 * MOST_REQUEST_BYTES];
        for bad in [
            &b""[..],
            b"\n",
            b"statu",
            b"status?\n",
            b"\xff\xfe\0\n",
            b"{}\n",
            &long,
        ] {
            let text = ask(&mut server, bad);
            let refusal: Refusal = serde_json::from_str(&text).unwrap();
            assert!(refusal.error.contains("\"status\""), "{text}");
        }
        assert!(server.clients.is_empty());
    }

    #[test]
    fn a_client_that_says_nothing_or_takes_nothing_is_dropped() {
        let (mut server, _folder) = server("silent");
        let _silent = UnixStream::connect(server.path()).unwrap();
        let mut deaf = UnixStream::connect(server.path()).unwrap();
        deaf.write_all(b"status\n").unwrap();
        let long = "x".repeat(16 << 20);
        for _ in 0..4 {
            turn(&mut server, &long);
        }
        let stages: Vec<_> = server
            .clients
            .iter()
            .map(|client| client.stage.awaits())
            .collect();
        assert_eq!(stages, [PollFlags::POLLIN, PollFlags::POLLOUT]);
        // Others are served meanwhile.
        assert_eq!(ask(&mut server, b"status\n"), format!("{TEXT}\n"));
        let due = server.due().unwrap();
        assert!(due <= Instant::now() + PATIENCE);
        server.tidy(due + PATIENCE);
        assert!(server.clients.is_empty() && server.due().is_none());
    }

    #[test]
    fn a_long_document_goes_in_parts() {
        let (mut server, _folder) = server("parts");
        let long = "0123456789".repeat(1 << 17);
        let mut client = UnixStream::connect(server.path()).unwrap();
        client.write_all(b"sta").unwrap();
        turn(&mut server, &long);
        turn(&mut server, &long);
        client.write_all(b"tus\n").unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            client.read_to_string(&mut text).map(|_| text)
        });
        while !server.clients.is_empty() {
            turn(&mut server, &long);
            std::thread::yield_now();
        }
        assert_eq!(reader.join().unwrap().unwrap(), format!("{long}\n"));
    }

    #[test]
    fn others_are_not_answered() {
        let (mut server, _folder) = server("others");
        server.user = Uid::from_raw(server.user.as_raw() + 1);
        let mut client = UnixStream::connect(server.path()).unwrap();
        client.write_all(b"status\n").unwrap();
        turn(&mut server, TEXT);
        assert!(server.clients.is_empty());
        // It may be told that what it said was not read.
        let mut text = String::new();
        let _ = client.read_to_string(&mut text);
        assert_eq!(text, "");
    }

    #[test]
    fn only_so_many_are_let_in() {
        let (mut server, _folder) = server("many");
        let clients: Vec<_> = (0..MOST_CLIENTS + 3)
            .map(|_| UnixStream::connect(server.path()).unwrap())
            .collect();
        turn(&mut server, TEXT);
        assert_eq!(server.clients.len(), MOST_CLIENTS);
        let awaited = |server: &Server| {
            server
                .descriptors()
                .any(|(event, ..)| event == StatusEvent::Connection)
        };
        assert!(!awaited(&server));
        drop(clients);
        turn(&mut server, TEXT);
        turn(&mut server, TEXT);
        assert!(awaited(&server) && server.clients.len() <= 3);
    }

    #[test]
    fn the_socket_goes_with_its_server() {
        let (server, folder) = server("gone");
        let path = server.path().to_path_buf();
        assert!(path.exists());
        assert_eq!(folder.0.sweep(), [SocketName::own()]);
        drop(server);
        assert!(!path.exists() && !folder.0.path().exists());
    }
}
