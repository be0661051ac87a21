//! Where the machine comes from that ranks are placed on.
//!
//! What: this machine or one that hwloc describes (HWLOC_SYNTHETIC, HWLOC_XMLFILE); a text such as
//! `package:2 l3cache:4 core:8 pu:2`; a tree of numbers for clusters; or a file: a measured machine
//! or a matrix of costs.
//! Step before: [`super::place`]. Step after: [`pamir_transport::placement::TopologyGraph`].

use std::path::PathBuf;

use pamir_driver::topology::{Fingerprint, Machine};
use pamir_transport::placement::format::machine::{Conditions, read_topology};
use pamir_transport::placement::{LevelCosts, TopologyGraph};

use super::error::PlaceError;
use crate::command::machine::MachineReader;
use crate::command::number::whole;

/// Options that name a machine; without any it is this one.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// A machine that was measured (--measure), or a matrix-market file of costs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["synthetic", "tree"])]
    machine: Option<PathBuf>,
    /// A machine in words, from the outside in: "package:2 l3cache:4 core:8 pu:2".
    #[arg(long, value_name = "LEVELS", conflicts_with = "tree")]
    synthetic: Option<String>,
    /// A tree, from the outside in: 64:2:8:16 is 64 nodes of 2 packages of 8 caches of 16 cores.
    #[arg(long, value_name = "N:N:...", requires = "distances")]
    tree: Option<String>,
    /// Costs of the tree's levels, from the outside in: between nodes, packages, caches, cores.
    #[arg(long, value_name = "COST:COST:...", requires = "tree")]
    distances: Option<String>,
    /// Costs by what two units share, such as machine=20,numa=8,l3cache=4 (default: hops).
    #[arg(long, value_name = "LEVEL=COST,...", default_value = "")]
    costs: String,
    /// A place for every hardware thread instead of every core.
    #[arg(long)]
    by_thread: bool,
    /// Bytes of the messages whose time is the cost on a measured machine.
    #[arg(long, value_name = "BYTES", default_value_t = 1024.0)]
    message_bytes: f64,
    /// So many ranks may share each place (default: as few as possible).
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=u64::from(u32::MAX)))]
    ranks_per_place: Option<u32>,
}

/// Where ranks can go, and what is known of that machine.
#[derive(Debug)]
pub struct Site {
    /// The places.
    pub topology: TopologyGraph,
    /// The machine; none where only numbers are known of it.
    pub machine: Option<Fingerprint>,
    /// Under what its costs were measured, if they were.
    pub measured: Option<Conditions>,
}

impl Site {
    /// A machine of which only numbers are known.
    fn of_numbers(topology: TopologyGraph) -> Site {
        Site {
            topology,
            machine: None,
            measured: None,
        }
    }
}

/// The places for so many ranks.
pub fn site(
    arguments: &Arguments,
    reader: MachineReader,
    ranks: usize,
) -> Result<Site, PlaceError> {
    let site = places(arguments, reader)?;
    let Some(copies) = arguments.ranks_per_place else {
        return Ok(site);
    };
    let copies = copies as usize;
    if ranks > copies * site.topology.len() {
        return Err(PlaceError::Usage(format!(
            "{ranks} ranks do not fit on {} places with {copies} each: raise --ranks-per-place",
            site.topology.len()
        )));
    }
    let topology = site.topology.shared_by(copies);
    Ok(Site { topology, ..site })
}

fn places(arguments: &Arguments, reader: MachineReader) -> Result<Site, PlaceError> {
    if let Some(path) = &arguments.machine {
        let (topology, measured) = read_topology(path, arguments.message_bytes)?;
        return Ok(Site {
            topology,
            machine: measured.as_ref().and_then(|known| known.machine.clone()),
            measured,
        });
    }
    if let (Some(fanouts), Some(distances)) = (&arguments.tree, &arguments.distances) {
        let fanouts: Vec<usize> = numbers(fanouts, "--tree")?;
        let mut costs: Vec<f64> = numbers(distances, "--distances")?;
        if fanouts.contains(&0) {
            return Err(PlaceError::Usage(
                "--tree: a level of 0 has no places".to_string(),
            ));
        }
        if fanouts
            .iter()
            .try_fold(1usize, |all, count| all.checked_mul(*count))
            .is_none_or(|all| all > 1 << 24)
        {
            return Err(PlaceError::Usage(
                "--tree: more than 16 million places".to_string(),
            ));
        }
        // Ranks on the same core are as near as can be.
        if costs.len() == fanouts.len() {
            costs.push(0.0);
        }
        return Ok(Site::of_numbers(TopologyGraph::uniform(&fanouts, &costs)?));
    }
    let costs = LevelCosts::default().changed_by(&arguments.costs)?;
    let machine = machine(arguments, reader)?;
    Ok(Site {
        topology: TopologyGraph::of_machine(&machine, &costs, arguments.by_thread),
        machine: Some(machine.fingerprint()),
        measured: None,
    })
}

fn machine(arguments: &Arguments, reader: MachineReader) -> Result<Machine, PlaceError> {
    Ok(match &arguments.synthetic {
        Some(text) => Machine::from_description(text)?,
        None => reader()?,
    })
}

/// This machine, and its processing units that can be measured.
pub fn units_here(
    arguments: &Arguments,
    reader: MachineReader,
) -> Result<(Fingerprint, Vec<u32>), PlaceError> {
    let elsewhere =
        arguments.machine.is_some() || arguments.synthetic.is_some() || arguments.tree.is_some();
    let machine = reader()?;
    if elsewhere || !machine.is_this_system() {
        let reason = "only this machine can be measured: leave out --machine, --synthetic, --tree, and unset hwloc's variables";
        return Err(PlaceError::Usage(reason.to_string()));
    }
    let graph = TopologyGraph::of_machine(&machine, &LevelCosts::default(), arguments.by_thread);
    Ok((machine.fingerprint(), graph.names().to_vec()))
}

fn numbers<N: std::str::FromStr>(text: &str, option: &str) -> Result<Vec<N>, PlaceError> {
    let numbers: Option<Vec<N>> = text
        .split(':')
        .map(|word| word.trim().parse().ok())
        .collect();
    let wrong = || format!("{option}: {text:?} is not a list of numbers separated by colons");
    numbers.ok_or_else(|| PlaceError::Usage(wrong()))
}
