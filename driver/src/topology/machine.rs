//! The machine model: processing units with the objects that contain them.
//!
//! What it is: a flat, sorted list of units, each naming its core, caches, NUMA node and package.
//! Why flat: every question of the layers above is about units ("group them by L3 cache", "what
//! do these two share"), and real machines do not nest the same way everywhere (an L3 cache may
//! span NUMA nodes, a NUMA node may span packages), which a tree cannot say.
//!
//! Step before: one of the readers (system files, hwloc, description) collects [`Located`] units.
//! Step after: `binding::plan` and the callers of [`Machine::sharing`].

use std::collections::HashMap;
use std::fmt;

use super::error::TopologyError;

/// What two processing units can share, from the nearest to the farthest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The same hardware thread.
    ProcessingUnit,
    /// The same core, with its first-level caches.
    Core,
    /// The same second-level cache.
    L2Cache,
    /// The same third-level cache.
    L3Cache,
    /// The same NUMA node.
    NumaNode,
    /// The same package (socket).
    Package,
    /// Nothing but the machine.
    Machine,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Level::ProcessingUnit => "hwthread",
            Level::Core => "core",
            Level::L2Cache => "l2cache",
            Level::L3Cache => "l3cache",
            Level::NumaNode => "numa",
            Level::Package => "package",
            Level::Machine => "machine",
        })
    }
}

/// Where a [`Machine`] was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The kernel's files below `/sys/devices/system`: this machine.
    SystemFiles,
    /// hwloc, looking at this machine.
    Hwloc,
    /// hwloc, given another machine by HWLOC_SYNTHETIC or HWLOC_XMLFILE.
    HwlocForeign,
    /// A textual description.
    Description,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Origin::SystemFiles => "the kernel's system files",
            Origin::Hwloc => "hwloc",
            Origin::HwlocForeign => "hwloc's environment variables",
            Origin::Description => "a description",
        })
    }
}

/// A processing unit (hardware thread) and what contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessingUnit {
    /// The number the operating system knows it by (as in `/proc/cpuinfo`, `taskset`).
    pub os_index: u32,
    /// Its core: logical number over the whole machine, from 0.
    pub core: u32,
    /// Its second-level cache: logical number over the whole machine; none if not reported.
    pub l2cache: Option<u32>,
    /// Its third-level cache: logical number over the whole machine; none if not reported.
    pub l3cache: Option<u32>,
    /// Its nearest NUMA node: the operating system's number, as `mbind` takes it.
    pub numa_node: u32,
    /// Its package: the operating system's number.
    pub package: u32,
    /// Whether the affinity mask and the cgroup let this process use it.
    pub allowed: bool,
}

impl ProcessingUnit {
    /// The number of the object of this level that contains the unit; none where the machine
    /// reports no such object. Comparable between units of one machine.
    pub fn container(&self, level: Level) -> Option<u32> {
        match level {
            Level::ProcessingUnit => Some(self.os_index),
            Level::Core => Some(self.core),
            Level::L2Cache => self.l2cache,
            Level::L3Cache => self.l3cache,
            Level::NumaNode => Some(self.numa_node),
            Level::Package => Some(self.package),
            Level::Machine => Some(0),
        }
    }
}

/// A unit as a reader found it. Keys of core and caches are any numbers that are equal for units
/// of one object and different for units of different objects.
#[derive(Debug, Clone)]
pub(super) struct Located {
    pub(super) os_index: u32,
    pub(super) core_key: u32,
    pub(super) l2cache_key: Option<u32>,
    pub(super) l3cache_key: Option<u32>,
    pub(super) numa_node: u32,
    pub(super) package: u32,
    pub(super) allowed: bool,
}

/// A machine: its processing units in logical order. See the module's invariants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    host: String,
    origin: Origin,
    units: Vec<ProcessingUnit>,
    offline: Vec<u32>,
    /// Position in `units` for each operating-system index.
    position: HashMap<u32, usize>,
}

impl Machine {
    /// Sorts what a reader found into logical order and numbers cores and caches from 0.
    pub(super) fn assemble(
        host: String,
        origin: Origin,
        mut found: Vec<Located>,
        offline: Vec<u32>,
    ) -> Result<Machine, TopologyError> {
        if found.is_empty() {
            return Err(TopologyError::NoProcessingUnit {
                origin: origin.to_string(),
            });
        }
        // An object's place among its equals is that of its lowest unit, as in hwloc.
        let first_by = |key: fn(&Located) -> u32| {
            let mut first: HashMap<u32, u32> = HashMap::new();
            for unit in &found {
                let lowest = first.entry(key(unit)).or_insert(unit.os_index);
                *lowest = unit.os_index.min(*lowest);
            }
            first
        };
        // A missing cache sorts like one that each unit has for itself: no grouping.
        let packages = first_by(|unit| unit.package);
        let numa_nodes = first_by(|unit| unit.numa_node);
        let l3caches = first_by(|unit| unit.l3cache_key.unwrap_or(u32::MAX));
        let l2caches = first_by(|unit| unit.l2cache_key.unwrap_or(u32::MAX));
        let cores = first_by(|unit| unit.core_key);
        found.sort_by_key(|unit| {
            (
                packages[&unit.package],
                numa_nodes[&unit.numa_node],
                l3caches[&unit.l3cache_key.unwrap_or(u32::MAX)],
                l2caches[&unit.l2cache_key.unwrap_or(u32::MAX)],
                cores[&unit.core_key],
                unit.os_index,
            )
        });

        let mut core_numbers = HashMap::new();
        let mut l2cache_numbers = HashMap::new();
        let mut l3cache_numbers = HashMap::new();
        let number_of = |numbers: &mut HashMap<u32, u32>, key: u32| {
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        };
        let units: Vec<ProcessingUnit> = found
            .into_iter()
            .map(|unit| ProcessingUnit {
                os_index: unit.os_index,
                core: number_of(&mut core_numbers, unit.core_key),
                l2cache: unit
                    .l2cache_key
                    .map(|key| number_of(&mut l2cache_numbers, key)),
                l3cache: unit
                    .l3cache_key
                    .map(|key| number_of(&mut l3cache_numbers, key)),
                numa_node: unit.numa_node,
                package: unit.package,
                allowed: unit.allowed,
            })
            .collect();

        let mut position = HashMap::with_capacity(units.len());
        for (index, unit) in units.iter().enumerate() {
            if position.insert(unit.os_index, index).is_some() {
                return Err(TopologyError::DuplicateProcessingUnit {
                    os_index: unit.os_index,
                });
            }
        }
        Ok(Machine {
            host,
            origin,
            units,
            offline,
            position,
        })
    }

    /// The host's name.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Where this was read from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether this is the machine the process runs on, so that binding to it makes sense.
    pub fn is_this_system(&self) -> bool {
        matches!(self.origin, Origin::SystemFiles | Origin::Hwloc)
    }

    /// Every online processing unit, in logical order, those that are not allowed included.
    pub fn processing_units(&self) -> &[ProcessingUnit] {
        &self.units
    }

    /// The unit with this operating-system index.
    pub fn processing_unit(&self, os_index: u32) -> Option<&ProcessingUnit> {
        self.position
            .get(&os_index)
            .map(|&index| &self.units[index])
    }

    /// The operating-system indices of the units that the process may use, in logical order.
    pub fn allowed(&self) -> Vec<u32> {
        self.units
            .iter()
            .filter(|unit| unit.allowed)
            .map(|unit| unit.os_index)
            .collect()
    }

    /// The operating-system indices of the units that exist but are switched off.
    pub fn offline(&self) -> &[u32] {
        &self.offline
    }

    /// The machine as it looks to a process that may only use these units; units that were not
    /// allowed stay so.
    pub fn restricted_to(&self, processing_units: &[u32]) -> Machine {
        let mut machine = self.clone();
        for unit in &mut machine.units {
            unit.allowed &= processing_units.contains(&unit.os_index);
        }
        machine
    }

    /// How many objects of this level the machine has (allowed or not); 0 where none is reported.
    pub fn count(&self, level: Level) -> usize {
        let mut seen: Vec<u32> = self
            .units
            .iter()
            .filter_map(|unit| unit.container(level))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }

    /// The allowed units grouped by the object of this level that contains them: both the groups
    /// and the units in each are in logical order. Groups without an allowed unit are left out.
    /// None where an allowed unit has no object of this level (no L3 cache is reported).
    pub fn groups(&self, level: Level) -> Option<Vec<Vec<u32>>> {
        let mut order: HashMap<u32, usize> = HashMap::new();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for unit in self.units.iter().filter(|unit| unit.allowed) {
            let container = unit.container(level)?;
            let group = *order.entry(container).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(unit.os_index);
        }
        Some(groups)
    }

    /// The NUMA nodes that have processing units, by the operating system's number, ascending.
    pub fn numa_nodes(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.units.iter().map(|unit| unit.numa_node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The nearest thing two units share, by operating-system indices. A unit that the machine
    /// does not have shares nothing but the machine.
    pub fn sharing(&self, one: u32, other: u32) -> Level {
        let (Some(one), Some(other)) = (self.processing_unit(one), self.processing_unit(other))
        else {
            return Level::Machine;
        };
        let levels = [
            Level::ProcessingUnit,
            Level::Core,
            Level::L2Cache,
            Level::L3Cache,
            Level::NumaNode,
            Level::Package,
        ];
        levels
            .into_iter()
            .find(|&level| {
                one.container(level).is_some() && one.container(level) == other.container(level)
            })
            .unwrap_or(Level::Machine)
    }
}

/// One line: `host: 2 packages, 4 NUMA nodes, 16 L3 caches, 128 cores, 256 units (all allowed)`.
impl fmt::Display for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |level, one: &str, many: &str| {
            let count = self.count(level);
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let allowed = self.units.iter().filter(|unit| unit.allowed).count();
        write!(
            formatter,
            "{}: {}, {}, {}, {}, {} ({} allowed)",
            self.host,
            counted(Level::Package, "package", "packages"),
            counted(Level::NumaNode, "NUMA node", "NUMA nodes"),
            counted(Level::L3Cache, "L3 cache", "L3 caches"),
            counted(Level::Core, "core", "cores"),
            counted(Level::ProcessingUnit, "processing unit", "processing units"),
            if allowed == self.units.len() {
                "all".to_string()
            } else {
                allowed.to_string()
            },
        )
    }
}

/// The name of this host, from the kernel; empty where it is not told.
pub fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map(|name| name.trim().to_string())
        .unwrap_or_default()
}
