//! The meaning of a kernel's refusal to the user who starts a program, and the next step.
//!
//! Before: a system call has failed while something was set up. After: a sentence that says the
//! reason first. An error's name (`EMFILE`) tells a user nothing; its description and the limit
//! to raise do.

use std::fmt;

use nix::errno::Errno;

/// The reason of a refusal and what to do next, as the end of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(pub Errno);

impl Refusal {
    /// The refusal that the standard library reports; without a number, it is an I/O error.
    pub fn of(error: &std::io::Error) -> Self {
        Self(Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO)))
    }

    /// What to do next; none where the reason does not tell.
    fn next_step(self) -> Option<&'static str> {
        match self.0 {
            Errno::EMFILE | Errno::ENFILE => Some("raise the limit of open files (ulimit -n)"),
            Errno::ENOMEM => Some("raise the memory limit (ulimit -v, or the container's)"),
            Errno::EFBIG => Some("raise the limit of a file's size (ulimit -f)"),
            Errno::EAGAIN => Some("raise the limit of processes (ulimit -u)"),
            Errno::EPERM | Errno::EACCES | Errno::ENOSYS => {
                Some("allow this system call where it is forbidden (a container, seccomp)")
            }
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.desc())?;
        match self.next_step() {
            Some(step) => write!(formatter, "; {step}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_comes_first_and_then_the_limit_to_raise() {
        let text = Refusal(Errno::EMFILE).to_string();
        assert_eq!(
            text,
            "Too many open files; raise the limit of open files (ulimit -n)"
        );
        let forbidden = std::io::Error::from_raw_os_error(libc::EPERM);
        let text = Refusal::of(&forbidden).to_string();
        assert!(
            text.contains("seccomp") && !text.contains("ulimit"),
            "{text}"
        );
        assert_eq!(Refusal(Errno::EIO).to_string(), Errno::EIO.desc());
    }
}
