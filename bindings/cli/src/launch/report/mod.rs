//! What the launcher says about a rank that failed.
//!
//! What: [`Failure`], its sentence and the exit code that follows from it.
//! Why: the first thing anybody wants to know is which rank, where, and how.
//! Step before: [`super::supervise`] finds the first failing rank. Step after: standard error and
//! the launcher's own exit code.

pub mod status;

use pamir_driver::job::RankState;

use super::process::child::End;

/// Why a rank counts as failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A signal ended it.
    Signalled {
        /// The signal's number.
        signal: i32,
        /// Whether a core was written.
        core: bool,
    },
    /// It called MPI_Abort with this code.
    Aborted(i32),
    /// It exited with a code other than 0.
    Exited(i32),
    /// It exited with 0 between MPI_Init and MPI_Finalize.
    NotFinalized,
}

impl Failure {
    /// The failure of a rank that ended like this, if it is one.
    pub fn of(end: End, state: RankState) -> Option<Failure> {
        match (end, state) {
            (_, RankState::Aborted { code }) => Some(Failure::Aborted(code)),
            (End::Exited(0), RankState::Attached) => Some(Failure::NotFinalized),
            (End::Exited(0), _) => None,
            (End::Exited(code), _) => Some(Failure::Exited(code)),
            (End::Signalled { signal, core }, _) => Some(Failure::Signalled { signal, core }),
        }
    }

    /// Which of several failures seen at once is told: a crash rather than what it caused.
    pub fn rank_of_blame(&self) -> u8 {
        match self {
            Failure::Signalled { .. } => 0,
            Failure::Aborted(_) => 1,
            Failure::Exited(_) => 2,
            Failure::NotFinalized => 3,
        }
    }

    /// The launcher's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Signalled { signal, .. } => (128 + signal) as u8,
            // A failed job must not look like a good one: only the lowest byte gets out.
            Failure::Aborted(code) | Failure::Exited(code) => ((code & 0xff) as u8).max(1),
            Failure::NotFinalized => 1,
        }
    }

    /// What happened, after "rank N ".
    pub fn describe(&self) -> String {
        match self {
            Failure::Signalled { signal, core } => {
                let core = if *core { ", core written" } else { "" };
                format!(
                    "was ended by signal {signal} ({}){core}",
                    signal_name(*signal)
                )
            }
            Failure::Aborted(code) => format!("called MPI_Abort with code {code}"),
            Failure::Exited(code) => format!("exited with code {code}"),
            Failure::NotFinalized => {
                "exited with code 0 after MPI_Init without calling MPI_Finalize".to_string()
            }
        }
    }
}

/// A signal's name and what it usually means.
pub fn signal_name(signal: i32) -> String {
    let meaning = match signal {
        libc::SIGSEGV => "invalid memory access",
        libc::SIGBUS => "memory that is not there, often a full file system or memory limit",
        libc::SIGFPE => "arithmetic error",
        libc::SIGILL => "illegal instruction",
        libc::SIGABRT => "abort, often a failed assertion",
        libc::SIGKILL => "killed, by somebody or for want of memory",
        libc::SIGTERM => "terminated",
        libc::SIGINT => "interrupted",
        libc::SIGPIPE => "wrote to a pipe that nobody reads",
        libc::SIGXCPU => "processor time limit",
        _ => "",
    };
    let name = signal_word(signal);
    if meaning.is_empty() {
        name
    } else {
        format!("{name}: {meaning}")
    }
}

/// A signal's name.
fn signal_word(signal: i32) -> String {
    match nix::sys::signal::Signal::try_from(signal) {
        Ok(signal) => signal.as_str().to_string(),
        Err(_) => "real-time signal".to_string(),
    }
}

/// `1 rank` or `3 ranks`.
pub fn ranks(count: usize) -> String {
    format!("{count} rank{}", if count == 1 { "" } else { "s" })
}

/// `rank` or `3 ranks`, after "the other".
pub fn other_ranks(count: usize) -> String {
    if count == 1 {
        "rank".to_string()
    } else {
        ranks(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_become_failures() {
        let of = |end, state| Failure::of(end, state).map(|failure| failure.exit_code());
        assert_eq!(of(End::Exited(0), RankState::Finalized), None);
        assert_eq!(of(End::Exited(0), RankState::Absent), None);
        assert_eq!(of(End::Exited(0), RankState::Attached), Some(1));
        assert_eq!(of(End::Exited(7), RankState::Finalized), Some(7));
        assert_eq!(of(End::Exited(3), RankState::Aborted { code: 3 }), Some(3));
        assert_eq!(
            of(End::Exited(0), RankState::Aborted { code: 256 }),
            Some(1)
        );
        let aborted = RankState::Aborted { code: 5 };
        assert_eq!(
            of(
                End::Signalled {
                    signal: 6,
                    core: false
                },
                aborted
            ),
            Some(5)
        );
        let killed = End::Signalled {
            signal: 9,
            core: false,
        };
        assert_eq!(of(killed, RankState::Attached), Some(137));
    }

    #[test]
    fn signals_have_names() {
        let failure = Failure::Signalled {
            signal: libc::SIGSEGV,
            core: true,
        };
        assert!(
            failure
                .describe()
                .contains("SIGSEGV: invalid memory access), core written")
        );
        assert_eq!(signal_name(40), "real-time signal");
    }
}
