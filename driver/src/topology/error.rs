//! Why the machine could not be read.
//!
//! Before: a file, the affinity mask, a description or hwloc says nothing that makes sense. After: the command ends, or the
//! rank goes on without a topology.

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
