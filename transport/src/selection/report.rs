//! Which algorithms a process has taken, for `PAMIR_SELECTION_REPORT`.
//!
//! Before: a process leaves its job. After: a line a kind on standard error.

use super::kind::{KINDS, Kind};

/// A line for each kind that was used, if the environment asks for it; rank 0 speaks for all,
/// since all run the same algorithms of collectives.
pub fn print(rank: usize) {
    if rank == 0 && pamir_settings::SELECTION_REPORT.value() {
        KINDS
            .into_iter()
            .filter_map(line)
            .for_each(|line| eprintln!("{line}"));
    }
}

fn line(kind: &dyn Kind) -> Option<String> {
    let uses = kind.uses();
    let words: Vec<String> = uses
        .iter()
        .map(|(one, times)| format!("{one} {times}"))
        .collect();
    (!words.is_empty()).then(|| format!("pamir: {}: {}", kind.name(), words.join(", ")))
}
