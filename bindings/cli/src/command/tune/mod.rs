//! `pamir tune`: measures this machine and writes the table of algorithms.
//!
//! What: for each number of ranks and each kind of instruction, every algorithm runs at every
//! size; the fastest ones become the rows of a selection file.
//! Why: which algorithm is the fastest depends on the machine's caches and cores.
//! Step before: [`super::main`]. Step after: `selection.toml`, which jobs read when they start.
//!
//! ```text
//!  ranks ─▶ kind ─▶ round ─▶ algorithm: PAMIR_<KIND>=algorithm mpiexec -n ranks pamir measure kind sizes
//!                                                 │ BYTES NANOSECONDS
//!                            median of the rounds ▼
//!                                           choice::rows ─▶ selection file
//! ```
//!
//! Algorithms take turns (A B C A B C), so that what else the machine does meets all of them.

pub mod choice;
pub mod measure;
mod scattered;

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use pamir_driver::topology::{Level, Machine, TopologyError};
use pamir_transport::selection::configuration::{FILE_VARIABLE, own_file};
use pamir_transport::selection::kind::kind;
use pamir_transport::selection::{KINDS, Kind, Needs, Situation, file};

use choice::Times;

use crate::command::number::{MOST_RANKS, whole};
use crate::results;

/// Seconds after which a measurement counts as hanging.
const TIMEOUT_SECONDS: &str = "60";

/// Size at which kinds are measured whose table has no sizes, in bytes.
const ONE_SIZE: usize = 1024;

/// Most bytes of a size.
const MOST_BYTES: u64 = 1 << 30;

/// Arguments of `pamir tune`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Numbers of ranks to measure with (default: powers of two, and all cores).
    #[arg(long, value_delimiter = ',', value_parser = whole::<usize>(2..=MOST_RANKS))]
    ranks: Vec<usize>,
    /// Kinds of instructions (default: all but the numbers of stripes).
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
    /// Sizes in bytes (default: 8 to 4194304, times four).
    #[arg(long, value_delimiter = ',', value_parser = whole::<usize>(0..=MOST_BYTES))]
    sizes: Vec<usize>,
    /// How often each algorithm is measured; medians count, and algorithms take turns.
    #[arg(long, default_value_t = 3, value_parser = whole::<usize>(1..=1_000_000))]
    rounds: usize,
    /// Where to write (default: the user's own selection file; - for standard output).
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Why nothing was tuned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The machine cannot be read.
    #[error(transparent)]
    Machine(#[from] TopologyError),
    /// There is no such kind.
    #[error("there is no kind of instruction {name:?}; there are {known}")]
    Kind {
        /// What was asked for.
        name: String,
        /// All there are.
        known: String,
    },
    /// A measurement failed.
    #[error("{command}: {reason}")]
    Failed {
        /// What was run.
        command: String,
        /// What it said.
        reason: String,
    },
    /// There is no place for the file.
    #[error("neither XDG_CONFIG_HOME nor HOME is set: name a file with --output")]
    NoPlace,
    /// Standard output cannot be written.
    #[error(transparent)]
    Print(#[from] results::PrintError),
    /// A file could not be written, or a program not be found.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Measures and writes; the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    match tune(arguments) {
        Ok(()) => 0,
        Err(error) => {
            results::complain(format_args!("pamir tune: {error}"));
            1
        }
    }
}

/// What is measured.
struct Plan {
    ranks: Vec<usize>,
    kinds: Vec<&'static dyn Kind>,
    sizes: Vec<usize>,
    rounds: usize,
    program: PathBuf,
}

fn tune(arguments: &Arguments) -> Result<(), TuneError> {
    let plan = plan(arguments)?;
    // Found before a long measurement rather than after it.
    let output = match &arguments.output {
        Some(path) => path.clone(),
        None => own_file().ok_or(TuneError::NoPlace)?,
    };
    let mut progress = Progress::new(&plan);
    let mut kinds = Vec::new();
    for kind in &plan.kinds {
        let mut times = Times::new();
        for ranks in plan.ranks_of(*kind) {
            times.insert(ranks, plan.measure(*kind, ranks, &mut progress)?);
        }
        kinds.push((kind.name(), choice::rows(&times, &ordered(*kind))));
    }
    progress.end();
    let rows = kinds.iter().map(|(name, rows)| (*name, &rows[..]));
    write(&output, &file::write(&about(&plan)?, rows))
}

fn plan(arguments: &Arguments) -> Result<Plan, TuneError> {
    let all = || {
        // Numbers of stripes matter where cores are idle: they are measured when asked for.
        let unasked = KINDS.into_iter().map(|kind| kind.name());
        let unasked = unasked.filter(|name| !name.ends_with("stripes"));
        unasked.map(str::to_owned).collect()
    };
    let names = if arguments.kinds.is_empty() {
        all()
    } else {
        arguments.kinds.clone()
    };
    let kinds = names.into_iter().map(|name| {
        kind(&name).ok_or_else(|| {
            let known: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
            let known = known.join(", ");
            TuneError::Kind { name, known }
        })
    });
    let kinds = kinds.collect::<Result<_, _>>()?;
    let mut ranks = if arguments.ranks.is_empty() {
        default_ranks()?
    } else {
        arguments.ranks.clone()
    };
    ranks.sort_unstable();
    ranks.dedup();
    let default_sizes = || {
        (0..10)
            .map(|step| 8 << (2 * step))
            .chain([4 << 20])
            .collect()
    };
    let path = PathBuf::from("/proc/self/exe");
    let program = path
        .canonicalize()
        .map_err(|source| TuneError::File { path, source })?;
    Ok(Plan {
        ranks,
        kinds,
        sizes: if arguments.sizes.is_empty() {
            default_sizes()
        } else {
            arguments.sizes.clone()
        },
        rounds: arguments.rounds,
        program,
    })
}

/// Powers of two below the number of usable cores, and that number; at least 2.
fn default_ranks() -> Result<Vec<usize>, TuneError> {
    let machine = Machine::from_sysfs()?;
    let cores = machine
        .groups(Level::Core)
        .map_or(2, |cores| cores.len())
        .max(2);
    let powers = (1..)
        .map(|power| 1 << power)
        .take_while(|ranks| *ranks < cores);
    Ok(powers.chain([cores]).collect())
}

/// A kind's algorithms, the one that serves small messages now first: it stays unless another
/// one is faster.
fn ordered(kind: &dyn Kind) -> Vec<(&'static str, Needs)> {
    let first = kind
        .ranges(Situation::new(2, true))
        .first()
        .map(|range| range.1);
    let mut algorithms = kind.algorithms();
    algorithms.sort_by_key(|one| Some(one.0) != first);
    algorithms
}

impl Plan {
    /// Numbers of ranks a kind is measured with: messages and transfers know two.
    fn ranks_of(&self, kind: &dyn Kind) -> Vec<usize> {
        match kind.name() {
            "send" | "stripes" | "scattered_stripes" | "put" | "get" => vec![2],
            _ => self.ranks.clone(),
        }
    }

    fn sizes_of(&self, kind: &dyn Kind) -> Vec<usize> {
        if kind.size().is_some() {
            self.sizes.clone()
        } else {
            vec![ONE_SIZE]
        }
    }

    fn able(&self, kind: &dyn Kind, ranks: usize) -> Vec<&'static str> {
        let able = kind
            .algorithms()
            .into_iter()
            .filter(|one| one.1.met(Situation::new(ranks, true).board(true)));
        // What fits one packet is the same by either name.
        able.map(|one| one.0)
            .filter(|name| *name != "immediate")
            .collect()
    }

    /// Median nanoseconds of each algorithm at each size.
    fn measure(
        &self,
        kind: &dyn Kind,
        ranks: usize,
        progress: &mut Progress,
    ) -> Result<BTreeMap<&'static str, BTreeMap<usize, f64>>, TuneError> {
        let mut samples: BTreeMap<&'static str, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
        for _ in 0..self.rounds {
            for algorithm in self.able(kind, ranks) {
                progress.step(kind, algorithm, ranks);
                for (bytes, nanoseconds) in self.run(kind, algorithm, ranks)? {
                    let sizes = samples.entry(algorithm).or_default();
                    sizes.entry(bytes).or_default().push(nanoseconds);
                }
            }
        }
        let medians = |sizes: BTreeMap<usize, Vec<f64>>| {
            sizes
                .into_iter()
                .map(|(bytes, all)| (bytes, median(all)))
                .collect()
        };
        Ok(samples
            .into_iter()
            .map(|(name, sizes)| (name, medians(sizes)))
            .collect())
    }

    /// One job of an algorithm: size and nanoseconds.
    fn run(
        &self,
        kind: &dyn Kind,
        algorithm: &str,
        ranks: usize,
    ) -> Result<Vec<(usize, f64)>, TuneError> {
        let sizes: Vec<String> = self.sizes_of(kind).iter().map(usize::to_string).collect();
        let mut command = Command::new(self.program.with_file_name("mpiexec"));
        command
            .args(["-n", &ranks.to_string(), "--timeout", TIMEOUT_SECONDS])
            .args(["--bind-to", "core"])
            .arg(&self.program)
            .args(["measure", kind.name(), &sizes.join(",")])
            .env(FILE_VARIABLE, "")
            .stdin(Stdio::null());
        for other in KINDS {
            command.env_remove(other.variable());
        }
        command.env(kind.variable(), algorithm);
        let output = command.output();
        let failed = |reason: String| TuneError::Failed {
            command: format!("{command:?}"),
            reason,
        };
        let output = output.map_err(|error| failed(error.to_string()))?;
        let errors = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if !output.status.success() {
            return Err(failed(format!("{}; {errors}", output.status)));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let figures: Option<Vec<(usize, f64)>> = text.lines().map(figure).collect();
        figures.ok_or_else(|| failed(format!("it printed {text:?}")))
    }
}

fn figure(line: &str) -> Option<(usize, f64)> {
    let (bytes, nanoseconds) = line.split_once(' ')?;
    Some((bytes.parse().ok()?, nanoseconds.parse().ok()?))
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// The first lines of the file.
fn about(plan: &Plan) -> Result<String, TuneError> {
    let machine = Machine::from_sysfs()?;
    let list = |numbers: &[usize]| {
        let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
        words.join(", ")
    };
    Ok(format!(
        "Which algorithm serves which sizes and numbers of ranks; see `man pamir`.\n\
         Written by `pamir tune` {} on {}, {} cores: {} ranks, medians of {} rounds at {} bytes.",
        env!("CARGO_PKG_VERSION"),
        machine.host(),
        machine.count(Level::Core),
        list(&plan.ranks),
        plan.rounds,
        list(&plan.sizes),
    ))
}

fn write(path: &Path, text: &str) -> Result<(), TuneError> {
    let failed = |source| TuneError::File {
        path: path.to_owned(),
        source,
    };
    if path == Path::new("-") {
        return Ok(results::print(text)?);
    }
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    results::write_file(path, text).map_err(failed)?;
    results::complain(format_args!("pamir tune: wrote {}", path.display()));
    Ok(())
}

/// A line on standard error that says what is being measured.
struct Progress {
    done: usize,
    all: usize,
    begin: Instant,
    terminal: bool,
}

impl Progress {
    fn new(plan: &Plan) -> Self {
        let jobs = |kind: &&'static dyn Kind| -> usize {
            let able = |ranks| plan.able(*kind, ranks).len();
            plan.ranks_of(*kind).into_iter().map(able).sum()
        };
        Self {
            done: 0,
            all: plan.kinds.iter().map(jobs).sum::<usize>() * plan.rounds,
            begin: Instant::now(),
            terminal: std::io::stderr().is_terminal(),
        }
    }

    fn step(&mut self, kind: &dyn Kind, algorithm: &str, ranks: usize) {
        self.done += 1;
        let seconds = self.begin.elapsed().as_secs();
        let (begin, end) = if self.terminal {
            ("\r\x1b[K", "")
        } else {
            ("", "\n")
        };
        let _ = write!(
            std::io::stderr(),
            "{begin}[{seconds} s] {}/{}: {ranks} ranks, {} {algorithm}{end}",
            self.done,
            self.all,
            kind.name()
        );
    }

    fn end(&self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
