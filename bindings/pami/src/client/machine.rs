//! What clients can ask of the machine, and its clock.
//!
//! Before: `PAMI_Client_query`, `PAMI_Wtime`. After: the kernel has answered.

use std::ffi::CString;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_getres, clock_gettime};
use nix::unistd::{SysconfVar, sysconf};

/// The clock of `PAMI_Wtimebase` counts nanoseconds.
pub const TIMEBASE_MHZ: usize = 1000;

const NANOSECONDS: u64 = 1_000_000_000;

/// This clock exists everywhere, so an error does not come.
fn nanoseconds_of(time: nix::Result<TimeSpec>) -> u64 {
    time.map_or(0, |time| {
        time.tv_sec() as u64 * NANOSECONDS + time.tv_nsec() as u64
    })
}

/// A number that the kernel answers, or 0.
fn configured(name: SysconfVar) -> usize {
    let answer = sysconf(name).ok().flatten();
    answer.map_or(0, |number| number.max(0) as usize)
}

/// Seconds since some moment in the past.
pub fn seconds() -> f64 {
    nanoseconds() as f64 / NANOSECONDS as f64
}

/// Nanoseconds since that moment.
pub fn nanoseconds() -> u64 {
    nanoseconds_of(clock_gettime(ClockId::CLOCK_MONOTONIC))
}

/// Resolution of the clock in seconds.
pub fn tick_seconds() -> f64 {
    nanoseconds_of(clock_getres(ClockId::CLOCK_MONOTONIC)) as f64 / NANOSECONDS as f64
}

/// Clock of the first processor in MHz; 0 where the kernel does not say.
pub fn clock_mhz() -> usize {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("cpu MHz"));
    let value = line.and_then(|line| line.split(':').nth(1));
    value
        .and_then(|value| value.trim().parse::<f64>().ok())
        .map_or(0, |mhz| mhz.round() as usize)
}

/// Main memory in MiB.
pub fn memory_mib() -> usize {
    let (pages, page) = (SysconfVar::_PHYS_PAGES, SysconfVar::PAGE_SIZE);
    configured(pages).saturating_mul(configured(page)) >> 20
}

/// Processors that each of `tasks` tasks has for itself, at least 1: those this process may run
/// on, if the launcher bound it, else its share of all.
pub fn processors_for(tasks: usize) -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    let all = configured(SysconfVar::_NPROCESSORS_ONLN).max(1);
    if allowed < all {
        allowed
    } else {
        (all / tasks).max(1)
    }
}

/// A name for this process that no other one on the machine has.
pub fn processor_name() -> CString {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = format!("{}, process {}", host.trim(), std::process::id());
    CString::new(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_agree_and_rise() {
        let (time, base) = (seconds(), nanoseconds());
        assert!((base as f64 / 1e9 - time).abs() < 1.0);
        assert!(nanoseconds() >= base);
        assert!(tick_seconds() > 0.0 && tick_seconds() < 0.1);
    }

    #[test]
    fn the_machine_has_something() {
        assert!(memory_mib() > 0);
        assert!(processors_for(1) >= 1 && processors_for(1000) >= 1);
        assert!(processor_name().to_string_lossy().contains("process"));
    }
}
