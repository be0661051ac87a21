//! The command line of `mpiexec`, parsed.
//!
//! What: [`parse`] turns the arguments into an [`Invocation`].
//! Why: the order of arguments carries meaning (options, program, its arguments, `:`, again), and
//! nothing after a program's name may be taken for an option of the launcher.
//! `words` reads options and their values; `config_file` has the rest of a command line from a file.
//! Step before: [`options`], the table. Step after: `super::run`.
//! Invariants: a [`Launch`] has at least one program, each with at least one rank and a command.

mod config_file;
mod error;
pub mod options;
mod words;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use pamir_driver::binding::BindTo;
use pamir_transport::tagged::profile::iteration_range::IterationRange;

use super::placement::request;
use super::request::layout::RequestError;
use super::request::{Inherited, Launch, Program, Verbosity};
pub use error::ArgumentError;
use error::ConfigFileError;
use options::Action;
use words::{Met, Words, at_equals};

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub enum Invocation {
    /// Print the help.
    Help,
    /// Print the version.
    Version,
    /// Start a job.
    Run(Box<Launch>),
}

/// Parses the arguments that follow the command's own name.
pub fn parse(arguments: &[OsString]) -> Result<Invocation, ArgumentError> {
    let segments: Vec<&[OsString]> = arguments.split(|argument| argument == ":").collect();
    let mut launch = Launch::default();
    Ok(match read(&segments, &mut launch)? {
        Some(other) => other,
        None => Invocation::Run(Box::new(launch)),
    })
}

/// Reads segments, each of which names a program; tells what else is asked for, if anything is.
fn read(
    segments: &[&[OsString]],
    launch: &mut Launch,
) -> Result<Option<Invocation>, ArgumentError> {
    for (index, arguments) in segments.iter().enumerate() {
        let mut words = Words { arguments, next: 0 };
        let mut program = Program {
            ranks: 1,
            ..Program::default()
        };
        while let Some(met) = words.option()? {
            match met.action() {
                Action::Help => return Ok(Some(Invocation::Help)),
                Action::Version => return Ok(Some(Invocation::Version)),
                Action::ConfigFile => {
                    let alone = segments.len() == 1 && words.rest().is_empty();
                    return read_file(&met, alone, launch);
                }
                _ => apply(&met, launch, &mut program)?,
            }
        }
        program.command = words.rest().to_vec();
        if program.command.is_empty() {
            let number = if segments.len() == 1 { 0 } else { index + 1 };
            return Err(ArgumentError::NoProgram { number });
        }
        launch.programs.push(program);
    }
    let (ranks, most) = (launch.ranks(), launch.most_ranks());
    if ranks > most {
        return Err(ArgumentError::Ranks { ranks, most });
    }
    if launch.network.is_some() && launch.nodes.count() == 1 {
        return Err(ArgumentError::NetworkAlone);
    }
    Ok(None)
}

/// Reads the rest of the command line from a file, which is the last thing said before it.
fn read_file(
    met: &Met,
    alone: bool,
    launch: &mut Launch,
) -> Result<Option<Invocation>, ArgumentError> {
    let path = PathBuf::from(&met.values[0]);
    let lines = config_file::read(&path, alone)?;
    let segments: Vec<&[OsString]> = lines.iter().map(Vec::as_slice).collect();
    let nested = |line: &&[OsString]| config_file::names_a_file(line);
    if segments.iter().any(nested) {
        return Err(ConfigFileError::Nested { path }.into());
    }
    read(&segments, launch)
}

fn apply(met: &Met, launch: &mut Launch, program: &mut Program) -> Result<(), ArgumentError> {
    match met.action() {
        Action::Ranks => {
            program.ranks = met.ranks()?;
            program.counted = true;
        }
        Action::RanksPerNode => launch.ranks_per_node = Some(met.positive()?),
        Action::Nodes => launch.nodes = policy(&met.text())?,
        Action::Network => launch.network = Some(policy(&met.text())?),
        Action::BindTo => placed(request::bind_to(&met.text(), launch))?,
        Action::MapBy => map_by(&met.text(), launch)?,
        Action::Width => launch.layout.width = Some(met.positive()?),
        Action::PerObject => map_by(&format!("ppr:{}", met.text()), launch)?,
        Action::PerPackage => map_by(&format!("ppr:{}:package", met.text()), launch)?,
        Action::PerNode => map_by("ppr:1:node", launch)?,
        Action::RankBy => launch.layout.rank_by = policy(&met.text())?,
        Action::RankFile => launch.layout.rank_file = Some(PathBuf::from(&met.values[0])),
        Action::ProcessorSet => launch.layout.processors = Some(processors(met)?),
        Action::OldPlacement => old_placement(met, launch)?,
        Action::ReportBindings => launch.report_bindings = true,
        Action::DryRun => launch.dry_run = true,
        Action::Oversubscribe => launch.refuse_oversubscription = false,
        Action::NoOversubscribe => launch.refuse_oversubscription = true,
        Action::SharedHeap => launch.shared_heap = true,
        Action::SmallPages => launch.small_pages = true,
        Action::ProfileCommunication => launch.profile = Some(PathBuf::from(&met.values[0])),
        Action::ProfileIterations => {
            let text = met.text();
            let range: Result<IterationRange, _> = text.parse();
            range.map_err(|_| met.wrong("a call and iterations, such as allreduce:10-19"))?;
            launch.profile_iterations = Some(text);
        }
        Action::Balance => launch.balance.balance = true,
        Action::BalanceReport => launch.balance.report = true,
        Action::BalanceRecord => launch.balance.record = Some(PathBuf::from(&met.values[0])),
        Action::FillIdle => launch.balance.fill = Some(met.text()),
        Action::FillBy => launch.balance.fill_by = policy(&met.text())?,
        Action::Export => export(met, launch, program),
        Action::Environment => program.environment.set.push(pair(met)),
        Action::EnvironmentList => program.environment.inherited = Some(only(met)),
        Action::EnvironmentNone => program.environment.inherited = Some(Inherited::Only(vec![])),
        Action::EnvironmentAll => program.environment.inherited = Some(Inherited::All),
        Action::GlobalEnvironment => launch.environment.set.push(pair(met)),
        Action::GlobalEnvironmentList => launch.environment.inherited = Some(only(met)),
        Action::GlobalEnvironmentNone => {
            launch.environment.inherited = Some(Inherited::Only(vec![]));
        }
        Action::GlobalEnvironmentAll => launch.environment.inherited = Some(Inherited::All),
        Action::Directory => program.directory = Some(PathBuf::from(&met.values[0])),
        Action::TagOutput => launch.output.rank = true,
        Action::PrependPattern => launch.output.prefix = Some(met.pattern()?),
        Action::TimestampOutput => launch.output.time = true,
        Action::MergeErrors => launch.output.merge = true,
        Action::OutputPattern => launch.output.output_pattern = Some(met.pattern()?),
        Action::ErrorPattern => launch.output.error_pattern = Some(met.pattern()?),
        Action::OutputName => launch.output.set_name(&met.values[0]),
        Action::InputTo => launch.input = policy(&met.text())?,
        Action::Timeout => {
            let seconds: f64 = met
                .text()
                .parse()
                .ok()
                .filter(|seconds| *seconds > 0.0)
                .ok_or_else(|| met.wrong("a number of seconds above 0"))?;
            let timeout = Duration::try_from_secs_f64(seconds)
                .map_err(|_| met.wrong("a number of seconds that fits 64 bits"))?;
            launch.timeout = Some(timeout);
        }
        Action::Hosts => {
            let text = met.text();
            let hosts = text.split(',').filter(|host| !host.is_empty());
            launch.hosts.extend(hosts.map(String::from));
        }
        Action::HostFile => launch.host_files.push(PathBuf::from(&met.values[0])),
        Action::Quiet => launch.verbosity = Verbosity::Quiet,
        Action::Verbose => launch.verbosity = Verbosity::Verbose,
        Action::ForeignSetting => {
            let value = met.values[1].to_string_lossy();
            launch.notes.push(format!(
                "{} {} {value} is a setting of another MPI and is not used",
                met.typed,
                met.text()
            ));
        }
        Action::ForeignFlag => not_used(met, launch),
        Action::ForeignValue => not_used(met, launch),
        Action::Refused => {
            return Err(ArgumentError::NotThere {
                option: met.typed.clone(),
            });
        }
        // The parser has carried them out.
        Action::ConfigFile | Action::Help | Action::Version => {}
    }
    Ok(())
}

/// What a policy's word stands for.
fn policy<T: FromStr<Err: ToString>>(text: &str) -> Result<T, ArgumentError> {
    text.parse().map_err(|error: T::Err| ArgumentError::Policy {
        reason: error.to_string(),
    })
}

fn map_by(text: &str, launch: &mut Launch) -> Result<(), ArgumentError> {
    // A file's name may have colons.
    for (beginning, of_ranks) in [("rankfile:file=", true), ("file:", false)] {
        if let Some(file) = text.strip_prefix(beginning) {
            let file = Some(PathBuf::from(file));
            if of_ranks {
                launch.layout.rank_file = file;
            } else {
                launch.mapping = file;
            }
            return Ok(());
        }
    }
    launch.mapping = None;
    placed(request::map_by(text, launch))
}

fn placed(outcome: Result<(), RequestError>) -> Result<(), ArgumentError> {
    outcome.map_err(|error| ArgumentError::Policy {
        reason: error.to_string(),
    })
}

/// The processors of a list such as `0-3,8`.
fn processors(met: &Met) -> Result<Vec<u32>, ArgumentError> {
    let list = format!("list:{}", met.text());
    match list.parse() {
        Ok(BindTo::List(sets)) => Ok(sets.concat()),
        _ => Err(met.wrong("a list of processors, such as 0-3,8")),
    }
}

/// What older scripts have an option of its own for.
fn old_placement(met: &Met, launch: &mut Launch) -> Result<(), ArgumentError> {
    match met.typed.trim_start_matches('-') {
        "bind-to-core" => launch.bind_to = Some(BindTo::Core),
        "bind-to-socket" => launch.bind_to = Some(BindTo::Package),
        "bind-to-none" => launch.bind_to = Some(BindTo::None),
        "bysocket" => map_by("package", launch)?,
        "use-hwthread-cpus" => map_by("hwthread", launch)?,
        other => map_by(other.trim_start_matches("by"), launch)?,
    }
    Ok(())
}

/// Remembers for `-v` that an option of another launcher does nothing.
fn not_used(met: &Met, launch: &mut Launch) {
    let values = met.values.iter().map(|value| value.to_string_lossy());
    let words: Vec<_> = std::iter::once(met.typed.as_str().into())
        .chain(values)
        .collect();
    let option = words.join(" ");
    let aside = format!("{option} is accepted, and there is nothing to do for it here");
    launch.asides.push(aside);
}

fn pair(met: &Met) -> (OsString, OsString) {
    (met.values[0].clone(), met.values[1].clone())
}

fn only(met: &Met) -> Inherited {
    let names = met.values[0].as_bytes().split(|byte| *byte == b',');
    Inherited::Only(
        names
            .filter(|name| !name.is_empty())
            .map(|name| OsStr::from_bytes(name).to_os_string())
            .collect(),
    )
}

fn export(met: &Met, launch: &mut Launch, program: &mut Program) {
    match at_equals(&met.values[0]) {
        Some((name, value)) => program
            .environment
            .set
            .push((name.to_os_string(), value.to_os_string())),
        None => match std::env::var_os(&met.values[0]) {
            Some(value) => program.environment.set.push((met.values[0].clone(), value)),
            None => launch.notes.push(format!(
                "{} {}: the variable is not set, so there is nothing to export",
                met.typed,
                met.text()
            )),
        },
    }
}

#[cfg(test)]
mod tests;
