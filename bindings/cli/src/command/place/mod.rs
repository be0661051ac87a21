//! `pamir place`: computes which rank should run where, from a profile and a machine.
//!
//! What: reads a communication graph and a topology, searches for a mapping, tells what it costs
//! and what it improves, and writes it for `mpiexec --map-by file:FILE` and `scripts/pin`. With
//! `--measure` it measures the machine instead, for later runs with `--machine`.
//! Why a command: profiles are taken once, mappings are used often, and machines that are not here
//! can be planned for.
//! Step before: [`super::main`]. Step after: a mapping file, a picture, tables on standard output.
//!
//! ```text
//!  profile(s) ── merged ──▶ graph ─┐
//!  machine ── source ──▶ topology ─┼─▶ Problem ─▶ search ─▶ mapping ─▶ file, report, plot
//!  QAPLIB file ────────────────────┘
//! ```

mod error;
mod interruption;
mod measure;
mod performance;
mod plot;
mod provenance;
mod report;
mod source;
mod what_if;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pamir_driver::topology::Fingerprint;
use pamir_transport::placement::algorithm::{named, suited};
use pamir_transport::placement::format::communication::{Portions, WHOLE};
use pamir_transport::placement::format::{dumpi, matrix_market, qaplib};
use pamir_transport::placement::mapping::PlacedRanks;
use pamir_transport::placement::search::Algorithm;
use pamir_transport::placement::what_if::change::Scenario;
use pamir_transport::placement::{
    Clock, CommunicationGraph, EdgeFunction, Limits, Problem, Progress, Solution, Weight, solve,
};

use super::machine::MachineReader;
use crate::command::number::whole;
use crate::results;
pub use error::PlaceError;
use interruption::Interruption;
use provenance::Taken;
use what_if::Present;

/// Arguments of `pamir place`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Profiles of the job (from mpiexec --profile-comm, or by hand); several are added up.
    #[arg(value_name = "PROFILE")]
    profiles: Vec<PathBuf>,
    /// Read a trace instead of profiles: the texts that dumpi2ascii writes, one a rank.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["profiles", "portion"])]
    trace: Vec<PathBuf>,
    /// Place by this portion of the profiles only.
    #[arg(long, value_name = "NAME")]
    portion: Option<String>,
    /// Solve a problem of QAPLIB instead.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["profiles", "trace", "measure"])]
    qaplib: Option<PathBuf>,
    /// The first matrix of the QAPLIB file is that of costs.
    #[arg(long, requires = "qaplib")]
    exchanged: bool,
    #[command(flatten)]
    source: source::Arguments,
    /// The part of the traffic that counts: bytes, messages, or both:N (each message counts N bytes more).
    #[arg(long, default_value = "both:1000", value_parser = weight)]
    weight: Weight,
    /// How weight and cost make an edge's cost: product, squared-cost, squared-weight.
    #[arg(long, default_value = "product")]
    function: String,
    /// exhaustive, document, exchange, tabu, memetic or multilevel (default: what suits).
    #[arg(long)]
    algorithm: Option<String>,
    /// Time limit in seconds.
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = seconds)]
    time: f64,
    /// Measure the time limit by the processor's time that the search uses, not by the clock.
    #[arg(long)]
    cpu_time: bool,
    /// End after so many steps.
    #[arg(long, value_parser = whole::<u64>(0..=u64::MAX))]
    steps: Option<u64>,
    /// End after so many mappings to start from.
    #[arg(long, value_parser = whole::<u64>(0..=u64::MAX))]
    starts: Option<u64>,
    /// End at this cost.
    #[arg(long)]
    target: Option<f64>,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Where to write the mapping (with --measure: the machine); - is standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the profiles, added up (and of --portion only), as one; as a matrix-market file of
    /// weights if its name ends in .mtx.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["qaplib", "measure"])]
    save_profile: Option<PathBuf>,
    /// Draw both matrices and the mapping as SVG.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Tell what each edge costs, which links and units would help most, and what more processes
    /// would cost. With CHANGES, such as link:0-4=x0.5,bytes:2-3=x10: what other links (link:ONE-OTHER=, level:NAME=)
    /// and other counts (messages:, bytes: or traffic:, of two ranks or all) would bring. May be given several times.
    #[arg(long, value_name = "CHANGES", num_args = 0..=1, require_equals = true, default_missing_value = "",
          value_parser = what_if::scenario)]
    what_if: Vec<Option<Scenario>>,
    /// Run this command in the default order and by the mapping, in turn, and tell both times.
    #[arg(long = "try", value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true, requires = "output")]
    command: Vec<OsString>,
    /// With --try: compare the rate that the command prints, the number before this text, such as
    /// Mflop/s.
    #[arg(long, value_name = "UNIT", requires = "command")]
    rate: Option<String>,
    /// Measure latency, bandwidth and overhead between processing units by ping-pong.
    #[arg(long, conflicts_with_all = ["profiles", "trace", "what_if", "plot"])]
    measure: bool,
    /// With --measure: one pair after the other instead of many at once.
    #[arg(long, requires = "measure")]
    alone: bool,
}

/// Places or measures; the exit code.
pub fn run(arguments: &Arguments, reader: MachineReader) -> u8 {
    let done = if arguments.measure {
        measure_machine(arguments, reader)
    } else {
        place(arguments, reader)
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            results::complain(format_args!("pamir place: {error}"));
            1
        }
    }
}

fn weight(text: &str) -> Result<Weight, String> {
    let both = |number: &str| {
        let number: f64 = number.parse().ok()?;
        let valid = number.is_finite() && number >= 0.0;
        valid.then_some(Weight::Both {
            message_bytes: number,
        })
    };
    match text.split_once(':') {
        None if text == "bytes" => Ok(Weight::Bytes),
        None if text == "messages" => Ok(Weight::Messages),
        Some(("both", number)) => {
            both(number).ok_or(format!("{number:?} is not a number of bytes"))
        }
        _ => Err("use bytes, messages or both:BYTES".to_string()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let valid = number.filter(|number| *number > 0.0 && *number < 1e9);
    valid.ok_or_else(|| format!("{text:?} is not a number of seconds above 0"))
}

fn measure_machine(arguments: &Arguments, reader: MachineReader) -> Result<(), PlaceError> {
    let (machine, units) = source::units_here(&arguments.source, reader)?;
    let machine = measure::measure(machine, &units, arguments.alone)?;
    emit(arguments, &machine.to_text())
}

fn write_text(path: &Path, text: &str) -> Result<(), PlaceError> {
    results::write_file(path, text).map_err(|source| PlaceError::File {
        path: path.to_path_buf(),
        source,
    })
}

fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// To the output that was asked for; to standard output if none was.
fn emit(arguments: &Arguments, text: &str) -> Result<(), PlaceError> {
    match &arguments.output {
        Some(path) if !is_standard_output(path) => write_text(path, text),
        _ => Ok(results::print(text)?),
    }
}

fn place(arguments: &Arguments, reader: MachineReader) -> Result<(), PlaceError> {
    let output = arguments.output.as_deref();
    if !arguments.command.is_empty() && output.is_some_and(is_standard_output) {
        return Err(PlaceError::Usage(
            "--try needs the mapping in a file".to_string(),
        ));
    }
    let function = EdgeFunction::named(&arguments.function)?;
    let (problem, job) = match &arguments.qaplib {
        Some(path) => (qaplib::read(path, arguments.exchanged)?, None),
        None => {
            let profiled = profiled(arguments)?;
            save_profile(arguments, &profiled)?;
            let graph = &profiled.graph;
            let site = source::site(&arguments.source, reader, graph.ranks())?;
            let problem = Problem::new(graph, arguments.weight, &site.topology, function)?;
            (problem, Some((profiled, site)))
        }
    };
    let algorithm = match &arguments.algorithm {
        Some(name) => named(name)?,
        None => suited(&problem),
    };
    let interruption = Interruption::watch()?;
    let solution = search(arguments, &problem, algorithm)?;
    let graph = job.as_ref().map(|(profiled, _)| &profiled.graph);
    let mut text = report::summary(&problem, graph, algorithm.name(), &solution);
    if let Some((profiled, site)) = &job {
        let here = reader().ok().map(|machine| machine.fingerprint());
        text.push_str(&report::left_out(&profiled.left_out));
        text.push_str(&provenance::notes(&profiled.taken, site, here.as_ref()));
    }
    if interruption.has_come() {
        text.push_str("interrupted   this is the best mapping so far\n");
    }
    if arguments.what_if.contains(&None) {
        text.push_str(&report::what_if(&problem, &solution));
    }
    let machine = job.as_ref().and_then(|(_, site)| site.machine.clone());
    if let (Some((profiled, _)), false) = (&job, interruption.has_come()) {
        let present = Present {
            weight: arguments.weight,
            graph: &profiled.graph,
            topology: problem.topology(),
            function,
            solution: &solution,
            limits: limits(arguments),
        };
        for scenario in &arguments.what_if {
            text.push_str(&match scenario {
                Some(scenario) => present.changed(scenario)?,
                None => present.more_processes(&arguments.source, reader)?,
            });
        }
    } else if arguments.what_if.iter().any(Option::is_some) {
        text.push_str("\nother links and counts are not looked at\n");
    }
    drop(interruption);
    write_results(arguments, (&problem, machine), &solution, &text)
}

/// What the profiles say.
struct Profiled {
    /// All of them, added up.
    graph: CommunicationGraph,
    /// Where they were taken, as far as they say.
    taken: Vec<Taken>,
    /// What a trace has and the graph has not.
    left_out: BTreeMap<String, u64>,
}

fn profiled(arguments: &Arguments) -> Result<Profiled, PlaceError> {
    if !arguments.trace.is_empty() {
        let trace = dumpi::read(&arguments.trace)?;
        return Ok(Profiled {
            graph: trace.graph,
            taken: Vec::new(),
            left_out: trace.left_out,
        });
    }
    let mut merged: Option<CommunicationGraph> = None;
    let mut taken = Vec::new();
    for path in &arguments.profiles {
        let portions = Portions::read(path)?;
        let machine = portions.machine().cloned();
        taken.extend(machine.map(|machine| (path.clone(), machine)));
        let graph = portions.graph(arguments.portion.as_deref())?;
        merged = Some(match merged {
            Some(before) => before.merged(&graph)?,
            None => graph,
        });
    }
    let graph = merged.ok_or(PlaceError::NoProfile)?;
    Ok(Profiled {
        graph,
        taken,
        left_out: BTreeMap::new(),
    })
}

/// Writes the graph for other programs, or for later.
fn save_profile(arguments: &Arguments, profiled: &Profiled) -> Result<(), PlaceError> {
    let graph = &profiled.graph;
    let Some(path) = &arguments.save_profile else {
        return Ok(());
    };
    let text = if path.extension().is_some_and(|end| end == "mtx") {
        matrix_market::write_communication(graph, arguments.weight)
    } else {
        let name = arguments.portion.as_deref().unwrap_or(WHOLE);
        // Profiles of several machines together are of none.
        let machines = profiled.taken.iter().map(|(_, machine)| machine);
        let first = machines.clone().next();
        let one = first.filter(|first| {
            profiled.taken.len() == arguments.profiles.len()
                && machines.clone().all(|machine| machine == *first)
        });
        let portions = Portions::new(vec![(name.to_string(), graph.clone())])?;
        portions.of_machine(one.cloned()).to_text()
    };
    write_text(path, &text)
}

fn limits(arguments: &Arguments) -> Limits {
    Limits {
        time: Some(Duration::from_secs_f64(arguments.time)),
        clock: if arguments.cpu_time {
            Clock::Processor
        } else {
            Clock::Wall
        },
        steps: arguments.steps,
        starts: arguments.starts,
        target: arguments.target,
        stop: Some(interruption::flag()),
        seed: arguments.seed,
    }
}

fn search(
    arguments: &Arguments,
    problem: &Problem,
    algorithm: &dyn Algorithm,
) -> Result<Solution, PlaceError> {
    let terminal = std::io::stderr().is_terminal();
    let mut progress = |progress: &Progress| {
        if terminal {
            let seconds = progress.elapsed.as_secs_f64();
            let _ = write!(
                std::io::stderr(),
                "\r{seconds:7.1} s  cost {:<24}",
                progress.cost
            );
        }
    };
    let solution = solve(problem, algorithm, limits(arguments), &mut progress);
    if terminal {
        results::complain("");
    }
    Ok(solution?)
}

/// Files, then the report: on standard error where standard output is for the mapping.
fn write_results(
    arguments: &Arguments,
    (problem, machine): (&Problem, Option<Fingerprint>),
    solution: &Solution,
    report: &str,
) -> Result<(), PlaceError> {
    if let Some(path) = &arguments.plot {
        write_text(path, &plot::draw(problem, &solution.mapping))?;
    }
    let placed = PlacedRanks::new(&solution.mapping, problem.topology(), problem.ranks());
    let placed = placed.for_machine(machine);
    match &arguments.output {
        Some(path) if is_standard_output(path) => results::complain(report.trim_end()),
        _ => results::print(report)?,
    }
    if arguments.output.is_some() {
        emit(arguments, &placed.to_text())?;
    }
    if let (Some(mapping), [_, ..]) = (&arguments.output, &arguments.command[..]) {
        let rate = arguments.rate.as_deref();
        let runs = performance::compare(problem.ranks(), mapping, &arguments.command, rate)?;
        results::print(&runs.to_text())?;
    }
    Ok(())
}
