//! `pamir info`: the version, the machine, what its kernel allows; or the tables of algorithms.
//!
//! What: prints the version and two tables; every line of the second is the outcome of a real
//! attempt.
//! Why: which protocols a job can use depends on system calls that containers like to refuse.
//! Step before: [`super::main`]. Step after: standard output.

pub mod selection;
pub mod variables;

use std::fmt::Write as _;

use pamir_driver::binding::picture_of_machine;
use pamir_driver::machine_limits::Limits;
use pamir_driver::topology::{Level, Machine, TopologyError};
use pamir_shm::segment::header::LAYOUT_VERSION;

use super::machine::MachineReader;
use crate::command::number::whole;
use crate::results;

/// Arguments of `pamir info`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Show which algorithm serves which sizes instead: the tables in force.
    ///
    /// For each kind of instruction: where its rows come from, the ranges of sizes with their algorithms,
    /// and all algorithms that there are.
    #[arg(long)]
    selection: bool,
    /// Show all PAMIR_* variables instead: their values, and where each comes from.
    #[arg(long, conflicts_with_all = ["selection", "topology"])]
    variables: bool,
    /// Draw the machine instead: packages, NUMA nodes, caches, cores, processing units.
    ///
    /// A bracket is a core, a number a processing unit, ~ one that may not be used. HWLOC_SYNTHETIC and
    /// HWLOC_XMLFILE may describe another machine.
    #[arg(long, conflicts_with = "selection")]
    topology: bool,
    /// The number of ranks that tables are shown for.
    #[arg(long, default_value_t = 4, value_parser = whole::<u32>(1..=u64::from(u32::MAX)))]
    ranks: u32,
}

/// Prints the tables; returns the exit code.
pub fn run(arguments: &Arguments, reader: MachineReader) -> u8 {
    let described = if arguments.topology {
        let machine = reader().map_err(|error| error.to_string());
        machine.map(|machine| picture_of_machine(&machine, &[]))
    } else if arguments.variables {
        Ok(variables::describe())
    } else if arguments.selection {
        selection::describe(arguments.ranks as usize).map_err(|error| error.to_string())
    } else {
        describe().map_err(|error| error.to_string())
    };
    results::conclude("pamir info", described, 1)
}

fn describe() -> Result<String, TopologyError> {
    let mut text = format!(
        "Pamir {}, shared-memory layout {LAYOUT_VERSION}\n",
        env!("CARGO_PKG_VERSION")
    );
    let limits = Limits::probe();
    let mut kernel = vec![("release", kernel_release())];
    for (name, availability) in limits.facilities() {
        kernel.push((name, availability.to_string()));
    }
    kernel.push((
        "locked memory",
        match limits.locked_memory_bytes {
            Some(bytes) => format!("{} KiB", bytes / 1024),
            None => "unlimited".to_string(),
        },
    ));
    for (title, lines) in [("Machine", machine()?), ("Kernel", kernel)] {
        let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let _ = writeln!(text, "\n{title}");
        for (name, value) in lines {
            let _ = writeln!(text, "  {name:<width$}  {value}");
        }
    }
    Ok(text)
}

fn machine() -> Result<Vec<(&'static str, String)>, TopologyError> {
    let machine = Machine::from_sysfs()?;
    let units = machine.processing_units();
    let allowed = units.iter().filter(|unit| unit.allowed).count();
    let mut lines = vec![
        ("host", machine.host().to_string()),
        ("processor", processor_name()),
    ];
    for (name, level) in [
        ("packages", Level::Package),
        ("NUMA nodes", Level::NumaNode),
        ("L3 caches", Level::L3Cache),
        ("cores", Level::Core),
    ] {
        lines.push((name, machine.count(level).to_string()));
    }
    let usable = if allowed == units.len() {
        "all usable".to_string()
    } else {
        format!("{allowed} usable")
    };
    lines.push(("hardware threads", format!("{} ({usable})", units.len())));
    lines.push(("caches of a core", caches(units[0].os_index)));
    lines.push(("memory", memory()));
    Ok(lines)
}

fn kernel_release() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release.trim().to_string()
}

fn processor_name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line
        .and_then(|line| line.split_once(':'))
        .map(|(_, name)| name.trim());
    name.unwrap_or(std::env::consts::ARCH).to_string()
}

fn caches(unit: u32) -> String {
    let read = |index: usize, file: &str| {
        let path = format!("/sys/devices/system/cpu/cpu{unit}/cache/index{index}/{file}");
        std::fs::read_to_string(path)
            .ok()
            .map(|text| text.trim().to_string())
    };
    let mut caches = Vec::new();
    for index in 0..8 {
        let (Some(level), Some(size)) = (read(index, "level"), read(index, "size")) else {
            break;
        };
        let kind = match read(index, "type").as_deref() {
            Some("Data") => "d",
            Some("Instruction") => "i",
            _ => "",
        };
        caches.push(format!("L{level}{kind} {size}"));
    }
    if caches.is_empty() {
        "not shown by the kernel".to_string()
    } else {
        caches.join(", ")
    }
}

fn memory() -> String {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes = text.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?
            .trim()
            .strip_suffix(" kB")?
            .parse::<u64>()
            .ok()
    });
    kibibytes.map_or("unknown".to_string(), |kibibytes| {
        format!("{} MiB", kibibytes / 1024)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_value() {
        let text = describe().expect("this machine");
        for line in text.lines().filter(|line| line.starts_with("  ")) {
            let (_, value) = line[2..].split_once("  ").expect("a name and a value");
            assert!(!value.trim().is_empty(), "{line}");
        }
        assert!(text.contains("process_vm_readv"));
    }
}
