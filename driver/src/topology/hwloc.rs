//! The machine as hwloc sees it, through the crate `hwloc2`.
//!
//! What it adds to the kernel's files: HWLOC_SYNTHETIC and HWLOC_XMLFILE (machines that are not
//! here), HWLOC_COMPONENTS, and hwloc's corrections for firmware that tells nonsense. Only the
//! commands are built with it (cargo feature `topology`).
//!
//! The crate is old and its NUMA level cannot be listed (its lookup of virtual levels panics), so
//! everything is asked of the objects that contain processing units, and a unit's NUMA node is
//! read from the node set that hwloc keeps in each object. No function of the crate that mutates
//! or that hands out raw pointers is used, and objects' names are not asked for (the crate would
//! free them).
//!
//! Step before: the environment. Step after: [`Machine::assemble`].

use std::collections::{HashMap, HashSet};

use hwloc2::{ObjectType, Topology, TopologyFlag, TopologyObject};

use super::machine::{Located, host_name};
use super::{AffinityMask, Machine, Origin, TopologyError, foreign_machine};

impl Machine {
    /// The machine as hwloc sees it: this one, or the one that HWLOC_SYNTHETIC or HWLOC_XMLFILE
    /// describe. Takes some milliseconds; [`Machine::from_sysfs`] is the fast way.
    pub fn from_hwloc() -> Result<Machine, TopologyError> {
        // Units that may not be used are listed as well, so that errors can tell them apart.
        let topology = Topology::with_flags(vec![TopologyFlag::IncludeDisallowed])
            .ok_or(TopologyError::HwlocLoad)?;
        // hwloc reports binding as supported exactly where it believes to see this machine.
        let here = topology.support().cpu().set_current_process();
        let claims_to_be_here = std::env::var_os("HWLOC_THISSYSTEM").is_some_and(|v| v == "1");
        if let Some((variable, value)) = foreign_machine()
            && here
            && !claims_to_be_here
        {
            return Err(TopologyError::HwlocEnvironment { variable, value });
        }

        let allowed: Box<dyn Fn(u32) -> bool> = if here {
            let mask = AffinityMask::of_current_thread()
                .map_err(|source| TopologyError::Affinity { source })?;
            Box::new(move |unit| mask.contains(unit))
        } else {
            // Without the flag, hwloc leaves out what the described machine forbids.
            let usable = Topology::new().ok_or(TopologyError::HwlocLoad)?;
            let usable: HashSet<u32> = objects(&usable, ObjectType::PU)
                .iter()
                .map(|unit| unit.os_index())
                .collect();
            Box::new(move |unit| usable.contains(&unit))
        };

        let cores = containers(&topology, ObjectType::Core, TopologyObject::logical_index);
        let l2caches = containers(
            &topology,
            ObjectType::L2Cache,
            TopologyObject::logical_index,
        );
        let l3caches = containers(
            &topology,
            ObjectType::L3Cache,
            TopologyObject::logical_index,
        );
        let packages = containers(&topology, ObjectType::Package, TopologyObject::os_index);
        let units = objects(&topology, ObjectType::PU);
        // Keys of units without a core object must not meet the logical numbers of cores.
        let core_count = cores.values().max().map_or(0, |highest| highest + 1);
        let found: Vec<Located> = units
            .iter()
            .map(|unit| {
                let os_index = unit.os_index();
                Located {
                    os_index,
                    core_key: cores
                        .get(&os_index)
                        .copied()
                        .unwrap_or(core_count + os_index),
                    l2cache_key: l2caches.get(&os_index).copied(),
                    l3cache_key: l3caches.get(&os_index).copied(),
                    numa_node: unit
                        .nodeset()
                        .and_then(|nodes| u32::try_from(nodes.first()).ok())
                        .unwrap_or(0),
                    package: packages.get(&os_index).copied().unwrap_or(0),
                    allowed: allowed(os_index),
                }
            })
            .collect();

        let online: HashSet<u32> = found.iter().map(|unit| unit.os_index).collect();
        let offline = topology
            .object_at_root()
            .complete_cpuset()
            .map(|all| {
                all.into_iter()
                    .filter(|unit| !online.contains(unit))
                    .collect()
            })
            .unwrap_or_default();
        let origin = if here {
            Origin::Hwloc
        } else {
            Origin::HwlocForeign
        };
        Machine::assemble(host_name(), origin, found, offline)
    }
}

/// The objects of a type; none where the topology has no such level.
fn objects(topology: &Topology, kind: ObjectType) -> Vec<&TopologyObject> {
    // The depth is asked first: the crate's own lookup by type panics for virtual levels.
    match topology.depth_for_type(&kind) {
        Ok(depth) => topology.objects_at_depth(depth),
        Err(_) => Vec::new(),
    }
}

/// For each unit (operating-system index), the number of the object of this type around it.
fn containers(
    topology: &Topology,
    kind: ObjectType,
    number: impl Fn(&TopologyObject) -> u32,
) -> HashMap<u32, u32> {
    let mut containers = HashMap::new();
    for object in objects(topology, kind) {
        for unit in object.cpuset().into_iter().flatten() {
            containers.insert(unit, number(object));
        }
    }
    containers
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    /// Set in the processes that the tests start: hwloc reads its variables from the
    /// environment, which the threads of one test process share.
    const CHILD: &str = "PAMIR_TEST_HWLOC_CHILD";

    /// What `Machine::from_hwloc` gives in a process with this variable set, as text.
    fn seen_with(test: &str, variable: &str, value: &str) -> Option<String> {
        if std::env::var_os(CHILD).is_some() {
            match Machine::from_hwloc() {
                Ok(machine) => println!("\n<<{}>>", rows(&machine)),
                Err(error) => println!("\n<<{error}>>"),
            }
            return None;
        }
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                &format!("topology::hwloc::tests::{test}"),
            ])
            .env(CHILD, "1")
            .env(variable, value)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let start = text.find("<<").expect("the child prints what it saw") + 2;
        Some(text[start..text.rfind(">>").unwrap()].to_string())
    }

    fn rows(machine: &Machine) -> String {
        machine
            .processing_units()
            .iter()
            .map(|unit| format!("{unit:?}\n"))
            .collect()
    }

    #[test]
    fn synthetic_packages_with_caches_are_those_of_the_description() {
        let text = "package:2 l3cache:4 core:8 pu:2";
        let test = "synthetic_packages_with_caches_are_those_of_the_description";
        let Some(seen) = seen_with(test, "HWLOC_SYNTHETIC", text) else {
            return;
        };
        assert_eq!(seen, rows(&Machine::from_description(text).unwrap()));
        assert_eq!(seen.lines().count(), 128);
    }

    #[test]
    fn synthetic_numa_nodes_are_those_of_the_description() {
        let text = "numa:2 core:4 pu:1";
        let test = "synthetic_numa_nodes_are_those_of_the_description";
        let Some(seen) = seen_with(test, "HWLOC_SYNTHETIC", text) else {
            return;
        };
        assert_eq!(seen, rows(&Machine::from_description(text).unwrap()));
    }

    #[test]
    fn a_synthetic_machine_hwloc_refuses_is_an_error() {
        let test = "a_synthetic_machine_hwloc_refuses_is_an_error";
        let Some(seen) = seen_with(test, "HWLOC_SYNTHETIC", "nonsense:2") else {
            return;
        };
        assert!(
            seen.contains("hwloc refused HWLOC_SYNTHETIC=\"nonsense:2\""),
            "{seen}"
        );
    }

    #[test]
    fn a_missing_xml_file_is_an_error() {
        let test = "a_missing_xml_file_is_an_error";
        let Some(seen) = seen_with(test, "HWLOC_XMLFILE", "/nonexistent.xml") else {
            return;
        };
        assert!(seen.contains("hwloc refused HWLOC_XMLFILE"), "{seen}");
    }

    /// Both readers must tell the same of this machine, except where hwloc corrects the kernel.
    #[test]
    fn hwloc_and_the_system_files_agree_on_this_machine() {
        if std::env::var_os(CHILD).is_some() || foreign_machine().is_some() {
            return;
        }
        let hwloc = Machine::from_hwloc().unwrap();
        let files = Machine::from_sysfs().unwrap();
        assert_eq!(hwloc.origin(), Origin::Hwloc);
        assert_eq!(hwloc.allowed(), files.allowed());
        assert_eq!(hwloc.offline(), files.offline());
        for level in [Level::Core, Level::L3Cache, Level::NumaNode, Level::Package] {
            assert_eq!(hwloc.groups(level), files.groups(level), "{level}");
        }
    }
}
