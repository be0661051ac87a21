//! The text format of a measured machine.
//!
//! ```text
//! # pamir machine 1
//! # machine 9e37... host        where it was measured (`pamir_driver::topology::Fingerprint`)
//! # measured pairs at once, load 0.2 on 3 units         under what
//! units 0 2 4                   the operating system's numbers of the processing units
//! 0 2 140 12.5 60               one, other, latency in ns, bandwidth in bytes/ns, overhead in ns
//! 0 4 310 8.0 60
//! 2 4 305 8.1 61
//! ```
//!
//! What: each pair once (both ways are the same) or twice (each way its own). Latency is the time
//! until an empty message is there, overhead what the processor spends on it. The cost of a pair
//! is the time of a message of some size: latency, overhead, and size over bandwidth. A line of a
//! unit with itself, which may be left out, is for ranks that share it.
//! `pamir place --measure` writes it.

use std::fmt::Write as _;
use std::path::Path;

use pamir_driver::topology::Fingerprint;

use super::super::{Matrix, PlacementError, TopologyGraph, matrix};
use super::{Line, lines, matrix_market, read_text};

/// What ranks on one unit take for a message, of what the fastest pair of units takes: nothing has
/// to cross from cache to cache. As by levels, where a unit costs half of its core.
const SHARED_UNIT: f64 = 0.5;

/// What begins the line that says under what costs were measured.
const MEASURED: &str = "# measured ";

/// Where and under what costs were measured; empty where a file does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The machine.
    pub machine: Option<Fingerprint>,
    /// What else went on, in words of one line.
    pub meanwhile: Option<String>,
}

impl Conditions {
    /// As a file's text has them.
    pub fn in_text(text: &str) -> Conditions {
        let meanwhile = text.lines().find_map(|line| line.strip_prefix(MEASURED));
        Conditions {
            machine: Fingerprint::in_text(text),
            meanwhile: meanwhile.map(|words| words.trim().to_string()),
        }
    }

    fn lines(&self) -> String {
        let mut text = String::new();
        text.extend(self.machine.iter().map(Fingerprint::line));
        if let Some(meanwhile) = &self.meanwhile {
            let _ = writeln!(text, "{MEASURED}{meanwhile}");
        }
        text
    }
}

/// What a transfer from one unit to another takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Time until an empty message is there, in nanoseconds.
    pub latency_ns: f64,
    /// Bytes a nanosecond (GB/s) of long messages.
    pub bandwidth_bytes_per_ns: f64,
    /// Time of the processor for a message, in nanoseconds.
    pub overhead_ns: f64,
}

impl Link {
    /// The time a message takes, in nanoseconds.
    pub fn time_ns(&self, bytes: f64) -> f64 {
        self.latency_ns + self.overhead_ns + bytes / self.bandwidth_bytes_per_ns
    }
}

/// A machine as it was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredMachine {
    units: Vec<u32>,
    /// Row after row; none for a unit with itself.
    links: Vec<Option<Link>>,
    conditions: Conditions,
}

impl MeasuredMachine {
    /// Of these units, nothing being known of any pair.
    pub fn new(units: Vec<u32>) -> MeasuredMachine {
        MeasuredMachine {
            links: vec![None; units.len() * units.len()],
            units,
            conditions: Conditions::default(),
        }
    }

    /// The same, measured there and under this.
    pub fn measured(self, conditions: Conditions) -> MeasuredMachine {
        MeasuredMachine { conditions, ..self }
    }

    /// The units' numbers.
    pub fn units(&self) -> &[u32] {
        &self.units
    }

    /// Notes a link, by positions in the list of units.
    pub fn set(&mut self, one: usize, other: usize, link: Link) {
        let size = self.units.len();
        self.links[one * size + other] = Some(link);
    }

    /// A link, by positions in the list of units.
    pub fn link(&self, one: usize, other: usize) -> Option<Link> {
        self.links[one * self.units.len() + other]
    }

    /// The topology graph for messages of this size: the cost is their time in nanoseconds. A unit
    /// with itself, if the file does not say, costs half of the fastest pair.
    pub fn topology(&self, message_bytes: f64) -> Result<TopologyGraph, PlacementError> {
        let size = self.units.len();
        let time = |link: &Link| link.time_ns(message_bytes);
        let fastest = self
            .links
            .iter()
            .flatten()
            .map(time)
            .fold(f64::INFINITY, f64::min);
        let mut costs = Matrix::zero(size);
        for one in 0..size {
            for other in 0..size {
                let known = self.link(one, other).or(self.link(other, one));
                let cost = match known {
                    Some(link) => time(&link),
                    None if one == other => {
                        if fastest.is_finite() {
                            fastest * SHARED_UNIT
                        } else {
                            0.0
                        }
                    }
                    None => {
                        return Err(PlacementError::Mapping {
                            reason: format!(
                                "nothing is known of units {} and {}: measure the machine again",
                                self.units[one], self.units[other]
                            ),
                        });
                    }
                };
                costs.set(one, other, cost);
            }
        }
        TopologyGraph::from_matrix(self.units.clone(), costs)
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let units: Vec<String> = self.units.iter().map(u32::to_string).collect();
        let mut text = format!("# pamir machine 1\n{}", self.conditions.lines());
        let _ = writeln!(text, "units {}", units.join(" "));
        text.push_str("# one other latency_ns bandwidth_bytes_per_ns overhead_ns\n");
        for one in 0..self.units.len() {
            for other in 0..self.units.len() {
                if let Some(link) = self.link(one, other) {
                    let _ = writeln!(
                        text,
                        "{} {} {:.1} {:.3} {:.1}",
                        self.units[one],
                        self.units[other],
                        link.latency_ns,
                        link.bandwidth_bytes_per_ns,
                        link.overhead_ns
                    );
                }
            }
        }
        text
    }

    /// Reads a file's text; `file` is its name for errors.
    pub fn from_text(text: &str, file: &str) -> Result<MeasuredMachine, PlacementError> {
        let mut lines = lines(text, file, '#');
        let Some(first) = lines.next() else {
            return Err(PlacementError::Nothing {
                what: "processing entity",
            });
        };
        let units = units_of(&first)?;
        let mut machine = MeasuredMachine::new(units).measured(Conditions::in_text(text));
        for line in lines {
            let numbers: Vec<f64> =
                line.numbers(5, "two units, latency, bandwidth and overhead")?;
            let position = |number: f64| {
                let found = machine
                    .units
                    .iter()
                    .position(|unit| f64::from(*unit) == number);
                found.ok_or_else(|| line.wrong(format!("unit {number} is not among the units")))
            };
            let (one, other) = (position(numbers[0])?, position(numbers[1])?);
            if !numbers[2..].iter().all(|number| matrix::valid(*number)) || numbers[3] == 0.0 {
                return Err(line.wrong("latency, bandwidth and overhead are finite and not negative, bandwidth is not 0"));
            }
            let link = Link {
                latency_ns: numbers[2],
                bandwidth_bytes_per_ns: numbers[3],
                overhead_ns: numbers[4],
            };
            machine.set(one, other, link);
        }
        Ok(machine)
    }
}

fn units_of(line: &Line) -> Result<Vec<u32>, PlacementError> {
    let units: Option<Vec<u32>> = line.words[1..]
        .iter()
        .map(|word| word.parse().ok())
        .collect();
    let units = units.filter(|units| line.words[0] == "units" && !units.is_empty());
    units.ok_or_else(|| line.wrong("the first line must be `units` and their numbers"))
}

/// Reads a topology graph from a measured machine's file, or from a matrix-market file of costs,
/// whose places are the units 0, 1, and so on; and under what a measured machine was measured.
pub fn read_topology(
    path: &Path,
    message_bytes: f64,
) -> Result<(TopologyGraph, Option<Conditions>), PlacementError> {
    let text = read_text(path)?;
    let file = path.display().to_string();
    if text.starts_with("%%MatrixMarket") {
        let costs = matrix_market::read_matrix(&text, &file)?;
        let graph = TopologyGraph::from_matrix((0..costs.size() as u32).collect(), costs)?;
        return Ok((graph, None));
    }
    let machine = MeasuredMachine::from_text(&text, &file)?;
    let graph = machine.topology(message_bytes)?;
    Ok((graph, Some(machine.conditions)))
}

#[cfg(test)]
mod tests {
    use pamir_driver::topology::Machine;

    use super::*;

    const TEXT: &str = "# pamir machine 1\nunits 0 2 4\n0 2 140 12.5 60\n0 4 310 8 60\n2 4 300 8 60\n4 2 500 8 60\n";

    #[test]
    fn costs_are_times_of_a_message() {
        let machine = MeasuredMachine::from_text(TEXT, "f").unwrap();
        let graph = machine.topology(1000.0).unwrap();
        assert_eq!(graph.names(), [0, 2, 4]);
        let fingerprint = Machine::from_description("core:3 pu:1").unwrap();
        let machine = machine.measured(Conditions {
            machine: Some(fingerprint.fingerprint()),
            meanwhile: Some("pairs at once, load 0.50 on 3 units".to_string()),
        });
        assert_eq!((graph.cost(0, 1), graph.cost(1, 0)), (280.0, 280.0));
        // Ways of their own, where both were measured.
        assert_eq!((graph.cost(1, 2), graph.cost(2, 1)), (485.0, 685.0));
        // Ranks that share a unit are nearer than any two units, unless the file says otherwise.
        assert_eq!(graph.cost(2, 2), 140.0);
        let text = format!("{TEXT}2 2 700 10 0\n");
        let told = MeasuredMachine::from_text(&text, "f").unwrap();
        assert_eq!(told.topology(1000.0).unwrap().cost(1, 1), 800.0);
        assert_eq!(
            MeasuredMachine::from_text(&machine.to_text(), "f").unwrap(),
            machine
        );
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        for (text, expected) in [
            ("", "no processing entity"),
            ("0 2 1 1 1\n", "line 1: the first line must be `units`"),
            ("units 0 2\n0 3 1 1 1\n", "line 2: unit 3 is not among"),
            ("units 0 2\n0 2 1 0 1\n", "line 2: latency"),
            ("units 0 2\n0 2 1 1\n", "line 2: \"0 2 1 1\" is not"),
        ] {
            let error = MeasuredMachine::from_text(text, "f")
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
        let unknown = MeasuredMachine::from_text("units 0 2 4\n0 2 1 1 1\n", "f").unwrap();
        let error = unknown.topology(0.0).unwrap_err().to_string();
        assert!(
            error.contains("nothing is known of units 0 and 4"),
            "{error}"
        );
    }
}
