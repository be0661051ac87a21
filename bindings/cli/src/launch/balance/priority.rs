//! Priorities of other processes: shares of a core for ranks, leftovers for the second program.
//!
//! What: nice values of the threads of a process, and the idle class of the scheduler. Why here:
//! neither the standard library nor the wrappers offer them, so this is the launcher's file of such
//! calls.
//! Step before: [`super`] has decided. Step after: the kernel's scheduler.
//!
//! Raising a nice value is allowed to everybody, taking it back is not. So [`may_take_back`] is
//! asked before the first one is raised.

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::Pid;

/// The bit of CAP_SYS_NICE in a set of capabilities.
const SYS_NICE: u32 = 23;

/// The nice value of a process (its main thread).
pub fn nice(process: Pid) -> Result<i32, Errno> {
    Errno::clear();
    // SAFETY: the call takes numbers only.
    let value = unsafe { libc::getpriority(libc::PRIO_PROCESS, process.as_raw() as libc::id_t) };
    // -1 is a value as well.
    match Errno::last() {
        Errno::UnknownErrno => Ok(value),
        errno => Err(errno),
    }
}

/// Sets the nice value of a thread.
pub fn set_nice(thread: Pid, value: i32) -> Result<(), Errno> {
    let who = thread.as_raw() as libc::id_t;
    // SAFETY: the call takes numbers only.
    Errno::result(unsafe { libc::setpriority(libc::PRIO_PROCESS, who, value) }).map(drop)
}

/// Puts a process into the scheduler's idle class: it runs where nothing else wants to.
pub fn make_idle(process: Pid) -> Result<(), Errno> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameters are live for the call, which reads them.
    let outcome =
        unsafe { libc::sched_setscheduler(process.as_raw(), libc::SCHED_IDLE, &parameters) };
    Errno::result(outcome).map(drop)
}

/// Whether a process of ours that was given a higher nice value may be given `value` again.
pub fn may_take_back(value: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    let privileged = effective.is_some_and(|set| set >> SYS_NICE & 1 == 1);
    // Ranks have the launcher's limits: 20 less the limit is the lowest value allowed.
    let limit = getrlimit(Resource::RLIMIT_NICE).map_or(0, |(soft, _)| soft);
    privileged || 20 - limit.min(40) as i32 <= value
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn child() -> (Child, Pid) {
        let child = Command::new("sleep").arg("10").spawn().unwrap();
        let process = Pid::from_raw(child.id() as i32);
        (child, process)
    }

    #[test]
    fn nice_values_go_up_and_back_where_that_is_promised() {
        let (mut child, process) = child();
        let before = nice(process).unwrap();
        set_nice(process, before + 3).unwrap();
        let raised = nice(process);
        let back = set_nice(process, before);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(raised, Ok(before + 3));
        assert_eq!(back.is_ok(), may_take_back(before));
        assert!(nice(process).is_err() && set_nice(process, 5).is_err());
    }

    #[test]
    fn anybody_may_be_idle() {
        let (mut child, process) = child();
        let outcome = make_idle(process);
        let file = std::fs::read_to_string(format!("/proc/{process}/stat"));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(outcome, Ok(()));
        // Field 41, 39 after the name: the policy, 5 for the idle class.
        let file = file.unwrap();
        let fields = file.rsplit(") ").next().unwrap();
        assert_eq!(fields.split(' ').nth(38), Some("5"), "{file}");
    }
}
