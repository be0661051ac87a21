//! The machine as plain data: packages, NUMA nodes, caches, cores and processing units.
//!
//! Why it stands apart from hwloc: the launcher, the ranks, the placement layer and the
//! simulations all ask the same questions ("which units may I use", "what do these two share"),
//! but only the commands may load libhwloc. So a [`Machine`] is a value of our own, and there are
//! three ways to get one:
//!
//! ```text
//!  Machine::from_sysfs()        kernel files and the affinity mask, no library
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
mod error;
mod fingerprint;
#[cfg(feature = "topology")]
mod hwloc;
mod machine;
mod system_files;

pub use affinity::AffinityMask;
pub use error::TopologyError;
pub use fingerprint::Fingerprint;
pub use machine::{Level, Machine, Origin, ProcessingUnit, host_name};

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
