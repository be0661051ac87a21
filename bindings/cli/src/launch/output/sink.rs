//! Lines on their way to one target.
//!
//! What: a [`Sink`] keeps what its [`Target`] does not take at once, in order, and knows whose
//! line was cut.
//! Why: lines of different ranks must never be mixed, and nothing that a rank printed may be lost
//! without a word.
//! Step before: [`super::Output`] reads ranks' pipes. Step after: [`super::target`].
//!
//! ```text
//! open --the reader has left (EPIPE)------------> unread: ranks learn it (SIGPIPE)
//!   |---cannot be written (full disk)-----------> lost: ranks are read on, and the loss is told
//!   +---given up, as the reader takes nothing---> lost
//! ```
//!
//! Invariants: bytes leave in the order they were put; once some are lost none follow, so that no
//! output has holes.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use nix::errno::Errno;

use super::target::Target;

/// What a sink may hold before its streams are left unread.
pub const WAITING_LIMIT_BYTES: usize = 1 << 20;

/// Who wrote the last, unfinished line of a sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// The pipe of this number.
    Stream(usize),
    /// mpiexec itself.
    Launcher,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Unread,
    Lost,
}

/// Where lines go.
#[derive(Debug)]
pub struct Sink {
    target: Option<Target>,
    name: &'static str,
    path: Option<String>,
    waiting: Vec<u8>,
    written: usize,
    unfinished: Option<Writer>,
    state: State,
    trouble: Option<String>,
    /// When the reader last took something.
    taken_at: Instant,
}

impl Sink {
    /// A sink on a target, which people know by this name.
    pub fn new(name: &'static str, target: Target) -> Sink {
        Sink {
            path: target.path.clone(),
            target: Some(target),
            name,
            waiting: Vec::new(),
            written: 0,
            unfinished: None,
            state: State::Open,
            trouble: None,
            taken_at: Instant::now(),
        }
    }

    /// Whether bytes wait for the reader.
    pub fn is_waiting(&self) -> bool {
        self.waiting_bytes() > 0
    }

    /// Whether there is room for more.
    pub fn has_room(&self) -> bool {
        self.waiting_bytes() < WAITING_LIMIT_BYTES
    }

    /// Whether a person reads it.
    pub fn is_terminal(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.terminal)
    }

    /// Whether its reader has left.
    pub fn is_unread(&self) -> bool {
        self.state == State::Unread
    }

    /// When the reader last took something.
    pub fn taken_at(&self) -> Instant {
        self.taken_at
    }

    /// What to poll for writing.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.target.as_ref().map(AsFd::as_fd)
    }

    /// The sentence about lost output, the first time that it is asked for after a loss.
    pub fn take_trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// Writes what waits as far as the reader takes it.
    pub fn flush(&mut self) {
        while self.is_waiting() {
            let Some(target) = &self.target else { break };
            match target.write(&self.waiting[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    self.taken_at = Instant::now();
                }
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => break,
                Err(Errno::EPIPE) => self.end(State::Unread),
                Err(errno) => self.lose(errno),
            }
        }
        if !self.is_waiting() {
            self.waiting.clear();
            self.written = 0;
        } else if self.written >= WAITING_LIMIT_BYTES {
            self.waiting.drain(..self.written);
            self.written = 0;
        }
    }

    /// Adds a writer's text, each of whose lines begins with the tag.
    pub fn put(&mut self, writer: Writer, tag: Option<&str>, text: &[u8]) {
        if text.is_empty() || self.state != State::Open {
            return;
        }
        let continued = self.unfinished == Some(writer);
        if self.unfinished.is_some() && !continued {
            self.waiting.push(b'\n');
        }
        match tag {
            None => self.waiting.extend_from_slice(text),
            Some(tag) => {
                for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
                    if index > 0 || !continued {
                        self.waiting.extend_from_slice(tag.as_bytes());
                    }
                    self.waiting.extend_from_slice(line);
                }
            }
        }
        self.unfinished = (!text.ends_with(b"\n")).then_some(writer);
        self.flush();
    }

    /// Drops what the reader has not taken; how many bytes those are.
    pub fn give_up(&mut self) -> usize {
        let bytes = self.waiting_bytes();
        if bytes > 0 {
            self.end(State::Lost);
            self.trouble = Some(format!(
                "{} is not read; {bytes} bytes of output are lost",
                self.full_name()
            ));
        }
        bytes
    }

    /// Nothing more comes: learns whether the file system has taken everything.
    pub fn close(&mut self) {
        if self.state == State::Open
            && !self.is_waiting()
            && let Some(target) = self.target.take()
            && let Err(errno) = target.close()
        {
            self.lose(errno);
        }
    }

    fn waiting_bytes(&self) -> usize {
        self.waiting.len() - self.written
    }

    fn lose(&mut self, errno: Errno) {
        self.end(State::Lost);
        self.trouble = Some(format!(
            "cannot write {}: {}; the ranks' further output there is lost",
            self.full_name(),
            errno.desc()
        ));
    }

    fn end(&mut self, state: State) {
        self.state = state;
        self.waiting.clear();
        self.written = 0;
        self.target = None;
    }

    fn full_name(&self) -> String {
        match &self.path {
            Some(path) => format!("{} ({path})", self.name),
            None => self.name.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::fcntl::OFlag;
    use nix::unistd::pipe2;
    use std::io::Read;

    fn sink(descriptor: &impl AsFd) -> Sink {
        Sink::new("output", Target::of(descriptor.as_fd()).expect("a target"))
    }

    fn pair() -> (Sink, std::fs::File) {
        let (reader, writer) = pipe2(OFlag::O_CLOEXEC).expect("a pipe");
        (sink(&writer), std::fs::File::from(reader))
    }

    fn text(sink: Sink, mut reader: std::fs::File) -> String {
        drop(sink);
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("what was written");
        text
    }

    #[test]
    fn a_cut_line_is_ended_before_another_writer() {
        let (mut sink, reader) = pair();
        sink.put(Writer::Stream(0), None, b"half");
        sink.put(Writer::Stream(0), None, b" line");
        sink.put(Writer::Stream(1), None, b"whole\n");
        sink.put(Writer::Stream(0), None, b"end");
        assert_eq!(text(sink, reader), "half line\nwhole\nend");
    }

    #[test]
    fn tags_begin_every_line_and_no_continuation() {
        let (mut sink, reader) = pair();
        sink.put(Writer::Stream(0), Some("[0] "), b"a\nb");
        sink.put(Writer::Stream(0), Some("[0] "), b"c\n\n");
        sink.put(Writer::Stream(2), Some("[1] "), b"d\n");
        assert_eq!(text(sink, reader), "[0] a\n[0] bc\n[0] \n[1] d\n");
    }

    #[test]
    fn a_full_pipe_keeps_bytes_waiting_in_order() {
        let (mut sink, mut reader) = pair();
        let line = [b'x'; 300_000];
        sink.put(Writer::Stream(0), None, &line);
        assert!(sink.is_waiting());
        sink.put(Writer::Stream(0), None, b"end\n");
        let mut all = Vec::new();
        let mut chunk = [0; 65536];
        while all.len() < line.len() + 4 {
            let count = reader.read(&mut chunk).expect("bytes");
            all.extend_from_slice(&chunk[..count]);
            sink.flush();
        }
        assert!(all.ends_with(b"xend\n") && !sink.is_waiting());
    }

    #[test]
    fn a_reader_that_left_is_no_loss() {
        let (mut sink, reader) = pair();
        drop(reader);
        sink.put(Writer::Stream(0), None, b"line\n");
        assert!(sink.is_unread() && !sink.is_waiting());
        assert_eq!(sink.take_trouble(), None);
    }

    #[test]
    fn a_full_disk_is_told_once_and_named() {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full");
        let mut sink = sink(&full);
        sink.put(Writer::Stream(0), None, b"line\n");
        let said = sink.take_trouble().expect("a loss");
        assert!(said.contains("output (/dev/full): No space left"), "{said}");
        sink.put(Writer::Stream(0), None, b"line\n");
        assert_eq!(sink.take_trouble(), None);
        assert!(!sink.is_unread() && !sink.is_waiting());
    }

    #[test]
    fn a_reader_that_takes_nothing_can_be_given_up() {
        let (mut sink, _reader) = pair();
        sink.put(Writer::Stream(0), None, &[b'x'; 300_000]);
        let lost = sink.give_up();
        assert!((1..300_000).contains(&lost));
        let said = sink.take_trouble().expect("a loss");
        assert!(said.contains(&format!("{lost} bytes")), "{said}");
        assert!(!sink.is_waiting());
    }
}
