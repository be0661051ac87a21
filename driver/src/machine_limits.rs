//! What this kernel and container let a job do.
//!
//! Why: each fast path has a slower one beside it, and a person must be able to see which one they
//! get and why. Every entry is tried, not guessed from a version: containers refuse system calls
//! that the kernel has.
//!
//! ```text
//!  probe ─┬─ two children: one holds a pattern, the other copies it     process_vm_readv
//!         ├─ query or open, then close again                            membarrier, io_uring,
//!         │                                                             userfaultfd, memfd
//!         └─ settings                                                   huge pages, RLIMIT_MEMLOCK
//! ```
//!
//! Step before: `pamir info`. Step after: none, this is told to people; the layers below make their
//! own tries. Invariant: a probe leaves nothing behind, no process, descriptor or registration.
//! This file is one of the few with `unsafe`: it makes the system calls it asks about.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

/// Whether a facility can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It was tried and worked.
    Available,
    /// It cannot be used, for this reason.
    Unavailable(String),
}

impl Availability {
    /// Whether it can be used.
    pub fn is_available(&self) -> bool {
        *self == Availability::Available
    }

    fn from_result(result: Result<(), String>) -> Availability {
        match result {
            Ok(()) => Availability::Available,
            Err(reason) => Availability::Unavailable(reason),
        }
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Availability::Available => formatter.write_str("yes"),
            Availability::Unavailable(reason) => write!(formatter, "no: {reason}"),
        }
    }
}

/// What this kernel and container let a job do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// A rank may copy from another rank's memory (`process_vm_readv` between siblings).
    pub peer_copy: Availability,
    /// The same after the other rank has consented with `PR_SET_PTRACER`.
    pub peer_copy_with_consent: Availability,
    /// A parent may copy from its child's memory, as the launcher from a rank's.
    pub child_copy: Availability,
    /// `membarrier` for every registered process of the machine: sleepers pay for the order of
    /// stores and loads, senders do not.
    pub membarrier_global: Availability,
    /// `membarrier` for the threads of one process.
    pub membarrier_private: Availability,
    /// io_uring; without it, epoll serves.
    pub io_uring: Availability,
    /// Faults handled in user space.
    pub userfaultfd: Availability,
    /// The same on shared memory: pages that are missing and pages that are write-protected.
    pub userfaultfd_shared: Availability,
    /// Segments whose size is sealed, so that no peer can shrink them under another.
    pub memfd_sealing: Availability,
    /// Transparent huge pages in shared memory, by advice or always.
    pub shared_huge_pages: Availability,
    /// The same in a process's own memory.
    pub private_huge_pages: Availability,
    /// Bytes a process may lock in memory (RLIMIT_MEMLOCK, soft); none is no limit.
    pub locked_memory_bytes: Option<u64>,
}

impl Limits {
    /// Tries everything. Takes about a millisecond and starts some short-lived children.
    pub fn probe() -> Limits {
        let (peer_copy, child_copy) = copy_between_processes(false);
        let (peer_copy_with_consent, _) = copy_between_processes(true);
        let (userfaultfd, userfaultfd_shared) = user_faults();
        Limits {
            peer_copy: Availability::from_result(peer_copy),
            peer_copy_with_consent: Availability::from_result(peer_copy_with_consent),
            child_copy: Availability::from_result(child_copy),
            membarrier_global: Availability::from_result(membarrier(
                libc::MEMBARRIER_CMD_GLOBAL_EXPEDITED
                    | libc::MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
            )),
            membarrier_private: Availability::from_result(membarrier(
                libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED
                    | libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
            )),
            io_uring: Availability::from_result(io_uring()),
            userfaultfd: Availability::from_result(userfaultfd),
            userfaultfd_shared: Availability::from_result(userfaultfd_shared),
            memfd_sealing: Availability::from_result(memfd_sealing()),
            shared_huge_pages: Availability::from_result(huge_pages(
                "shmem_enabled",
                &["advise", "within_size", "always", "force"],
            )),
            private_huge_pages: Availability::from_result(huge_pages(
                "enabled",
                &["madvise", "always"],
            )),
            locked_memory_bytes: locked_memory_bytes(),
        }
    }

    /// Each facility with its name, in the order of the fields.
    pub fn facilities(&self) -> [(&'static str, &Availability); 11] {
        [
            ("copy from a peer (process_vm_readv)", &self.peer_copy),
            ("copy from a consenting peer", &self.peer_copy_with_consent),
            ("copy from a child", &self.child_copy),
            ("membarrier between processes", &self.membarrier_global),
            ("membarrier between threads", &self.membarrier_private),
            ("io_uring", &self.io_uring),
            ("userfaultfd", &self.userfaultfd),
            ("userfaultfd on shared memory", &self.userfaultfd_shared),
            ("memfd sealing", &self.memfd_sealing),
            ("huge pages in shared memory", &self.shared_huge_pages),
            ("huge pages in private memory", &self.private_huge_pages),
        ]
    }
}

/// A line for each facility: its name, a colon, and `yes` or `no: reason`.
impl fmt::Display for Limits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, availability) in self.facilities() {
            writeln!(formatter, "{name}: {availability}")?;
        }
        match self.locked_memory_bytes {
            Some(bytes) => writeln!(formatter, "locked memory: {} KiB", bytes / 1024),
            None => writeln!(formatter, "locked memory: unlimited"),
        }
    }
}

/// What went wrong, and the kernel setting that may be the cause.
fn refusal(call: &str, error: &io::Error, setting: Option<&str>) -> String {
    let cause = match error.raw_os_error() {
        Some(libc::ENOSYS) => ", the kernel lacks it or the container hides it",
        Some(libc::EPERM | libc::EACCES) => ", a container's filter or a kernel setting",
        _ => "",
    };
    let setting = setting.and_then(|name| {
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        let value = fs::read_to_string(path).ok()?;
        Some(format!(" ({name}={})", value.trim()))
    });
    format!("{call}: {error}{cause}{}", setting.unwrap_or_default())
}

/// The pattern that one process holds and another copies. Children of a fork have it at the same
/// address.
static PATTERN: [u64; 2] = [0x7061_6d69_7221_2121, 0x5a5a_a5a5_0f0f_f0f0];

/// What a child that found another pattern exits with; no error number is as high.
const WRONG_PATTERN: i32 = 255;

/// Copies the pattern from a process. Makes one system call and allocates nothing. The answer is
/// 0, an error number, or [`WRONG_PATTERN`].
fn copy_pattern_from(process: libc::pid_t) -> i32 {
    let mut copy = [0u64; 2];
    let bytes = size_of_val(&PATTERN);
    let local = libc::iovec {
        iov_base: copy.as_mut_ptr().cast(),
        iov_len: bytes,
    };
    let remote = libc::iovec {
        iov_base: PATTERN.as_ptr().cast_mut().cast(),
        iov_len: bytes,
    };
    // SAFETY: `local` is `copy`, writable and `bytes` long. `remote` is an address in the other
    // process, which the kernel checks; it is only read.
    let copied = unsafe { libc::process_vm_readv(process, &local, 1, &remote, 1, 0) };
    if copied < 0 {
        io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(WRONG_PATTERN)
    } else if copied as usize == bytes && copy == PATTERN {
        0
    } else {
        WRONG_PATTERN
    }
}

/// Says what an answer of [`copy_pattern_from`] means.
fn copy_result(answer: i32) -> Result<(), String> {
    match answer {
        0 => Ok(()),
        WRONG_PATTERN => Err("process_vm_readv copied something else".to_string()),
        number => Err(refusal(
            "process_vm_readv",
            &io::Error::from_raw_os_error(number),
            Some("kernel.yama.ptrace_scope"),
        )),
    }
}

/// A child that is killed and waited for when this is dropped.
struct Child(libc::pid_t);

impl Child {
    /// Starts a child that runs `body`, which may neither allocate nor return: other threads'
    /// locks may be held in the copy.
    fn start(body: impl FnOnce()) -> io::Result<Child> {
        // SAFETY: in the child only `body` and `_exit` run, and every body of this file makes
        // nothing but system calls.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                body();
                // SAFETY: ends the child at once, without running the parent's exit handlers.
                unsafe { libc::_exit(WRONG_PATTERN) }
            }
            process => Ok(Child(process)),
        }
    }

    /// Waits for the child's end; the answer is its exit code.
    fn wait(self) -> io::Result<i32> {
        let mut status = 0;
        // SAFETY: the process is a child of ours that nobody has waited for; `status` is writable.
        while unsafe { libc::waitpid(self.0, &mut status, 0) } < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        std::mem::forget(self);
        Ok(if libc::WIFEXITED(status) {
            libc::WEXITSTATUS(status)
        } else {
            WRONG_PATTERN
        })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: the process is a child of ours that nobody has waited for, so its number has
        // not been given to another one.
        unsafe {
            libc::kill(self.0, libc::SIGKILL);
            libc::waitpid(self.0, std::ptr::null_mut(), 0);
        }
    }
}

/// Copies between two children, and from a child to this process. With `consent`, the child that
/// holds the pattern first allows every process of its user to look at it.
fn copy_between_processes(consent: bool) -> (Result<(), String>, Result<(), String>) {
    let holder = match start_holder(consent) {
        Ok(holder) => holder,
        Err(error) => {
            let reason = refusal("starting a child to copy from", &error, None);
            return (Err(reason.clone()), Err(reason));
        }
    };
    let process = holder.0;
    let peer = Child::start(|| {
        let answer = copy_pattern_from(process);
        // SAFETY: ends the child at once, without running the parent's exit handlers.
        unsafe { libc::_exit(answer) }
    })
    .and_then(Child::wait)
    .map_err(|error| refusal("starting a child that copies", &error, None))
    .and_then(copy_result);
    (peer, copy_result(copy_pattern_from(process)))
}

/// Starts the child that holds the pattern, and waits until it is ready.
fn start_holder(consent: bool) -> io::Result<Child> {
    let (reader, writer) = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
    let signal = writer.as_raw_fd();
    let holder = Child::start(|| {
        // SAFETY: system calls on numbers alone, and a write of one byte from a static. The loop
        // ends with the kill by the parent, or by the kernel if the parent ends first.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if consent {
                libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY);
            }
            libc::write(signal, PATTERN.as_ptr().cast(), 1);
            loop {
                libc::pause();
            }
        }
    })?;
    drop(writer);
    File::from(reader).read_exact(&mut [0])?;
    Ok(holder)
}

/// Whether the kernel offers all of these membarrier commands.
fn membarrier(commands: libc::c_int) -> Result<(), String> {
    // SAFETY: the query command (0) takes no pointer and changes nothing.
    let offered = unsafe { libc::syscall(libc::SYS_membarrier, libc::MEMBARRIER_CMD_QUERY, 0, 0) };
    if offered < 0 {
        return Err(refusal("membarrier", &io::Error::last_os_error(), None));
    }
    if offered as libc::c_int & commands == commands {
        Ok(())
    } else {
        Err(format!(
            "membarrier offers commands {offered:#x} only, {commands:#x} are needed"
        ))
    }
}

/// Takes over a descriptor that a system call has just made.
fn new_descriptor(answer: libc::c_long) -> io::Result<OwnedFd> {
    if answer < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: every caller passes the answer of a system call that makes a descriptor; nobody
    // else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(answer as libc::c_int) })
}

fn io_uring() -> Result<(), String> {
    // `struct io_uring_params` is 120 bytes, all zero for the defaults.
    let mut parameters = [0u64; 15];
    // SAFETY: the kernel reads and writes the 120 bytes of `parameters`.
    let answer = unsafe { libc::syscall(libc::SYS_io_uring_setup, 2, parameters.as_mut_ptr()) };
    new_descriptor(answer)
        .map(drop)
        .map_err(|error| refusal("io_uring_setup", &error, Some("kernel.io_uring_disabled")))
}

/// Whether faults can be handled in user space, and whether on shared memory.
fn user_faults() -> (Result<(), String>, Result<(), String>) {
    // From linux/userfaultfd.h.
    const USER_MODE_ONLY: libc::c_int = 1;
    const INTERFACE: u64 = 0xaa;
    const HANDSHAKE: libc::Ioctl = 0xc018_aa3f_u32 as libc::Ioctl;
    const MISSING_SHARED: u64 = 1 << 5;
    const WRITE_PROTECT_SHARED: u64 = 1 << 12;
    let failed = |call, error: io::Error| {
        let reason = refusal(call, &error, Some("vm.unprivileged_userfaultfd"));
        (Err(reason.clone()), Err(reason))
    };
    // SAFETY: the call takes flags alone.
    let answer = unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | USER_MODE_ONLY) };
    let descriptor = match new_descriptor(answer) {
        Ok(descriptor) => descriptor,
        Err(error) => return failed("userfaultfd", error),
    };
    // `struct uffdio_api`: interface, features (asked for, then offered), commands.
    let mut handshake = [INTERFACE, 0, 0];
    // SAFETY: the command number says 24 bytes, read and written: those of `handshake`.
    let answer = unsafe { libc::ioctl(descriptor.as_raw_fd(), HANDSHAKE, handshake.as_mut_ptr()) };
    if answer < 0 {
        return failed("userfaultfd's handshake", io::Error::last_os_error());
    }
    let needed = MISSING_SHARED | WRITE_PROTECT_SHARED;
    let shared = if handshake[1] & needed == needed {
        Ok(())
    } else {
        Err(format!(
            "userfaultfd offers features {:#x} only, {needed:#x} are needed",
            handshake[1]
        ))
    };
    (Ok(()), shared)
}

/// Makes a small file, seals its size, and sees that the seal holds.
fn memfd_sealing() -> Result<(), String> {
    let failed = |call: &str, error: nix::Error| refusal(call, &error.into(), None);
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
    let descriptor =
        memfd_create(c"pamir-probe", flags).map_err(|error| failed("memfd_create", error))?;
    let file = File::from(descriptor);
    file.set_len(4096)
        .map_err(|error| refusal("ftruncate of a memfd", &error, None))?;
    let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW;
    fcntl(&file, FcntlArg::F_ADD_SEALS(seals)).map_err(|error| failed("F_ADD_SEALS", error))?;
    match file.set_len(0) {
        Err(_) => Ok(()),
        Ok(()) => Err("a sealed memfd could be shrunk".to_string()),
    }
}

/// Reads a setting of transparent huge pages, whose word in brackets is the one in force; the first of those that
/// will do is enough.
fn huge_pages(setting: &str, will_do: &[&str]) -> Result<(), String> {
    let setting = format!("/sys/kernel/mm/transparent_hugepage/{setting}");
    let text = fs::read_to_string(&setting).map_err(|error| format!("{setting}: {error}"))?;
    let in_force = text.split(['[', ']']).nth(1).unwrap_or_default();
    if will_do.contains(&in_force) {
        return Ok(());
    }
    let enough = will_do.first().unwrap_or(&"");
    Err(format!("{setting} is {in_force:?}; {enough} is enough"))
}

fn locked_memory_bytes() -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is writable and of the type the call fills.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) };
    // The call can only fail for an unknown limit or a bad address: neither is the case.
    debug_assert_eq!(result, 0);
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_says_something_and_every_line_is_there() {
        let limits = Limits::probe();
        let text = limits.to_string();
        assert_eq!(text.lines().count(), 12, "{text}");
        for (name, availability) in limits.facilities() {
            if let Availability::Unavailable(reason) = availability {
                assert!(reason.len() > 10, "{name}: {reason}");
            }
        }
    }

    #[test]
    fn a_probe_leaves_no_process_and_no_descriptor() {
        // In a process of its own: other tests open descriptors and start children meanwhile.
        const CHILD: &str = "PAMIR_TEST_LIMITS_CHILD";
        if std::env::var_os(CHILD).is_none() {
            let test = "machine_limits::tests::a_probe_leaves_no_process_and_no_descriptor";
            let output = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", test])
                .env(CHILD, "1")
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && text.contains("1 passed"),
                "{text}"
            );
            return;
        }
        let open = || fs::read_dir("/proc/self/fd").unwrap().count();
        let before = open();
        Limits::probe();
        assert_eq!(open(), before);
        // SAFETY: waits for no particular child and stores nothing.
        let answer = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
        assert_eq!(answer, -1, "a child is left");
    }

    #[test]
    fn copying_is_refused_from_a_process_that_is_gone() {
        let holder = start_holder(false).unwrap();
        let process = holder.0;
        drop(holder);
        assert_eq!(copy_pattern_from(process), libc::ESRCH);
        let reason = copy_result(libc::EPERM).unwrap_err();
        assert!(
            reason.contains("process_vm_readv") && reason.contains("filter"),
            "{reason}"
        );
    }

    #[test]
    fn the_sealed_file_and_the_query_answer() {
        // Every kernel this project supports has these; where a container hides them, the reason
        // names the call.
        if let Err(reason) = memfd_sealing() {
            assert!(
                reason.contains("memfd") || reason.contains("SEALS"),
                "{reason}"
            );
        }
        let unknown = membarrier(1 << 30).unwrap_err();
        assert!(unknown.contains("membarrier"), "{unknown}");
    }
}
