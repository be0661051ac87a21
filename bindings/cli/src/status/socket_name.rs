//! The name of a job's socket: which process listens there, so that nobody has to ask one that is gone.
//!
//! ```text
//! 12345-886211-4026531836.socket      process, its start in clock ticks since boot, its PID namespace
//! ```
//!
//! Before: a launcher names its own, or somebody lists a folder. After: [`SocketName::is_stale`] says whether its launcher is gone.
//! Invariant: a process number that is used again, or that means another process here, is not taken for the launcher's.

use std::fmt;
use std::str::FromStr;

use pamir_driver::job::{process_end, process_name};
use pamir_shm::segment::header::start_time;

/// What such names end in.
const ENDING: &str = ".socket";

/// Who listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SocketName {
    /// The launcher's process, which is the job's number.
    pub process: u32,
    started: u64,
    namespace: u32,
}

impl SocketName {
    /// This process's.
    pub fn own() -> Self {
        let process = std::process::id();
        Self {
            process,
            started: start_time(process),
            namespace: (process_name::own() >> 32) as u32,
        }
    }

    /// Whether its process has ended for sure. Nobody knows of those of other PID namespaces.
    pub fn is_stale(&self) -> bool {
        let word = u64::from(self.namespace) << 32 | u64::from(self.process);
        let Some(process) = process_name::number_here(word) else {
            return false;
        };
        // Whoever started it may not have asked how it ended: it has a number still.
        start_time(self.process) != self.started || process_end::has_ended(process)
    }

    /// Whether processes here have the numbers by which it calls itself.
    pub fn is_known_here(&self) -> bool {
        process_name::is_known_here(u64::from(self.namespace) << 32)
    }
}

impl fmt::Display for SocketName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (process, started, namespace) = (self.process, self.started, self.namespace);
        write!(formatter, "{process}-{started}-{namespace}{ENDING}")
    }
}

/// The text is not such a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no name of a job's socket")]
pub struct NoSocketName;

impl FromStr for SocketName {
    type Err = NoSocketName;

    fn from_str(text: &str) -> Result<Self, NoSocketName> {
        let mut parts = text.strip_suffix(ENDING).ok_or(NoSocketName)?.split('-');
        let mut part = || parts.next().ok_or(NoSocketName);
        let name = Self {
            process: part()?.parse().map_err(|_| NoSocketName)?,
            started: part()?.parse().map_err(|_| NoSocketName)?,
            namespace: part()?.parse().map_err(|_| NoSocketName)?,
        };
        // As this file writes it, and no other way.
        (name.to_string() == text)
            .then_some(name)
            .ok_or(NoSocketName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let own = SocketName::own();
        assert_eq!(own.to_string().parse(), Ok(own));
        for text in [
            "",
            "1-2.socket",
            "1-2-3",
            "1-2-3-4.socket",
            "01-2-3.socket",
            "-1-2-3.socket",
            "x-2-3.socket",
        ] {
            assert_eq!(text.parse::<SocketName>(), Err(NoSocketName), "{text}");
        }
    }

    #[test]
    fn a_process_is_told_from_others_of_its_number() {
        let own = SocketName::own();
        assert!(!own.is_stale() && own.is_known_here());
        let before = SocketName {
            started: own.started - 1,
            ..own
        };
        assert!(before.is_stale());
        let elsewhere = SocketName {
            namespace: own.namespace ^ 1,
            ..before
        };
        assert!(!elsewhere.is_stale() && !elsewhere.is_known_here());
    }

    #[test]
    fn a_process_that_nobody_has_asked_after_is_gone() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let name = SocketName {
            process: child.id(),
            started: start_time(child.id()),
            ..SocketName::own()
        };
        assert!(!name.is_stale());
        child.kill().unwrap();
        while start_time(child.id()) != 0 && !process_end::has_ended(child.id() as i32) {
            std::thread::yield_now();
        }
        assert!(name.is_stale());
        child.wait().unwrap();
        assert!(name.is_stale());
    }
}
