//! The fence that the sleeper pays for everyone.
//!
//! A sender stores a record and then looks whether the target sleeps; a target
//! says that it sleeps and then looks for records. Without a fence on both sides
//! each may miss the other. The kernel's `membarrier(GLOBAL_EXPEDITED)` makes every
//! registered process run a fence, so that only the one who goes to sleep, and has
//! time, pays, and the sender's path has none.

/// Registers this process: others' barriers then reach it. Call once, at start.
///
/// Gives whether the kernel offers it; if not, sleepers must wake up by themselves.
pub fn register() -> bool {
    call(libc::MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)
}

/// Makes all running threads of all registered processes execute a full fence.
pub fn global() -> bool {
    call(libc::MEMBARRIER_CMD_GLOBAL_EXPEDITED)
}

fn call(command: i32) -> bool {
    // SAFETY: membarrier takes a command and flags, and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}
