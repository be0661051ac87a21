//! The clocks that balancing compares: the system's, and a thread's own processor time; and the end
//! of a wait on the first one.
//!
//! Before: a rank arrives at a synchronisation. After: the time goes into its call record.
//!
//! | clock | counts | read by |
//! |---|---|---|
//! | monotonic | time since the system was started, the same in all processes | the vDSO |
//! | processor | the computing of this thread alone | a system call |
//!
//! Where ranks share processors only the second one tells how much a rank has to do.

use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

/// A clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The time that passes, for all processes alike.
    #[default]
    Monotonic,
    /// The processor time of the calling thread.
    Processor,
}

impl Clock {
    /// The one of a name in the table above.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "monotonic" => Some(Self::Monotonic),
            "processor" => Some(Self::Processor),
            _ => None,
        }
    }

    /// The one that tells how much a rank has to do, where ranks share processors or do not.
    pub fn where_oversubscribed(oversubscribed: bool) -> Self {
        if oversubscribed {
            Self::Processor
        } else {
            Self::Monotonic
        }
    }

    /// What it shows, in nanoseconds; 0 where the system has no such clock.
    pub fn now_ns(self) -> u64 {
        let id = match self {
            Self::Monotonic => ClockId::CLOCK_MONOTONIC,
            Self::Processor => ClockId::CLOCK_THREAD_CPUTIME_ID,
        };
        clock_gettime(id).map_or(0, |time| {
            time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
        })
    }
}

/// The end of `limit` from now on, on the monotonic clock.
///
/// # Errors
///
/// What the system says, where it has no such clock.
pub fn deadline(limit: Duration) -> nix::Result<libc::timespec> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    Ok(*(now + TimeSpec::from(limit)).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_stands_while_a_thread_sleeps() {
        let read = || [Clock::Monotonic, Clock::Processor].map(Clock::now_ns);
        let before = read();
        std::thread::sleep(Duration::from_millis(30));
        let after = read();
        assert!(after[0] - before[0] >= 30_000_000);
        assert!(after[1] >= before[1] && after[1] - before[1] < after[0] - before[0]);
    }
}
