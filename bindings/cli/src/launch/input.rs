//! Standard input, for the ranks that are to have it.
//!
//! What: [`InputTo`] says who reads; [`open`] gives each rank what it reads ([`RankInput`]), and
//! what the launcher has to pass on ([`Input`]).
//! Why: ranks live in process groups of their own, and a terminal stops a process that reads it from
//! another group than the one in front; and what several ranks are to read has to be copied. Files
//! and pipes for one rank need none of this: it inherits them.
//!
//! ```text
//! terminal, or all ranks:  0 --> Input [ what the slowest has not read yet ] --pipes--> ranks
//! one rank, no terminal:   0 --> the rank
//! ```
//!
//! Step before: [`super::process::start`]. Step after: the ranks.
//! Invariants: a terminal is read only while the launcher's group is in front; nothing is read while
//! a rank has `AHEAD_BYTES` still to read, and neither reading nor writing waits.

use std::io::IsTerminal;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::str::FromStr;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open as open_path};
use nix::poll::PollFlags;
use nix::sys::stat::{Mode, SFlag, fstat};
use nix::unistd::{getpgrp, pipe2, read, tcgetpgrp, write};
use pamir_shm::refusal::Refusal;

/// How far the fastest rank may be ahead of the slowest.
const AHEAD_BYTES: usize = 16 << 20;
const READ_BYTES: usize = 64 << 10;

/// Who reads standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputTo {
    /// This rank.
    Rank(usize),
    /// Every rank, all of it.
    All,
    /// Nobody.
    Nobody,
}

impl Default for InputTo {
    fn default() -> Self {
        Self::Rank(0)
    }
}

impl FromStr for InputTo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "none" => Ok(Self::Nobody),
            rank => rank.parse().map(Self::Rank).map_err(|_| {
                format!("--stdin: `{rank}` is neither the number of a rank, nor all or none")
            }),
        }
    }
}

/// Why standard input cannot be passed on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There is no such rank.
    #[error("--stdin {rank}: the job has {ranks} ranks, from 0 on")]
    NoRank {
        /// The rank that was named.
        rank: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// The system refused.
    #[error("cannot set up standard input: {}", Refusal(*.0))]
    System(#[from] Errno),
}

/// What a rank reads.
#[derive(Debug, Clone, Copy)]
pub enum Reads<'a> {
    /// The launcher's own standard input.
    Own,
    /// A pipe from the launcher.
    Pipe(BorrowedFd<'a>),
    /// Nothing.
    Nothing,
}

/// What each rank reads.
#[derive(Debug)]
pub struct RankInput {
    to: InputTo,
    /// The ends that ranks read, where the launcher passes something on.
    pipes: Vec<OwnedFd>,
}

impl RankInput {
    /// What this rank reads.
    pub fn of(&self, rank: usize) -> Reads<'_> {
        let pipe = match self.to {
            InputTo::Rank(reader) if reader == rank => self.pipes.first(),
            InputTo::All => self.pipes.get(rank),
            InputTo::Rank(_) | InputTo::Nobody => return Reads::Nothing,
        };
        pipe.map_or(Reads::Own, |pipe| Reads::Pipe(pipe.as_fd()))
    }
}

/// Standard input, opened for a job of so many ranks.
///
/// # Errors
///
/// [`InputError`].
pub fn open(to: InputTo, ranks: usize) -> Result<(Option<Input>, RankInput), InputError> {
    let terminal = std::io::stdin().is_terminal();
    let readers = match to {
        InputTo::Rank(rank) if rank >= ranks => return Err(InputError::NoRank { rank, ranks }),
        InputTo::All => ranks,
        InputTo::Rank(_) if terminal => 1,
        InputTo::Rank(_) | InputTo::Nobody => 0,
    };
    let (mut pipes, mut readers_of) = (Vec::new(), Vec::new());
    for _ in 0..readers {
        let (reader, writer) = pipe2(OFlag::O_CLOEXEC)?;
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        pipes.push(reader);
        readers_of.push(Reader {
            pipe: Some(writer),
            read: 0,
        });
    }
    let input = (readers > 0).then(|| Input::new(terminal, readers_of));
    Ok((input.transpose()?, RankInput { to, pipes }))
}

/// What has happened to standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputEvent {
    /// It can be read.
    Readable,
    /// This reader can take something.
    Writable(usize),
}

/// A rank that reads, and how much of what the launcher has it has read.
#[derive(Debug)]
struct Reader {
    pipe: Option<OwnedFd>,
    read: usize,
}

/// The passing-on.
#[derive(Debug)]
pub struct Input {
    /// Opened anew where that is possible: whoever reads it, too, may have taken what poll has seen.
    source: Option<OwnedFd>,
    socket: bool,
    terminal: bool,
    ended: bool,
    waiting: Vec<u8>,
    readers: Vec<Reader>,
}

impl Input {
    fn new(terminal: bool, readers: Vec<Reader>) -> Result<Input, Errno> {
        let kind = fstat(standard_input())?.st_mode & SFlag::S_IFMT.bits();
        let kind = SFlag::from_bits_truncate(kind);
        let anew = || {
            let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC | OFlag::O_NOCTTY;
            open_path("/proc/self/fd/0", flags, Mode::empty()).ok()
        };
        // A file would be read from its beginning.
        let waits = matches!(kind, SFlag::S_IFIFO | SFlag::S_IFCHR);
        Ok(Input {
            source: waits.then(anew).flatten(),
            socket: kind == SFlag::S_IFSOCK,
            terminal,
            ended: false,
            waiting: Vec::new(),
            readers,
        })
    }

    /// Whether a terminal may be read, which nothing tells of.
    pub fn awaits_terminal(&self) -> bool {
        self.terminal && !self.ended
    }

    /// What has to be polled at this moment.
    pub fn descriptors(&self) -> impl Iterator<Item = (InputEvent, BorrowedFd<'_>, PollFlags)> {
        let source = self.source();
        let wanted = !self.ended
            && self.waiting.len() < AHEAD_BYTES
            && (!self.terminal || tcgetpgrp(source).is_ok_and(|group| group == getpgrp()));
        let reading = wanted.then_some((InputEvent::Readable, source, PollFlags::POLLIN));
        let behind = self.readers.iter().enumerate();
        let behind = behind.filter(|(_, reader)| reader.read < self.waiting.len());
        let writing = behind.filter_map(|(index, reader)| {
            let pipe = reader.pipe.as_ref()?.as_fd();
            Some((InputEvent::Writable(index), pipe, PollFlags::POLLOUT))
        });
        reading.into_iter().chain(writing)
    }

    /// Reads or writes what poll reported ready.
    pub fn handle(&mut self, event: InputEvent) {
        match event {
            InputEvent::Readable => self.read(),
            InputEvent::Writable(index) => self.readers[index].feed(&self.waiting),
        }
        self.settle();
    }

    fn read(&mut self) {
        let mut buffer = vec![0; READ_BYTES];
        match self.receive(&mut buffer) {
            Ok(0) => self.ended = true,
            Ok(count) => {
                self.waiting.extend_from_slice(&buffer[..count]);
                for reader in &mut self.readers {
                    reader.feed(&self.waiting);
                }
            }
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.ended = true,
        }
    }

    fn receive(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        if !self.socket {
            return read(self.source(), buffer);
        }
        let socket = self.source().as_raw_fd();
        let (start, bytes) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the pointer and the length are those of a slice that nobody else has.
        let count = unsafe { libc::recv(socket, start, bytes, libc::MSG_DONTWAIT) };
        Errno::result(count).map(|count| count as usize)
    }

    /// Forgets what everybody has read, and closes what gets nothing more.
    fn settle(&mut self) {
        let open = self.readers.iter().filter(|reader| reader.pipe.is_some());
        let Some(read) = open.map(|reader| reader.read).min() else {
            // No rank reads any more.
            self.ended = true;
            self.waiting.clear();
            return;
        };
        self.waiting.drain(..read);
        for reader in &mut self.readers {
            reader.read = reader.read.saturating_sub(read);
            if self.ended && reader.read >= self.waiting.len() {
                reader.pipe = None;
            }
        }
    }

    fn source(&self) -> BorrowedFd<'_> {
        match &self.source {
            Some(source) => source.as_fd(),
            None => standard_input(),
        }
    }
}

impl Reader {
    /// Gives it what it takes at this moment.
    fn feed(&mut self, text: &[u8]) {
        let Some(pipe) = &self.pipe else { return };
        while self.read < text.len() {
            match write(pipe, &text[self.read..]) {
                Ok(count) => self.read += count,
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return,
                // It does not read any more.
                Err(_) => {
                    self.pipe = None;
                    return;
                }
            }
        }
    }
}

fn standard_input() -> BorrowedFd<'static> {
    // SAFETY: descriptor 0 is opened by the runtime before `main` when it was closed, and this
    // program never closes it.
    unsafe { BorrowedFd::borrow_raw(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_named() {
        assert_eq!("3".parse(), Ok(InputTo::Rank(3)));
        assert_eq!("all".parse(), Ok(InputTo::All));
        assert_eq!("none".parse(), Ok(InputTo::Nobody));
        assert!("some".parse::<InputTo>().unwrap_err().contains("`some`"));
        assert!(matches!(
            open(InputTo::Rank(2), 2),
            Err(InputError::NoRank { rank: 2, ranks: 2 })
        ));
    }
}
