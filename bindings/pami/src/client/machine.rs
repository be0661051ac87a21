//! What clients can ask of the machine, and its clock.
//!
//! Before: `PAMI_Client_query`, `PAMI_Wtime`. After: the kernel has answered.

use std::ffi::CString;

/// The clock of `PAMI_Wtimebase` counts nanoseconds.
pub const TIMEBASE_MHZ: usize = 1000;

const NANOSECONDS: u64 = 1_000_000_000;

fn clock(read: unsafe extern "C" fn(i32, *mut libc::timespec) -> i32) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: both calls that are given write one timespec; this clock exists everywhere.
    unsafe { read(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * NANOSECONDS + time.tv_nsec as u64
}

/// Seconds since some moment in the past.
pub fn seconds() -> f64 {
    nanoseconds() as f64 / NANOSECONDS as f64
}

/// Nanoseconds since that moment.
pub fn nanoseconds() -> u64 {
    clock(libc::clock_gettime)
}

/// Resolution of the clock in seconds.
pub fn tick_seconds() -> f64 {
    clock(libc::clock_getres) as f64 / NANOSECONDS as f64
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
    // SAFETY: sysconf only answers.
    let (pages, page) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    (pages.max(0) as usize).saturating_mul(page.max(0) as usize) >> 20
}

/// Processors that each of `tasks` tasks has for itself, at least 1: those this process may run
/// on, if the launcher bound it, else its share of all.
pub fn processors_for(tasks: usize) -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    // SAFETY: sysconf only answers.
    let all = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as usize;
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
