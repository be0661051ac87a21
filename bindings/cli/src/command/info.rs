//! `pamir info`: the version, the machine, and what its kernel allows.
//!
//! What: prints two short tables; every line of the second is the outcome of a real attempt.
//! Why: which protocols a job can use depends on system calls that containers like to refuse.
//! Step before: [`super::main`]. Step after: standard output.

use std::fmt::Write as _;

use nix::errno::Errno;

use crate::launch::machine::{Core, Detail, Machine, format_list};

/// Arguments of `pamir info`.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Prints the tables; returns the exit code.
pub fn run(_arguments: &Arguments) -> u8 {
    use std::io::Write as _;
    let text = describe();
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

fn describe() -> String {
    let mut text = format!("Pamir {}\n\nMachine\n", env!("CARGO_PKG_VERSION"));
    for (name, value) in machine() {
        let _ = writeln!(text, "  {name:<22}{value}");
    }
    text.push_str("\nKernel\n");
    for (name, value) in kernel() {
        let _ = writeln!(text, "  {name:<22}{value}");
    }
    text
}

fn machine() -> Vec<(&'static str, String)> {
    let machine = Machine::read(Detail::Full);
    let mut units: Vec<u32> = machine
        .cores
        .iter()
        .flat_map(|core| core.units.clone())
        .collect();
    units.sort_unstable();
    let distinct = |key: fn(&Core) -> u32| {
        let mut keys: Vec<u32> = machine.cores.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len().to_string()
    };
    let mut lines = vec![
        ("processor", processor_name()),
        ("cores", machine.cores.len().to_string()),
        (
            "hardware threads",
            format!("{} ({})", units.len(), format_list(&units)),
        ),
        ("packages", distinct(|core| core.package)),
        ("NUMA nodes", distinct(|core| core.node)),
        ("last-level caches", distinct(|core| core.cache)),
        ("caches of a core", caches(machine.cores[0].units[0])),
    ];
    lines.push(("memory", memory()));
    lines.push((
        "huge pages",
        bracketed("/sys/kernel/mm/transparent_hugepage/enabled"),
    ));
    lines.push((
        "huge pages, shared",
        bracketed("/sys/kernel/mm/transparent_hugepage/shmem_enabled"),
    ));
    lines
}

fn processor_name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line
        .and_then(|line| line.split_once(':'))
        .map(|(_, name)| name.trim());
    name.unwrap_or(std::env::consts::ARCH).to_string()
}

fn caches(unit: u32) -> String {
    let read = |index: usize, file: &str| {
        let path = format!("/sys/devices/system/cpu/cpu{unit}/cache/index{index}/{file}");
        std::fs::read_to_string(path)
            .ok()
            .map(|text| text.trim().to_string())
    };
    let mut caches = Vec::new();
    for index in 0..8 {
        let (Some(level), Some(size)) = (read(index, "level"), read(index, "size")) else {
            break;
        };
        let kind = match read(index, "type").as_deref() {
            Some("Data") => "d",
            Some("Instruction") => "i",
            _ => "",
        };
        caches.push(format!("L{level}{kind} {size}"));
    }
    if caches.is_empty() {
        "not shown by the kernel".to_string()
    } else {
        caches.join(", ")
    }
}

fn memory() -> String {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes = text.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?
            .trim()
            .strip_suffix(" kB")?
            .parse::<u64>()
            .ok()
    });
    kibibytes.map_or("unknown".to_string(), |kibibytes| {
        format!("{} MiB", kibibytes / 1024)
    })
}

/// The chosen word of a file such as `always [madvise] never`.
fn bracketed(path: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let chosen = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    chosen
        .map_or("not shown by the kernel", |(word, _)| word)
        .to_string()
}

fn kernel() -> Vec<(&'static str, String)> {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    vec![
        ("release", release.trim().to_string()),
        (
            "process_vm_readv",
            said(read_own_memory(), "large messages in one copy"),
        ),
        (
            "membarrier",
            said(global_expedited(), "sleepers pay for the fence"),
        ),
        (
            "memfd_create",
            said(memory_file(), "job memory without a name"),
        ),
        ("io_uring", said(ring(), "interrupts in one wait")),
        (
            "userfaultfd",
            said(fault_descriptor(), "memory that interrupts"),
        ),
        ("ptrace scope", ptrace_scope()),
    ]
}

fn said(outcome: Result<(), Errno>, use_of_it: &str) -> String {
    match outcome {
        Ok(()) => format!("yes ({use_of_it})"),
        Err(errno) => format!("no: {} ({errno:?})", errno.desc()),
    }
}

fn ptrace_scope() -> String {
    match std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope") {
        Ok(text) => match text.trim() {
            "0" => "0: ranks of one user may read one another".to_string(),
            scope => format!("{scope}: a rank has to permit its readers"),
        },
        Err(_) => "none: ranks of one user may read one another".to_string(),
    }
}

fn read_own_memory() -> Result<(), Errno> {
    let source = [1_u8; 8];
    let mut target = [0_u8; 8];
    let local = libc::iovec {
        iov_base: target.as_mut_ptr().cast(),
        iov_len: target.len(),
    };
    let remote = libc::iovec {
        iov_base: source.as_ptr().cast_mut().cast(),
        iov_len: source.len(),
    };
    // SAFETY: both vectors describe live arrays of this process; `target` is written, `source` is
    // only read.
    let count = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    Errno::result(count).map(drop)
}

fn global_expedited() -> Result<(), Errno> {
    // SAFETY: a query changes nothing and has no pointers.
    let commands = unsafe { libc::syscall(libc::SYS_membarrier, libc::MEMBARRIER_CMD_QUERY, 0, 0) };
    let commands = Errno::result(commands)?;
    let wanted = libc::c_long::from(libc::MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    if commands & wanted != 0 {
        Ok(())
    } else {
        Err(Errno::EOPNOTSUPP)
    }
}

fn memory_file() -> Result<(), Errno> {
    // SAFETY: the name is a C string that lives for ever.
    close(unsafe {
        libc::syscall(
            libc::SYS_memfd_create,
            c"pamir-info".as_ptr(),
            libc::MFD_CLOEXEC,
        )
    })
}

fn ring() -> Result<(), Errno> {
    // `struct io_uring_params` has 120 bytes, all zero for a plain ring.
    let mut parameters = [0_u64; 15];
    // SAFETY: the array has the size and alignment of the structure that the kernel fills.
    close(unsafe { libc::syscall(libc::SYS_io_uring_setup, 4, parameters.as_mut_ptr()) })
}

fn fault_descriptor() -> Result<(), Errno> {
    // UFFD_USER_MODE_ONLY: what the kernel allows to those without privileges.
    const USER_MODE_ONLY: libc::c_int = 1;
    // SAFETY: the call has no pointers.
    close(unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | USER_MODE_ONLY) })
}

/// Closes a descriptor that was only asked for to see whether there is one.
fn close(descriptor: libc::c_long) -> Result<(), Errno> {
    let descriptor = Errno::result(descriptor)?;
    // SAFETY: the descriptor was created by the caller for this purpose and is known to nobody.
    unsafe { libc::close(descriptor as libc::c_int) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_value() {
        let text = describe();
        for line in text.lines().filter(|line| line.starts_with("  ")) {
            assert!(line.len() > 24 && !line.ends_with(' '), "{line}");
        }
        assert!(text.contains("process_vm_readv"));
    }
}
