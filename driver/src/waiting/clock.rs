//! The clocks that balancing compares: the system's, the same without what a thread waited for a
//! processor, and a thread's own processor time; and the end of a wait on the first one.
//!
//! Before: a rank arrives at a synchronisation. After: the time goes into its call record.
//!
//! | clock | counts | read by |
//! |---|---|---|
//! | monotonic | time since the system was started, the same in all processes | the vDSO |
//! | undelayed | the same, without what this thread waited for a processor | a file of the kernel's |
//! | processor | the computing of this thread alone | a system call |
//!
//! Where ranks share processors, a rank that others keep from running is not slow, and one that
//! sleeps or waits for a device is: the second clock tells both. The kernel counts for each thread how
//! long it stood ready to run (`/proc/thread-self/schedstat`). Where it does not count that, only the
//! third clock leaves out what others took, and it leaves out what the rank slept as well.
//!
//! Invariant: a clock of a thread is read by that thread at both ends of a time.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

/// A clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The time that passes, for all processes alike.
    #[default]
    Monotonic,
    /// The time that passes, less what the calling thread waited for a processor.
    Undelayed,
    /// The processor time of the calling thread.
    Processor,
}

impl Clock {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Monotonic, Self::Undelayed, Self::Processor];

    /// Its name in the table above.
    pub fn name(self) -> &'static str {
        match self {
            Self::Monotonic => "monotonic",
            Self::Undelayed => "undelayed",
            Self::Processor => "processor",
        }
    }

    /// The one of a name in the table above.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|clock| clock.name() == name)
    }

    /// The one that tells how much a rank has to do, where ranks share processors or do not.
    pub fn where_oversubscribed(oversubscribed: bool) -> Self {
        match oversubscribed {
            false => Self::Monotonic,
            true if Self::Undelayed.is_there() => Self::Undelayed,
            true => Self::Processor,
        }
    }

    /// Whether the system has this clock.
    pub fn is_there(self) -> bool {
        self != Self::Undelayed || is_counting()
    }

    /// What it shows, in nanoseconds; 0 where the system has no such clock.
    pub fn now_ns(self) -> u64 {
        match self {
            Self::Monotonic => system_ns(ClockId::CLOCK_MONOTONIC),
            Self::Processor => system_ns(ClockId::CLOCK_THREAD_CPUTIME_ID),
            Self::Undelayed => counted_ns().map_or(0, |[_, delayed_ns]| {
                system_ns(ClockId::CLOCK_MONOTONIC).saturating_sub(delayed_ns)
            }),
        }
    }
}

fn system_ns(id: ClockId) -> u64 {
    clock_gettime(id).map_or(0, |time| {
        time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
    })
}

/// How long the calling thread ran, which of a new thread may not be counted yet, and how long it stood
/// ready to run without a processor, in nanoseconds; nothing where the kernel does not tell.
fn counted_ns() -> Option<[u64; 2]> {
    // The file is not kept open: a program may close what it did not open, and open something else
    // in its place.
    let mut file = File::open("/proc/thread-self/schedstat").ok()?;
    let mut bytes = [0; 80];
    let length = file.read(&mut bytes).ok()?;
    parse_counted_ns(std::str::from_utf8(&bytes[..length]).ok()?)
}

/// Whether the kernel counts how long threads run and wait: a thread that gave its processor away has run.
fn is_counting() -> bool {
    let has_run = || counted_ns().is_some_and(|[ran_ns, _]| ran_ns > 0);
    has_run() || {
        // The kernel counts what a new thread ran when it next schedules.
        std::thread::yield_now();
        has_run()
    }
}

/// The first two numbers of `RAN DELAYED SLICES`.
fn parse_counted_ns(text: &str) -> Option<[u64; 2]> {
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    Some([numbers.next()??, numbers.next()??])
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
    fn a_thread_that_sleeps_is_slow_and_one_that_waits_for_a_processor_is_not() {
        let counted = parse_counted_ns("347451 11051645 2\n");
        assert_eq!(counted, Some([347_451, 11_051_645]));
        for uncounted in ["", "347451", "some text"] {
            assert_eq!(parse_counted_ns(uncounted), None, "{uncounted}");
        }
        // Of a thread that has just begun nothing may be counted yet.
        let threads = (0..50).map(|_| std::thread::spawn(|| Clock::Undelayed.now_ns()));
        let is_there = Clock::Undelayed.is_there();
        for thread in threads.collect::<Vec<_>>() {
            assert_eq!(thread.join().unwrap() > 0, is_there);
        }
        if !Clock::Undelayed.is_there() {
            return;
        }
        let began_ns = Clock::Undelayed.now_ns();
        std::thread::sleep(Duration::from_millis(30));
        let slept_ns = Clock::Undelayed.now_ns() - began_ns;
        assert!(slept_ns >= 25_000_000, "{slept_ns}");
        // Twice as many threads as processors: each waits for about half of the time.
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let compute = || {
            let read = || Clock::ALL.map(Clock::now_ns);
            let before = read();
            while Clock::Processor.now_ns() - before[2] < 60_000_000 {}
            let after = read();
            std::array::from_fn(|clock| after[clock] - before[clock])
        };
        let times: Vec<[u64; 3]> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2 * processors).map(|_| scope.spawn(compute)).collect();
            let times = threads.into_iter().map(|thread| thread.join().unwrap());
            times.collect()
        });
        let sum = |clock: usize| times.iter().map(|time| time[clock]).sum::<u64>();
        assert!(sum(1) >= sum(2), "{times:?}");
        let delayed_ns = sum(0) - sum(1);
        assert!(delayed_ns > (sum(0) - sum(2)) / 2, "{times:?}");
    }

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
