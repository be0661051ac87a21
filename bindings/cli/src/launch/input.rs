//! Standard input from a terminal, passed on to rank 0.
//!
//! What: [`TerminalInput`] reads the launcher's terminal and writes rank 0's pipe.
//! Why: ranks live in process groups of their own, and a terminal stops whoever reads it from
//! another group than the one in front. Files and pipes need none of this: rank 0 inherits them.
//! Step before: [`super::start`]. Step after: rank 0.
//! Invariant: the terminal is read only while the launcher's group is in front, and only when
//! nothing waits for rank 0.

use std::io::IsTerminal;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open};
use nix::poll::PollFlags;
use nix::sys::stat::Mode;
use nix::unistd::{getpgrp, pipe2, read, tcgetpgrp, write};

/// The way from the terminal to rank 0.
#[derive(Debug)]
pub struct TerminalInput {
    /// The terminal, opened anew: whoever reads it, too, may have taken what poll has seen.
    terminal: Option<OwnedFd>,
    pipe: Option<OwnedFd>,
    waiting: Vec<u8>,
}

impl TerminalInput {
    /// The passing-on and the end that rank 0 reads, when standard input is a terminal.
    pub fn open() -> Result<Option<(TerminalInput, OwnedFd)>, Errno> {
        if !std::io::stdin().is_terminal() {
            return Ok(None);
        }
        let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC | OFlag::O_NOCTTY;
        let terminal = open("/proc/self/fd/0", flags, Mode::empty()).ok();
        let (reader, writer) = pipe2(OFlag::O_CLOEXEC)?;
        fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok(Some((
            TerminalInput {
                terminal,
                pipe: Some(writer),
                waiting: Vec::new(),
            },
            reader,
        )))
    }

    /// Whether input can still come.
    pub fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// What has to be polled at this moment, if anything.
    pub fn descriptor(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        let pipe = self.pipe.as_ref()?;
        if !self.waiting.is_empty() {
            return Some((pipe.as_fd(), PollFlags::POLLOUT));
        }
        let terminal = self.terminal();
        let in_front = tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp());
        in_front.then_some((terminal, PollFlags::POLLIN))
    }

    /// Reads or writes what poll reported ready.
    pub fn handle(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        if self.waiting.is_empty() {
            let mut buffer = [0; 4096];
            match read(self.terminal(), &mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.waiting.extend_from_slice(&buffer[..count]),
                Err(Errno::EINTR | Errno::EAGAIN) => {}
                Err(_) => self.pipe = None,
            }
            return;
        }
        match write(pipe, &self.waiting) {
            Ok(count) => drop(self.waiting.drain(..count)),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            // Rank 0 does not read any more.
            Err(_) => self.pipe = None,
        }
    }

    fn terminal(&self) -> BorrowedFd<'_> {
        match &self.terminal {
            Some(terminal) => terminal.as_fd(),
            None => standard_input(),
        }
    }
}

fn standard_input() -> BorrowedFd<'static> {
    // SAFETY: descriptor 0 is opened by the runtime before `main` when it was closed, and this
    // program never closes it.
    unsafe { BorrowedFd::borrow_raw(0) }
}
