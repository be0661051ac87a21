//! The machine from the kernel's own files, without a library.
//!
//! Why: reading the machine must not cost the start of a job milliseconds. Below
//! `/sys/devices/system` the kernel lists, for each unit, the units it shares a core, a cache or a
//! package with; one file read therefore settles all units of that object, and a machine of 128
//! units takes some hundred reads.
//!
//! ```text
//! cpu/online, cpu/present                  "0-1"
//! cpu/cpu0/topology/core_cpus_list         units of the core (thread_siblings_list before 5.x)
//! cpu/cpu0/topology/physical_package_id    the package's number
//! cpu/cpu0/topology/package_cpus_list      units of the package
//! cpu/cpu0/cache/index3/{level,shared_cpu_list}
//! node/online, node/node0/cpulist          units of the NUMA node
//! ```
//!
//! Step before: the kernel. Step after: [`Machine::assemble`]. Invariant: files that old kernels
//! or virtual machines lack mean "not reported", never an error; only the list of units must be
//! there.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::machine::{Located, host_name};
use super::{AffinityMask, Machine, Origin, TopologyError};

impl Machine {
    /// This machine, read from the kernel's files; well below a millisecond on machines of usual
    /// size. Allowed are the units in the calling thread's affinity mask.
    pub fn from_sysfs() -> Result<Machine, TopologyError> {
        let mask = AffinityMask::of_current_thread()
            .map_err(|source| TopologyError::Affinity { source })?;
        from_directory(Path::new("/sys/devices/system"), &mask)
    }
}

/// The machine whose files stand below `root`.
fn from_directory(root: &Path, mask: &AffinityMask) -> Result<Machine, TopologyError> {
    let online = required_list(root.join("cpu/online"))?;
    let present = optional_list(root.join("cpu/present"))?.unwrap_or_default();
    let is_online: HashSet<u32> = online.iter().copied().collect();
    let offline = present
        .into_iter()
        .filter(|unit| !is_online.contains(unit))
        .collect();

    let mut numa_node_of: HashMap<u32, u32> = HashMap::new();
    for node in optional_list(root.join("node/online"))?.unwrap_or_default() {
        let units = optional_list(root.join(format!("node/node{node}/cpulist")))?;
        numa_node_of.extend(
            units
                .unwrap_or_default()
                .into_iter()
                .map(|unit| (unit, node)),
        );
    }

    let mut core_of: HashMap<u32, u32> = HashMap::new();
    let mut package_of: HashMap<u32, u32> = HashMap::new();
    let mut cache_of: [HashMap<u32, u32>; 2] = [HashMap::new(), HashMap::new()];
    let mut without_cache = [false, false];
    for &unit in &online {
        let directory = root.join(format!("cpu/cpu{unit}"));
        if !core_of.contains_key(&unit) {
            let members = optional_list(directory.join("topology/core_cpus_list"))?.or(
                optional_list(directory.join("topology/thread_siblings_list"))?,
            );
            claim(&mut core_of, unit, members, unit);
        }
        if !package_of.contains_key(&unit) {
            // Virtual machines without this knowledge answer -1: one package, number 0.
            let package = optional_text(directory.join("topology/physical_package_id"))?
                .and_then(|text| text.parse().ok())
                .unwrap_or(0);
            let members = optional_list(directory.join("topology/package_cpus_list"))?.or(
                optional_list(directory.join("topology/core_siblings_list"))?,
            );
            claim(&mut package_of, unit, members, package);
        }
        for (slot, level) in [(0, 2), (1, 3)] {
            // Where the first unit has no such cache, the others are not searched for one.
            if without_cache[slot] || cache_of[slot].contains_key(&unit) {
                continue;
            }
            match cache_members(&directory.join("cache"), level)? {
                Some(members) => claim(&mut cache_of[slot], unit, Some(members), unit),
                None => without_cache[slot] = cache_of[slot].is_empty(),
            }
        }
    }

    let found = online
        .iter()
        .map(|unit| Located {
            os_index: *unit,
            core_key: core_of[unit],
            l2cache_key: cache_of[0].get(unit).copied(),
            l3cache_key: cache_of[1].get(unit).copied(),
            numa_node: numa_node_of.get(unit).copied().unwrap_or(0),
            package: package_of[unit],
            allowed: mask.contains(*unit),
        })
        .collect();
    Machine::assemble(host_name(), Origin::SystemFiles, found, offline)
}

/// Gives the key to the unit and to the members of its object that have none yet.
fn claim(keys: &mut HashMap<u32, u32>, unit: u32, members: Option<Vec<u32>>, key: u32) {
    keys.insert(unit, key);
    for member in members.unwrap_or_default() {
        keys.entry(member).or_insert(key);
    }
}

/// The units that share the unit's cache of this level (2 or 3: instructions have one of their own
/// at level 1 only).
fn cache_members(directory: &Path, level: u32) -> Result<Option<Vec<u32>>, TopologyError> {
    // The usual order is L1 data, L1 instruction, L2, L3: the likely index is tried first.
    let indices = [level, 0, 1, 2, 3, 4, 5];
    for index in indices {
        let index = directory.join(format!("index{index}"));
        let Some(found) = optional_text(index.join("level"))? else {
            continue;
        };
        if found.parse() != Ok(level) {
            continue;
        }
        return optional_list(index.join("shared_cpu_list"));
    }
    Ok(None)
}

/// A file's text without the line end; none where there is no such file.
fn optional_text(path: PathBuf) -> Result<Option<String>, TopologyError> {
    match read_small(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(None)
        }
        Err(source) => Err(TopologyError::SystemFile { path, source }),
    }
}

/// A file's text without the line end, in three system calls where the library's way takes six:
/// reading a large machine is mostly this.
fn read_small(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut text = vec![0u8; 4096];
    let mut length = file.read(&mut text)?;
    while length == text.len() {
        text.resize(length * 2, 0);
        length += file.read(&mut text[length..])?;
    }
    Ok(String::from_utf8_lossy(&text[..length]).trim().to_string())
}

/// A file's list of units; none where there is no such file.
fn optional_list(path: PathBuf) -> Result<Option<Vec<u32>>, TopologyError> {
    let Some(text) = optional_text(path.clone())? else {
        return Ok(None);
    };
    match parse_list(&text) {
        Some(units) => Ok(Some(units)),
        None => Err(TopologyError::SystemFileContent {
            path,
            text,
            expected: "a list of units such as 0-3,8",
        }),
    }
}

/// A file's list of units, which must be there.
fn required_list(path: PathBuf) -> Result<Vec<u32>, TopologyError> {
    optional_list(path.clone())?.ok_or_else(|| TopologyError::SystemFile {
        path,
        source: std::io::ErrorKind::NotFound.into(),
    })
}

/// The kernel's list form: `0-3,8`; empty text is the empty list.
fn parse_list(text: &str) -> Option<Vec<u32>> {
    let mut units = Vec::new();
    for part in text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first > 1 << 20 {
            return None;
        }
        units.extend(first..=last);
    }
    Some(units)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn lists_of_the_kernel_are_read() {
        assert_eq!(parse_list("0-3,8"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_list(""), Some(vec![]));
        assert_eq!(parse_list("3-1"), None);
        assert_eq!(parse_list("a"), None);
    }

    /// A directory that is removed when the test ends.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str) -> Tree {
            let path =
                std::env::temp_dir().join(format!("pamir-system-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Tree(path)
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{text}\n")).unwrap();
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// Two packages, two cores each, two units each, numbered as most firmware does: first all
    /// first threads, then all second threads. Unit 7 is switched off, unit 5 forbidden.
    #[test]
    fn units_of_a_core_become_neighbours() {
        let tree = Tree::new("smt");
        tree.write("cpu/online", "0-6");
        tree.write("cpu/present", "0-7");
        tree.write("node/online", "0-1");
        tree.write("node/node0/cpulist", "0-1,4-5");
        tree.write("node/node1/cpulist", "2-3,6");
        for unit in 0..7u32 {
            let core = unit % 4;
            let (package, members) = if core < 2 {
                (0, "0-1,4-5")
            } else {
                (1, "2-3,6")
            };
            let siblings = if core == 3 {
                "3".to_string()
            } else {
                format!("{core},{}", core + 4)
            };
            let write = |file: &str, text: &str| tree.write(&format!("cpu/cpu{unit}/{file}"), text);
            write("topology/core_cpus_list", &siblings);
            write("topology/physical_package_id", &package.to_string());
            write("topology/package_cpus_list", members);
            write("cache/index1/level", "2");
            write("cache/index1/shared_cpu_list", &siblings);
            write("cache/index3/level", "3");
            write("cache/index3/shared_cpu_list", members);
        }
        let mask = AffinityMask::new(&[0, 1, 2, 3, 4, 6]);
        let machine = from_directory(&tree.0, &mask).unwrap();
        let order: Vec<u32> = machine
            .processing_units()
            .iter()
            .map(|u| u.os_index)
            .collect();
        assert_eq!(order, [0, 4, 1, 5, 2, 6, 3]);
        assert_eq!(machine.allowed(), [0, 4, 1, 2, 6, 3]);
        assert_eq!(machine.offline(), [7]);
        assert_eq!(machine.count(Level::Core), 4);
        assert_eq!(machine.count(Level::L2Cache), 4);
        assert_eq!(machine.count(Level::L3Cache), 2);
        assert_eq!(machine.sharing(0, 4), Level::Core);
        assert_eq!(machine.sharing(0, 1), Level::L3Cache);
        assert_eq!(machine.sharing(0, 2), Level::Machine);
        assert_eq!(machine.processing_unit(6).unwrap().numa_node, 1);
        assert_eq!(
            machine.groups(Level::Core).unwrap(),
            [vec![0, 4], vec![1], vec![2, 6], vec![3]]
        );
    }

    #[test]
    fn a_bare_list_of_units_is_enough() {
        let tree = Tree::new("bare");
        tree.write("cpu/online", "0-2");
        let machine = from_directory(&tree.0, &AffinityMask::new(&[0, 1, 2])).unwrap();
        assert_eq!(machine.count(Level::Core), 3);
        assert_eq!(machine.count(Level::L3Cache), 0);
        assert_eq!(machine.numa_nodes(), [0]);
    }

    #[test]
    fn a_missing_or_broken_list_is_named() {
        let tree = Tree::new("broken");
        let mask = AffinityMask::new(&[0]);
        let missing = from_directory(&tree.0, &mask).unwrap_err().to_string();
        assert!(missing.contains("cpu/online"), "{missing}");
        tree.write("cpu/online", "zero");
        let broken = from_directory(&tree.0, &mask).unwrap_err().to_string();
        assert!(broken.contains("\"zero\""), "{broken}");
    }

    #[test]
    fn this_machine_is_read_quickly() {
        let machine = Machine::from_sysfs().unwrap();
        assert_eq!(
            machine.allowed().len(),
            AffinityMask::of_current_thread()
                .unwrap()
                .processing_units()
                .len()
        );
        // The fastest of some tries: other work on the machine must not fail the test.
        let fastest = (0..20)
            .map(|_| {
                let start = std::time::Instant::now();
                Machine::from_sysfs().unwrap();
                start.elapsed()
            })
            .min()
            .unwrap();
        let limit =
            std::time::Duration::from_micros(500 + 50 * machine.processing_units().len() as u64);
        assert!(fastest < limit, "{fastest:?}");
    }
}
