//! The machine as plain data: packages, NUMA nodes, caches, cores and processing units.
//!
//! Why it stands apart from hwloc: the launcher, the ranks, the placement layer and the
//! simulations all ask the same questions ("which units may I use", "what do these two share"),
//! but only the commands may load libhwloc. So a [`Machine`] is a value of our own, and there are
//! three ways to get one:
//!
//! ```text
//!  Machine::from_sysfs()        kernel files and the affinity mask, no library, well below 1 ms
//!  Machine::from_hwloc()        hwloc (cargo feature `topology`): HWLOC_SYNTHETIC, HWLOC_XMLFILE
//!  Machine::from_description()  text such as "package:2 l3cache:4 core:8 pu:2", for simulations
//!          \        |        /
//!           assemble: units sorted so that neighbours in the list are neighbours in silicon
//!                   |
//!                Machine  --->  binding::plan, placement, transport (sharing of two units)
//! ```
//!
//! The linker drops libhwloc from every library and command that calls neither `from_hwloc` nor
//! `discover`, also when a build of the whole workspace turns the feature on for all of them.
//!
//! Step before: none, this is the ground. Step after: [`crate::binding`].
//!
//! Invariants of a [`Machine`]:
//! - at least one processing unit, each operating-system index once;
//! - units are in logical order: those of a core are adjacent, so are those of an L3 cache, of a
//!   NUMA node and of a package wherever these nest;
//! - units that are online but that the process may not use are listed with `allowed == false`,
//!   so that an error can tell "forbidden" from "no such unit".

mod affinity;
mod description;
#[cfg(feature = "topology")]
mod hwloc;
mod machine;
mod system_files;

pub use affinity::AffinityMask;
pub use machine::{Level, Machine, Origin, ProcessingUnit};

use std::path::PathBuf;

/// Why the machine could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// A file of the kernel's system directory could not be read.
    #[error("cannot read {path}: {source}; is /sys mounted in this container?")]
    SystemFile {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// A file of the kernel's system directory does not hold what it should.
    #[error("{path} holds {text:?}, which is not {expected}")]
    SystemFileContent {
        /// The file.
        path: PathBuf,
        /// What it holds.
        text: String,
        /// What was expected, in words.
        expected: &'static str,
    },
    /// The affinity mask could not be read.
    #[error("cannot read the affinity mask of this process: {source}")]
    Affinity {
        /// What the kernel said.
        source: std::io::Error,
    },
    /// No processing unit was found.
    #[error("no processing unit was found in {origin}; is it an empty topology?")]
    NoProcessingUnit {
        /// Where it was looked for.
        origin: String,
    },
    /// The same processing unit is listed twice.
    #[error("processing unit {os_index} is listed twice; the topology contradicts itself")]
    DuplicateProcessingUnit {
        /// Its operating-system index.
        os_index: u32,
    },
    /// A textual description of a machine is not understood.
    #[error(
        "cannot read the machine description {text:?}: {reason}; write levels from the outside \
         in, such as \"package:2 l3cache:4 core:8 pu:2\" (words: package, numa, l3cache, l2cache, \
         core, pu)"
    )]
    Description {
        /// The description.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// hwloc could not load a topology.
    #[error("hwloc could not load the topology of this machine; try `lstopo` to see why")]
    HwlocLoad,
    /// hwloc ignored the machine that an environment variable asks for.
    #[error(
        "hwloc refused {variable}={value:?} and looked at this machine instead; correct the \
         variable or unset it"
    )]
    HwlocEnvironment {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
}

/// A variable of hwloc that names another machine, with its value; empty counts as unset.
pub fn foreign_machine() -> Option<(&'static str, String)> {
    ["HWLOC_SYNTHETIC", "HWLOC_XMLFILE"]
        .into_iter()
        .find_map(|variable| {
            let value = std::env::var_os(variable)?.to_string_lossy().into_owned();
            (!value.is_empty()).then_some((variable, value))
        })
}

#[cfg(feature = "topology")]
impl Machine {
    /// The machine a launcher should plan for: the one hwloc's environment variables describe
    /// when one of them is set, else this one, read from the kernel's files, which is some ten
    /// times faster than hwloc.
    ///
    /// It exists with the cargo feature `topology` only: a library that called it would have to
    /// load libhwloc in every rank.
    pub fn discover() -> Result<Machine, TopologyError> {
        if foreign_machine().is_some() {
            Machine::from_hwloc()
        } else {
            Machine::from_sysfs()
        }
    }
}
