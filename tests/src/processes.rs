//! Processes found by what they carry.
//!
//! What: [`marked`] finds the processes of a run by a variable in their environment, wherever they
//! went and whoever their parent is; [`named_shared_memory`] says what they hold in `/dev/shm`.
//! Why: memory without a name vanishes with its last process, so a run has left nothing behind
//! when none of its processes lives and none of them ever had a named file.

use std::path::{Path, PathBuf};

/// The variable that every process of a run carries.
pub const MARKER: &str = "PAMIR_TEST_RUN";

/// The living processes whose environment holds `MARKER=value`; zombies have no environment.
pub fn marked(value: &str) -> Vec<i32> {
    let wanted = format!("{MARKER}={value}");
    let entries = std::fs::read_dir("/proc").expect("/proc is mounted");
    let identifiers = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    identifiers
        .filter(|process| {
            let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == wanted.as_bytes())
        })
        .collect()
}

/// The files of `/dev/shm` that this process maps or holds open.
pub fn named_shared_memory(process: i32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    for line in maps.lines() {
        if let Some(at) = line.find("/dev/shm/") {
            found.push(PathBuf::from(&line[at..]));
        }
    }
    let descriptors = std::fs::read_dir(format!("/proc/{process}/fd"));
    for descriptor in descriptors.into_iter().flatten().flatten() {
        let target = std::fs::read_link(descriptor.path()).unwrap_or_default();
        if target.starts_with(Path::new("/dev/shm")) {
            found.push(target);
        }
    }
    found
}

/// The arguments of a process, for messages.
pub fn command_line(process: i32) -> String {
    let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}
