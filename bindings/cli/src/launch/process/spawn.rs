//! One rank's process, started without copying the launcher.
//!
//! What: [`spawn`] creates a process that shares the launcher's memory until it executes the
//! program (`clone` with `CLONE_VM | CLONE_VFORK`), and prepares it on the way.
//! Why: `fork` copies page tables and faults afterwards; and between fork and exec a rank needs
//! things that `posix_spawn` does not offer: death with its parent, its processors, its limits.
//! Step before: [`super::start`] prepares every string. Step after: [`crate::launch::supervise`].
//!
//! ```text
//! launcher            child (same memory, own stack, own descriptors)
//!   clone ----------> die with the launcher, own process group, processors, limits
//!   (suspended)       directory, descriptors 0 1 2, job descriptor, signals
//!   errno? <--------- execve, or the failed step left in the shared memory and _exit
//! ```
//!
//! Invariants: the child makes system calls only: it neither allocates nor locks, for it stands in
//! its parent's memory. All signals are blocked meanwhile, so no handler runs in the child.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
use nix::unistd::Pid;

/// What a rank is started with.
#[derive(Debug)]
pub struct SpawnRequest<'a> {
    /// Path of the program, already looked up.
    pub program: &'a CStr,
    /// Its arguments, the name first.
    pub arguments: &'a [CString],
    /// Its environment, `NAME=VALUE`.
    pub environment: &'a [CString],
    /// Its working directory, when another than the launcher's.
    pub directory: Option<&'a CStr>,
    /// Standard input, output and error; `None` leaves the launcher's.
    pub standard: [Option<BorrowedFd<'a>>; 3],
    /// A descriptor it inherits under the same number.
    pub inherited: Option<BorrowedFd<'a>>,
    /// Processors it is bound to, in the kernel's form.
    pub processors: Option<&'a [libc::c_ulong]>,
    /// Soft limit of open files it gets back, when the launcher raised its own.
    pub open_files: Option<u64>,
    /// The signal mask it starts with.
    pub signal_mask: &'a SigSet,
}

/// The step at which a rank could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpawnStep {
    /// Creating the process.
    Process = 1,
    /// Entering its working directory.
    Directory,
    /// Its standard streams and the job's descriptor.
    Descriptors,
    /// Executing the program.
    Execute,
}

/// Why a rank could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{step:?}: {}", errno.desc())]
pub struct SpawnError {
    /// Where it failed.
    pub step: SpawnStep,
    /// What the kernel said.
    pub errno: Errno,
}

/// Bytes of the child's stack until it executes the program; it calls nothing deep.
const STACK_BYTES: usize = 64 * 1024;

/// What the child reads and writes, in the memory of both.
struct Passage {
    program: *const c_char,
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    directory: *const c_char,
    standard: [RawFd; 3],
    inherited: RawFd,
    processors: *const libc::cpu_set_t,
    processors_bytes: usize,
    open_files: Option<u64>,
    signal_mask: libc::sigset_t,
    launcher: libc::pid_t,
    failed_step: Option<SpawnStep>,
    errno: c_int,
}

/// Starts one rank in a process group of its own.
pub fn spawn(request: &SpawnRequest<'_>) -> Result<Pid, SpawnError> {
    let pointers = |strings: &[CString]| -> Vec<*const c_char> {
        strings
            .iter()
            .map(|text| text.as_ptr())
            .chain([std::ptr::null()])
            .collect()
    };
    let number = |fd: &Option<BorrowedFd<'_>>| fd.as_ref().map_or(-1, |fd| fd.as_raw_fd());
    let mut passage = Passage {
        program: request.program.as_ptr(),
        arguments: pointers(request.arguments),
        environment: pointers(request.environment),
        directory: request.directory.map_or(std::ptr::null(), CStr::as_ptr),
        standard: request.standard.each_ref().map(number),
        inherited: number(&request.inherited),
        processors: request
            .processors
            .map_or(std::ptr::null(), |mask| mask.as_ptr().cast()),
        processors_bytes: request.processors.map_or(0, size_of_val),
        open_files: request.open_files,
        signal_mask: *request.signal_mask.as_ref(),
        launcher: Pid::this().as_raw(),
        failed_step: None,
        errno: 0,
    };
    let mut stack = vec![0_u128; STACK_BYTES / size_of::<u128>()];
    let process = |errno| SpawnError {
        step: SpawnStep::Process,
        errno,
    };
    let mut before = SigSet::empty();
    sigprocmask(
        SigmaskHow::SIG_SETMASK,
        Some(&SigSet::all()),
        Some(&mut before),
    )
    .map_err(process)?;
    // SAFETY: the stack's end is aligned for u128 and the stack outlives the child's use of it,
    // because CLONE_VFORK suspends this thread until the child has executed its program or ended;
    // for the same reason `passage` and all strings it points to are alive and are not touched
    // here meanwhile. `prepare_and_execute` makes system calls only.
    let pid = unsafe {
        libc::clone(
            prepare_and_execute,
            stack.as_mut_ptr_range().end.cast::<c_void>(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            std::ptr::from_mut(&mut passage).cast::<c_void>(),
        )
    };
    let created = Errno::result(pid);
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&before), None).map_err(process)?;
    let pid = Pid::from_raw(created.map_err(process)?);
    // The child wrote these fields behind the compiler's back; `clone` got the address, so they
    // are read again here.
    match passage.failed_step {
        None => Ok(pid),
        Some(step) => {
            // The failed child has ended: nothing else waits for it.
            let _ = nix::sys::wait::waitpid(pid, None);
            Err(SpawnError {
                step,
                errno: Errno::from_raw(passage.errno),
            })
        }
    }
}

/// The child's way from `clone` to the program. Never returns when all goes well.
extern "C" fn prepare_and_execute(argument: *mut c_void) -> c_int {
    // SAFETY: `spawn` passes a pointer to its `Passage`, which it does not touch while it is
    // suspended.
    let passage = unsafe { &mut *argument.cast::<Passage>() };
    // SAFETY: system calls with valid pointers of `passage` (see `Passage`'s making in `spawn`);
    // all are async-signal-safe, and what they change (signals, limits, descriptors, directory)
    // is this process's own, since neither CLONE_FILES, CLONE_FS nor CLONE_SIGHAND was given.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != passage.launcher {
            // The launcher ended before the line above: no signal will come.
            libc::_exit(127);
        }
        libc::setpgid(0, 0);
        if !passage.processors.is_null() {
            // A processor that went away since it was read costs the binding, not the job.
            libc::sched_setaffinity(0, passage.processors_bytes, passage.processors);
        }
        if let Some(soft) = passage.open_files {
            let mut limit = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
                limit.rlim_cur = soft;
                libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
            }
        }
        if !passage.directory.is_null() && libc::chdir(passage.directory) != 0 {
            return fail(passage, SpawnStep::Directory);
        }
        for target in 0..3_usize {
            let source = passage.standard[target];
            if source >= 0 && libc::dup2(source, target as c_int) < 0 {
                return fail(passage, SpawnStep::Descriptors);
            }
        }
        if passage.inherited >= 0 && libc::fcntl(passage.inherited, libc::F_SETFD, 0) < 0 {
            return fail(passage, SpawnStep::Descriptors);
        }
        // The Rust runtime ignores SIGPIPE; programs expect to end of it.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::sigprocmask(
            libc::SIG_SETMASK,
            &passage.signal_mask,
            std::ptr::null_mut(),
        );
        libc::execve(
            passage.program,
            passage.arguments.as_ptr(),
            passage.environment.as_ptr(),
        );
    }
    fail(passage, SpawnStep::Execute)
}

/// Leaves the failed step where the launcher reads it, and ends the child.
fn fail(passage: &mut Passage, step: SpawnStep) -> c_int {
    passage.errno = Errno::last_raw();
    passage.failed_step = Some(step);
    // SAFETY: `_exit` ends this process without running the parent's exit handlers.
    unsafe { libc::_exit(127) }
}
