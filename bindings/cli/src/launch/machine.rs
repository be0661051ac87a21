//! The processors this job may use, read from `/sys`.
//!
//! What: the cores within the launcher's affinity mask, with their hardware threads, last-level
//! cache, NUMA node and package.
//! Why: building a full hwloc topology takes milliseconds, a two-rank job starts in less; binding
//! to cores needs a handful of small files, and the rest is read only for a policy that asks.
//! Step before: the affinity mask. Step after: [`super::placement`] deals the ranks out.
//! Invariants: every core has at least one hardware thread; a processor stands in one core only;
//! cores are ordered by package, NUMA node and last-level cache where those are known, then by
//! their lowest processor number.

use std::collections::BTreeMap;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

/// A core with what surrounds it. Cache, node and package are numbered by their lowest processor
/// or by the kernel; they only serve to tell one from another and to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// Processor numbers of its hardware threads, ascending.
    pub units: Vec<u32>,
    /// Lowest processor of the last-level cache it belongs to.
    pub cache: u32,
    /// Its NUMA node.
    pub node: u32,
    /// Its package (socket).
    pub package: u32,
}

/// How much has to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Cores and nodes only, and reading may stop after this many cores.
    Cores(usize),
    /// Everything.
    Full,
}

/// The usable part of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its cores; at least one. With [`Detail::Cores`] maybe not all of them.
    pub cores: Vec<Core>,
}

impl Machine {
    /// Reads the running machine within this process's affinity mask.
    pub fn read(detail: Detail) -> Machine {
        let allowed = match sched_getaffinity(Pid::from_raw(0)) {
            Ok(set) => (0..CpuSet::count())
                .filter(|unit| set.is_set(*unit).unwrap_or(false))
                .collect(),
            // More processors than the mask's type holds, or no such call: use the online ones.
            Err(_) => read_system_file("cpu/online")
                .map(|text| parse_list(&text))
                .unwrap_or_default()
                .into_iter()
                .map(|unit| unit as usize)
                .collect::<Vec<usize>>(),
        };
        let allowed: Vec<u32> = allowed.into_iter().map(|unit| unit as u32).collect();
        Machine::describe(&allowed, detail, &read_system_file)
    }

    /// Describes the machine that `file` tells about; paths are below `/sys/devices/system`.
    pub fn describe(
        allowed: &[u32],
        detail: Detail,
        file: &dyn Fn(&str) -> Option<String>,
    ) -> Machine {
        let nodes = nodes(file);
        let node_of = |unit: u32| nodes.get(&unit).copied().unwrap_or(0);
        let mut waiting = if allowed.is_empty() {
            vec![0]
        } else {
            allowed.to_vec()
        };
        waiting.sort_by_key(|unit| (node_of(*unit), *unit));
        let enough = match detail {
            Detail::Cores(enough) => enough,
            Detail::Full => usize::MAX,
        };
        let mut cores = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for &unit in &waiting {
            if !seen.insert(unit) {
                continue;
            }
            if cores.len() >= enough {
                break;
            }
            let mut units = file(&format!("cpu/cpu{unit}/topology/core_cpus_list"))
                .or_else(|| file(&format!("cpu/cpu{unit}/topology/thread_siblings_list")))
                .map(|text| parse_list(&text))
                .unwrap_or_default();
            units.retain(|sibling| waiting.contains(sibling));
            if !units.contains(&unit) {
                units = vec![unit];
            }
            seen.extend(&units);
            let (cache, package) = match detail {
                Detail::Cores(_) => (0, 0),
                Detail::Full => (last_cache(unit, file), package(unit, file)),
            };
            cores.push(Core {
                units,
                cache,
                node: node_of(unit),
                package,
            });
        }
        cores.sort_by_key(|core| (core.package, core.node, core.cache, core.units[0]));
        Machine { cores }
    }

    /// Hardware threads of all cores.
    pub fn units(&self) -> usize {
        self.cores.iter().map(|core| core.units.len()).sum()
    }
}

fn read_system_file(path: &str) -> Option<String> {
    std::fs::read_to_string(format!("/sys/devices/system/{path}")).ok()
}

/// Processor to NUMA node.
fn nodes(file: &dyn Fn(&str) -> Option<String>) -> BTreeMap<u32, u32> {
    let online = file("node/has_cpu").or_else(|| file("node/online"));
    let online = online.map(|text| parse_list(&text)).unwrap_or_default();
    // One node is where everything is anyway: its list need not be read.
    if let [only] = online[..]
        && only == 0
    {
        return BTreeMap::new();
    }
    let mut nodes = BTreeMap::new();
    for node in online {
        let units = file(&format!("node/node{node}/cpulist"));
        for unit in units.map(|text| parse_list(&text)).unwrap_or_default() {
            nodes.insert(unit, node);
        }
    }
    nodes
}

/// Lowest processor that shares the highest cache level, at most the third.
fn last_cache(unit: u32, file: &dyn Fn(&str) -> Option<String>) -> u32 {
    let mut best = (0, unit);
    for index in 0..8 {
        let Some(level) = file(&format!("cpu/cpu{unit}/cache/index{index}/level")) else {
            break;
        };
        let level: u32 = level.trim().parse().unwrap_or(0);
        if level > best.0 && level <= 3 {
            let shared = file(&format!("cpu/cpu{unit}/cache/index{index}/shared_cpu_list"));
            let lowest = shared.and_then(|text| parse_list(&text).first().copied());
            best = (level, lowest.unwrap_or(unit));
        }
    }
    best.1
}

fn package(unit: u32, file: &dyn Fn(&str) -> Option<String>) -> u32 {
    file(&format!("cpu/cpu{unit}/topology/physical_package_id"))
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0)
}

/// Numbers of a kernel list such as `0-3,8,10-11`, ascending.
pub fn parse_list(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            numbers.extend(first..=last);
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// A kernel list of these ascending numbers: `0-3,8`.
pub fn format_list(numbers: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let parts = parts.iter().map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    parts.collect::<Vec<String>>().join(",")
}

/// Machines for tests: files as a kernel would show them.
#[cfg(test)]
pub(super) mod synthetic {
    use super::*;
    use std::cell::Cell;

    /// `nodes` nodes of `caches` last-level caches of `cores` cores with `threads` threads each;
    /// numbered as Linux numbers most servers: first threads of all cores, then second threads.
    pub struct Server {
        pub nodes: u32,
        pub caches: u32,
        pub cores: u32,
        pub threads: u32,
        pub files_read: Cell<usize>,
    }

    impl Server {
        pub fn new(nodes: u32, caches: u32, cores: u32, threads: u32) -> Server {
            Server {
                nodes,
                caches,
                cores,
                threads,
                files_read: Cell::new(0),
            }
        }

        pub fn all(&self) -> Vec<u32> {
            (0..self.nodes * self.caches * self.cores * self.threads).collect()
        }

        pub fn machine(&self, detail: Detail) -> Machine {
            Machine::describe(&self.all(), detail, &|path| self.file(path))
        }

        fn threads_of(&self, first: u32, count: u32) -> String {
            let total = self.nodes * self.caches * self.cores;
            let lists = (0..self.threads).map(|thread| {
                format!(
                    "{}-{}",
                    first + thread * total,
                    first + thread * total + count - 1
                )
            });
            lists.collect::<Vec<String>>().join(",") + "\n"
        }

        pub fn file(&self, path: &str) -> Option<String> {
            self.files_read.set(self.files_read.get() + 1);
            let total = self.nodes * self.caches * self.cores;
            let per_node = self.caches * self.cores;
            if path == "node/has_cpu" {
                return Some(format!("0-{}\n", self.nodes - 1));
            }
            if let Some(node) = path.strip_prefix("node/node") {
                let node: u32 = node.strip_suffix("/cpulist")?.parse().ok()?;
                return Some(self.threads_of(node * per_node, per_node));
            }
            let (unit, rest) = path.strip_prefix("cpu/cpu")?.split_once('/')?;
            let core = unit.parse::<u32>().ok()? % total;
            match rest {
                "topology/core_cpus_list" => Some(self.threads_of(core, 1)),
                "topology/physical_package_id" => Some(format!("{}\n", core / per_node)),
                "cache/index0/level" => Some("1\n".into()),
                "cache/index1/level" => Some("3\n".into()),
                "cache/index0/shared_cpu_list" => Some(self.threads_of(core, 1)),
                "cache/index1/shared_cpu_list" => {
                    Some(self.threads_of(core / self.cores * self.cores, self.cores))
                }
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::synthetic::Server;
    use super::*;

    #[test]
    fn lists_there_and_back() {
        assert_eq!(parse_list("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(format_list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(parse_list(""), []);
        assert_eq!(parse_list("x-2"), []);
    }

    #[test]
    fn a_server_is_described_in_full() {
        let machine = Server::new(2, 2, 2, 2).machine(Detail::Full);
        assert_eq!(machine.cores.len(), 8);
        assert_eq!(machine.units(), 16);
        let core = &machine.cores[5];
        assert_eq!(
            *core,
            Core {
                units: vec![5, 13],
                cache: 4,
                node: 1,
                package: 1
            }
        );
    }

    #[test]
    fn two_ranks_on_a_large_server_read_few_files() {
        let server = Server::new(2, 8, 8, 2);
        let machine = server.machine(Detail::Cores(2));
        assert_eq!(machine.cores.len(), 2);
        assert!(server.files_read.get() <= 5, "{}", server.files_read.get());
    }

    #[test]
    fn only_allowed_processors_count() {
        let server = Server::new(1, 1, 4, 2);
        let machine = Machine::describe(&[1, 2, 6], Detail::Full, &|path| server.file(path));
        let units: Vec<_> = machine
            .cores
            .iter()
            .map(|core| core.units.clone())
            .collect();
        assert_eq!(units, [vec![1], vec![2, 6]]);
    }

    #[test]
    fn without_files_every_processor_is_a_core() {
        let machine = Machine::describe(&[0, 1], Detail::Full, &|_| None);
        assert_eq!(machine.cores.len(), 2);
    }

    #[test]
    fn the_running_machine_has_a_core() {
        assert!(!Machine::read(Detail::Full).cores.is_empty());
    }
}
