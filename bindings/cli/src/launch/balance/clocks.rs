//! Clocks of the launcher and of the ranks' processes.
//!
//! What: the monotonic clock, on which ranks announce their calls, and the processor time of a
//! process with all its threads.
//! Step before: none. Step after: [`super`] measures windows with them.

use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

/// The clock that all processes share, in nanoseconds.
pub fn monotonic_ns() -> u64 {
    read(ClockId::CLOCK_MONOTONIC).unwrap_or(0)
}

/// How long the threads of a process have run so far, in nanoseconds; nothing once it is gone.
pub fn processor_ns(process: Pid) -> Option<u64> {
    read(clock_getcpuclockid(process).ok()?)
}

fn read(clock: ClockId) -> Option<u64> {
    let time = clock_gettime(clock).ok()?;
    let seconds = u64::try_from(time.tv_sec()).ok()?;
    Some(seconds * 1_000_000_000 + time.tv_nsec() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_computes_has_run_and_one_that_sleeps_has_not() {
        let own = Pid::this();
        let (wall, before) = (monotonic_ns(), processor_ns(own).unwrap());
        while processor_ns(own).unwrap() < before + 2_000_000 {
            std::hint::spin_loop();
        }
        assert!(monotonic_ns() > wall);
        let mut child = std::process::Command::new("sleep")
            .arg("10")
            .spawn()
            .unwrap();
        let process = Pid::from_raw(child.id() as i32);
        let slept = processor_ns(process);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(slept.is_some_and(|ns| ns < 1_000_000_000));
        assert_eq!(processor_ns(process), None);
    }
}
