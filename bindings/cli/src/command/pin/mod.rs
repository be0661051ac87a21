//! `pamir pin`: runs any command on the processing units that a policy gives its rank.
//!
//! What: finds out which rank of its host it is, from the variables that launchers set; takes the
//! units for that rank; binds itself, and becomes the command. `scripts/pin` is a short way to it.
//! Why: another MPI, or processes without one, deserve the same placement as ranks of `mpiexec`.
//! Step before: `srun`, another `mpiexec`, a shell loop. Step after: the command, bound.
//!
//! ```text
//!  compact    core after core: neighbours share the most           0 1 2 3
//!  scatter    as far from each other as there is room              0 2 1 3
//!  core       like compact; more ranks than cores are refused
//!  l3, numa   one rank an object, free to move inside it
//!  list:...   explicit units, as in mpiexec --bind-to list:0,2+3
//!  file:FILE  a mapping that pamir place wrote
//! ```
//!
//! Invariant: nothing runs unless it is bound as was asked for.

mod rank;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use pamir_driver::binding::{
    BindTo, BindingError, MapBy, RankBinding, bind_current_thread, picture_of_machine, plan,
    plan_on_units, report_line, scattered,
};
use pamir_driver::topology::{Machine, TopologyError};
use pamir_transport::placement::PlacementError;
use pamir_transport::placement::mapping::PlacedRanks;

use super::machine::MachineReader;
use crate::command::number::whole;
use crate::results;
use rank::{Numbering, RankError, rank_of};

/// Arguments of `pamir pin`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// compact, scatter, core, l3, numa, list:PROCESSORS, or file:MAPPING.
    ///
    /// compact goes core after core; scatter as far from each other as there is room; core is like
    /// compact, but refuses more ranks than cores; l3 and numa give one rank after the other to each cache
    /// or node, where it is free to move, and more ranks than these share them.
    #[arg(long, short, default_value = "compact")]
    policy: String,
    /// The rank, instead of what the launcher's variables say.
    #[arg(long, value_parser = whole::<usize>(0..=u64::MAX))]
    rank: Option<usize>,
    /// Ranks on this host: for --dry-run, and to refuse what does not fit.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..=u64::MAX))]
    ranks: Option<usize>,
    /// Print the machine with each rank's place, and run nothing.
    ///
    /// =r3 stands at the unit of rank 3, or at the first of those that it is bound to; the lines below the
    /// picture list all of them.
    #[arg(long)]
    dry_run: bool,
    /// Say on standard error where the command is bound.
    #[arg(long, short)]
    verbose: bool,
    /// The command and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Why nothing was pinned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// The machine cannot be read.
    #[error(transparent)]
    Machine(#[from] TopologyError),
    /// The ranks do not fit, or a unit may not be used.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// The mapping file cannot be read.
    #[error(transparent)]
    Mapping(#[from] PlacementError),
    /// The launcher's variables make no sense.
    #[error(transparent)]
    Rank(#[from] RankError),
    /// The mapping has no line for the rank.
    #[error(
        "the mapping is for {ranks} ranks, and this is rank {rank}: make one for as many as run"
    )]
    NotMapped {
        /// The rank.
        rank: usize,
        /// Ranks of the mapping.
        ranks: usize,
    },
    /// The policy is not known.
    #[error(
        "there is no policy {name:?}; there are compact, scatter, core, l3, numa, list:PROCESSORS \
         and file:MAPPING"
    )]
    Policy {
        /// What was asked for.
        name: String,
    },
    /// No command was given.
    #[error("no command to run; usage: pamir pin [--policy POLICY] COMMAND [ARGUMENTS]")]
    NoCommand,
    /// The machine is not this one.
    #[error(
        "hwloc's variables name another machine: --dry-run shows the plan for it; unset them to run"
    )]
    OtherMachine,
    /// The plan cannot be printed.
    #[error(transparent)]
    Print(#[from] results::PrintError),
    /// The command cannot be run.
    #[error("cannot run {command}: {source}")]
    Command {
        /// Its name.
        command: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Binds and becomes the command; returns only for a plan or an error, with the exit code.
pub fn run(arguments: &Arguments, reader: MachineReader) -> u8 {
    let error = match pin(arguments, reader) {
        Ok(()) => return 0,
        Err(error) => error,
    };
    results::complain(format_args!("pamir pin: {error}"));
    match error {
        PinError::Command { source, .. } if source.kind() == std::io::ErrorKind::NotFound => 127,
        PinError::Command { .. } => 126,
        _ => 1,
    }
}

fn pin(arguments: &Arguments, reader: MachineReader) -> Result<(), PinError> {
    let machine = reader()?;
    if arguments.dry_run {
        return show(arguments, &machine);
    }
    let Some((name, rest)) = arguments.command.split_first() else {
        return Err(PinError::NoCommand);
    };
    if !machine.is_this_system() {
        return Err(PinError::OtherMachine);
    }
    let mapped = arguments.policy.starts_with("file:");
    let numbering = if mapped {
        Numbering::Job
    } else {
        Numbering::Host
    };
    let variables = |name: &str| std::env::var(name).ok();
    let rank = match arguments.rank {
        Some(rank) => rank,
        None => rank_of(numbering, &variables)?,
    };
    let ranks = arguments.ranks.unwrap_or(0).max(rank + 1);
    let bindings = bindings(&machine, &arguments.policy, ranks)?;
    let binding = bindings.get(rank).ok_or(PinError::NotMapped {
        rank,
        ranks: bindings.len(),
    })?;
    bind_current_thread(&binding.processing_units)?;
    if arguments.verbose {
        let line = report_line(&machine, rank, binding);
        results::complain(format_args!("pamir pin: {line}"));
    }
    let source = Command::new(name).args(rest).exec();
    Err(PinError::Command {
        command: name.to_string_lossy().into_owned(),
        source,
    })
}

/// Prints who would sit where.
fn show(arguments: &Arguments, machine: &Machine) -> Result<(), PinError> {
    let ranks = arguments
        .ranks
        .unwrap_or_else(|| machine.allowed().len().min(1 << 16));
    let bindings = match (&arguments.ranks, arguments.policy.as_str()) {
        // Without a number: as many as there are cores, caches or nodes for one each.
        (None, policy) if !policy.starts_with("file:") => {
            let all = bindings(machine, "compact", ranks)?;
            let cores = all.iter().map(|binding| &binding.processing_units);
            let cores: std::collections::BTreeSet<_> = cores.collect();
            bindings_that_fit(machine, policy, cores.len())?
        }
        (_, policy) => bindings(machine, policy, ranks)?,
    };
    let seats: Vec<u32> = bindings.iter().map(|binding| binding.primary).collect();
    let mut text = picture_of_machine(machine, &seats);
    for (rank, binding) in bindings.iter().enumerate() {
        text.push_str(&report_line(machine, rank, binding));
        text.push('\n');
    }
    Ok(results::print(&text)?)
}

/// As many ranks, up to this number, as the policy has room for.
fn bindings_that_fit(
    machine: &Machine,
    policy: &str,
    most: usize,
) -> Result<Vec<RankBinding>, PinError> {
    match bindings(machine, policy, most) {
        Err(PinError::Binding(BindingError::TooManyRanks { places, .. })) => {
            bindings(machine, policy, places)
        }
        other => other,
    }
}

/// The bindings of the first `ranks` ranks.
fn bindings(machine: &Machine, policy: &str, ranks: usize) -> Result<Vec<RankBinding>, PinError> {
    if let Some(file) = policy.strip_prefix("file:") {
        let placed = PlacedRanks::read(Path::new(file))?;
        return Ok(plan_on_units(machine, placed.units(), &BindTo::Core, true)?);
    }
    let (map_by, bind_to, share) = match policy {
        "compact" => (MapBy::Core, BindTo::Core, true),
        "core" => (MapBy::Core, BindTo::Core, false),
        "scatter" => {
            let cores = scattered(machine)?;
            let units: Vec<u32> = (0..ranks).map(|rank| cores[rank % cores.len()]).collect();
            return Ok(plan_on_units(machine, &units, &BindTo::Core, true)?);
        }
        "l3" | "l3cache" => (MapBy::L3Cache, BindTo::L3Cache, true),
        "numa" => (MapBy::Numa, BindTo::Numa, true),
        list if list.starts_with("list:") => (MapBy::Core, list.parse()?, true),
        name => {
            return Err(PinError::Policy {
                name: name.to_string(),
            });
        }
    };
    Ok(plan(machine, ranks, map_by, &bind_to, share)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(policy: &str, ranks: usize) -> Vec<u32> {
        let machine = Machine::from_description("package:2 l3cache:4 core:8 pu:2").unwrap();
        let bindings = bindings(&machine, policy, ranks).unwrap();
        bindings.iter().map(|binding| binding.primary).collect()
    }

    #[test]
    fn policies_seat_ranks_on_two_packages_of_four_caches_of_eight_cores() {
        assert_eq!(seats("compact", 4), [0, 2, 4, 6]);
        assert_eq!(seats("scatter", 6), [0, 64, 16, 80, 32, 96]);
        assert_eq!(seats("scatter", 10)[8..], [2, 66]);
        assert_eq!(seats("l3", 3), [0, 16, 32]);
        assert_eq!(seats("numa", 2), [0, 2]);
        assert_eq!(seats("list:9,3", 2), [9, 3]);
        assert_eq!(seats("scatter", 65)[64], 0);
    }

    #[test]
    fn what_does_not_fit_or_is_not_known_is_refused() {
        let machine = Machine::from_description("core:4 pu:1").unwrap();
        let error =
            |policy: &str, ranks| bindings(&machine, policy, ranks).unwrap_err().to_string();
        assert!(
            error("core", 5).starts_with("5 ranks do not fit on 4"),
            "{}",
            error("core", 5)
        );
        assert!(error("l3", 1).contains("reports no l3cache"));
        assert!(error("sideways", 1).contains("there is no policy \"sideways\""));
        assert!(error("list:7", 1).contains("processor 7 does not exist"));
        assert!(error("file:/nonexistent", 1).contains("/nonexistent"));
        assert_eq!(bindings_that_fit(&machine, "core", 9).unwrap().len(), 4);
    }
}
