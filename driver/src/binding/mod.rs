//! Which processing units each rank may run on, and making the kernel keep to it.
//!
//! What: policies (`--map-by`, `--bind-to`) become a list of [`RankBinding`]s by pure functions,
//! [`plan`], and [`plan_shares`] where ranks have several cores; other functions apply a binding to a thread, a process or a range of memory, and
//! [`report`] shows what was decided.
//!
//! ```text
//!  MapBy, BindTo ──┐
//!  ranks ──────────┤
//!  Machine ────────┴─> plan ─> Vec<RankBinding> ─┬─> bind_process, bind_current_thread (scheduler)
//!                                                ├─> bind_memory (pages of a segment)
//!                                                ├─> ranks_sharing_unit (how ranks should wait)
//!                                                └─> report (text for people)
//! ```
//!
//! Step before: [`crate::topology`] and the launcher's arguments. Step after: the launcher starts
//! the ranks. Invariants: every rank is bound to at least one allowed unit; its primary unit is
//! one of them; no place (core or hardware thread) gets two ranks more than another.

mod mapped;
mod memory;
mod picture;
mod plan;
mod policy;
mod processor;
mod report;
mod share;

pub use mapped::{plan_on_units, scattered};
pub use memory::{MemoryBinding, bind_memory, prefer_own_node};
pub use picture::picture_of_machine;
pub use plan::{RankBinding, plan, ranks_sharing_unit};
pub use policy::{BindTo, MapBy};
pub use processor::{bind_current_thread, bind_process};
pub use report::{report, report_line};
pub use share::{Turn, Width, plan_shares};

use crate::topology::Level;

/// Why ranks could not be placed or bound.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindingError {
    /// A policy's word is not known.
    #[error("{option} {word:?} is not known; use one of {allowed}")]
    UnknownPolicy {
        /// The option it was given to.
        option: &'static str,
        /// What was given.
        word: String,
        /// The words that are known.
        allowed: &'static str,
    },
    /// An explicit list of units cannot be read.
    #[error(
        "cannot read the processor list {text:?}: {reason}; write the processors of one rank \
         after the other, such as list:0,2,4-7, and join those of one rank by a plus, such as \
         list:0+1,2+3"
    )]
    List {
        /// The list.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// More ranks than places where sharing is refused.
    #[error(
        "{ranks} ranks do not fit on {places} {kind} without sharing; start fewer, allow \
         oversubscription, or map by hwthread where cores have several"
    )]
    TooManyRanks {
        /// Ranks to be placed.
        ranks: usize,
        /// Places there are.
        places: usize,
        /// What a place is, in words.
        kind: &'static str,
    },
    /// Ranks that are wider together than the machine.
    #[error(
        "{ranks} ranks of {each} {kind} each do not fit on {places} {kind}, or not where they are to be; \
         start fewer, or ask for fewer {kind} a rank"
    )]
    TooWide {
        /// Ranks to be placed.
        ranks: usize,
        /// The most that a rank asks for.
        each: usize,
        /// What there is.
        places: usize,
        /// What is counted, in words.
        kind: &'static str,
    },
    /// The machine has no objects of the level that a policy names.
    #[error("this machine reports no {level} to place ranks by; use core, numa or package instead")]
    NoSuchLevel {
        /// The level.
        level: Level,
    },
    /// Two lists of units.
    #[error(
        "both a mapping file and a list say where ranks go: leave out --bind-to list, or --map-by \
         file"
    )]
    TwoLists,
    /// No unit may be used at all.
    #[error("this process may not use any processing unit of the machine; check its cpuset")]
    NothingAllowed,
    /// The machine has no such unit.
    #[error("processor {processing_unit} does not exist; allowed here are {allowed}")]
    NoSuchUnit {
        /// The unit's operating-system index.
        processing_unit: u32,
        /// The units that may be used, as a list.
        allowed: String,
    },
    /// The unit is switched off.
    #[error("processor {processing_unit} is offline; bring it online or choose among {allowed}")]
    Offline {
        /// The unit's operating-system index.
        processing_unit: u32,
        /// The units that may be used, as a list.
        allowed: String,
    },
    /// The affinity mask or the cgroup forbid the unit.
    #[error(
        "processor {processing_unit} is forbidden to this process by its affinity mask or \
         cgroup; allowed here are {allowed}"
    )]
    Forbidden {
        /// The unit's operating-system index.
        processing_unit: u32,
        /// The units that may be used, as a list.
        allowed: String,
    },
    /// The kernel refused to bind.
    #[error("the kernel refused to bind {target} to processors {processing_units}: {source}")]
    Refused {
        /// Who was to be bound.
        target: String,
        /// The units asked for, as a list.
        processing_units: String,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// The kernel bound to fewer units than asked for.
    #[error(
        "of processors {processing_units} the kernel gave {target} only {given}; the others are \
         offline or outside its cgroup's cpuset"
    )]
    Narrowed {
        /// Who was to be bound.
        target: String,
        /// The units asked for, as a list.
        processing_units: String,
        /// The units given, as a list.
        given: String,
    },
    /// The kernel refused to place memory.
    #[error("the kernel refused to place {length_bytes} bytes on NUMA node {numa_node}: {source}")]
    MemoryRefused {
        /// Length of the range in bytes.
        length_bytes: usize,
        /// The node asked for.
        numa_node: u32,
        /// What the kernel said.
        source: std::io::Error,
    },
}

/// Units as people write them: sorted, ranges joined, `0-3,8`; "none" for no unit.
pub fn list_of_units(units: &[u32]) -> String {
    let mut sorted = units.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for unit in sorted {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == unit => *last = unit,
            _ => parts.push((unit, unit)),
        }
    }
    if parts.is_empty() {
        return "none".to_string();
    }
    let text: Vec<String> = parts
        .into_iter()
        .map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    text.join(",")
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_join_neighbours() {
        assert_eq!(super::list_of_units(&[8, 0, 1, 2, 2, 9, 5]), "0-2,5,8-9");
        assert_eq!(super::list_of_units(&[]), "none");
    }
}
