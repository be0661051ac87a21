//! The text format of a communication graph.
//!
//! ```text
//! # pamir communication 1
//! ranks 4
//! # machine 9e37... host        optional: where it was taken (`pamir_driver::topology::Fingerprint`)
//! portion halo                  optional: what follows belongs to this portion of the run
//! 0 1 100 819200                origin, target, messages, bytes
//! 1 0 100 819200
//! portion reduction
//! 3 0 12 96
//! ```
//!
//! What: one line a pair of ranks; lines of the same pair are added up, and so are portions, unless
//! one is asked for. `#` begins a comment. The profiler writes it, and it is easily written by hand
//! or by a script from a trace. Files that begin with `%%MatrixMarket` are read as matrices of
//! bytes.

use std::fmt::Write as _;
use std::path::Path;

use pamir_driver::topology::Fingerprint;

use super::super::communication::Entry;
use super::super::{CommunicationGraph, PlacementError, Traffic};
use super::{Line, lines, matrix_market, read_text};

/// The name of what stands before any `portion`.
pub const WHOLE: &str = "";

/// A graph for each portion of a run, by name, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Portions {
    ranks: usize,
    portions: Vec<(String, CommunicationGraph)>,
    machine: Option<Fingerprint>,
}

impl Portions {
    /// From graphs of the same number of ranks.
    pub fn new(portions: Vec<(String, CommunicationGraph)>) -> Result<Portions, PlacementError> {
        let ranks = portions.first().map_or(0, |(_, graph)| graph.ranks());
        for (_, graph) in &portions {
            if graph.ranks() != ranks {
                return Err(PlacementError::Size {
                    what: "a portion",
                    found: graph.ranks(),
                    expected: ranks,
                });
            }
        }
        Ok(Portions {
            ranks,
            portions,
            machine: None,
        })
    }

    /// The same, taken on that machine, if that is known.
    pub fn of_machine(self, machine: Option<Fingerprint>) -> Portions {
        Portions { machine, ..self }
    }

    /// The machine that it was taken on, if the file says so.
    pub fn machine(&self) -> Option<&Fingerprint> {
        self.machine.as_ref()
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Names of the portions; the one without a name is empty.
    pub fn names(&self) -> Vec<&str> {
        self.portions
            .iter()
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// One portion, or all together.
    pub fn graph(&self, portion: Option<&str>) -> Result<CommunicationGraph, PlacementError> {
        let Some(wanted) = portion else {
            let all = self.portions.iter().flat_map(|(_, graph)| graph.entries());
            return CommunicationGraph::new(self.ranks, all.copied());
        };
        let found = self.portions.iter().find(|(name, _)| name == wanted);
        found
            .map(|(_, graph)| graph.clone())
            .ok_or_else(|| PlacementError::Unknown {
                what: "portion",
                name: wanted.to_string(),
                known: self.names().join(", "),
            })
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut text = format!("# pamir communication 1\nranks {}\n", self.ranks);
        text.extend(self.machine.iter().map(Fingerprint::line));
        for (name, graph) in &self.portions {
            if name != WHOLE {
                let _ = writeln!(text, "portion {name}");
            }
            for Entry {
                origin,
                target,
                traffic,
            } in graph.entries()
            {
                let _ = writeln!(
                    text,
                    "{origin} {target} {} {}",
                    traffic.messages, traffic.bytes
                );
            }
        }
        text
    }

    /// Reads a file's text; `file` is its name for errors.
    pub fn from_text(text: &str, file: &str) -> Result<Portions, PlacementError> {
        if text.starts_with("%%MatrixMarket") {
            let graph = matrix_market::read_communication(text, file)?;
            return Portions::new(vec![(WHOLE.to_string(), graph)]);
        }
        let mut lines = lines(text, file, '#');
        let ranks = match lines.next() {
            Some(line) => ranks_of(&line)?,
            None => return Err(PlacementError::Nothing { what: "rank" }),
        };
        let mut found: Vec<(String, Vec<Entry>)> = Vec::new();
        for line in lines {
            if line.words[0] == "portion" {
                let name = line.words[1..].join(" ");
                if name.is_empty() {
                    return Err(line.wrong("a portion needs a name"));
                }
                found.push((name, Vec::new()));
                continue;
            }
            if found.is_empty() {
                found.push((WHOLE.to_string(), Vec::new()));
            }
            let entry = entry_of(&line, ranks)?;
            if let Some((_, entries)) = found.last_mut() {
                entries.push(entry);
            }
        }
        if found.is_empty() {
            found.push((WHOLE.to_string(), Vec::new()));
        }
        // A portion may come several times: it is one.
        found.sort_by(|one, other| one.0.cmp(&other.0));
        let mut portions: Vec<(String, Vec<Entry>)> = Vec::new();
        for (name, entries) in found {
            match portions.last_mut() {
                Some((last, known)) if *last == name => known.extend(entries),
                _ => portions.push((name, entries)),
            }
        }
        let graphs = portions.into_iter().map(|(name, entries)| {
            CommunicationGraph::new(ranks, entries).map(|graph| (name, graph))
        });
        let portions = Portions::new(graphs.collect::<Result<_, _>>()?)?;
        Ok(portions.of_machine(Fingerprint::in_text(text)))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Portions, PlacementError> {
        Portions::from_text(&read_text(path)?, &path.display().to_string())
    }
}

fn ranks_of(line: &Line) -> Result<usize, PlacementError> {
    let [word, count] = line.words[..] else {
        return Err(line.wrong("the first line must be `ranks N`"));
    };
    let count = count
        .parse()
        .ok()
        .filter(|&count: &usize| count > 0 && word == "ranks");
    count.ok_or_else(|| line.wrong("the first line must be `ranks N`, with N above 0"))
}

fn entry_of(line: &Line, ranks: usize) -> Result<Entry, PlacementError> {
    let numbers: Vec<u64> = line.numbers(4, "origin, target, messages and bytes")?;
    let highest = numbers[0].max(numbers[1]);
    if highest >= ranks as u64 {
        return Err(line.wrong(format!(
            "rank {highest} is not below {ranks}, the number of ranks"
        )));
    }
    Ok(Entry {
        origin: numbers[0] as u32,
        target: numbers[1] as u32,
        traffic: Traffic {
            messages: numbers[2],
            bytes: numbers[3],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn portions_are_one_by_one_or_added_up() {
        let text = "# made by hand\nranks 3\n0 1 1 8\nportion halo\n0 1 2 16 # twice\n\
                    1 2 1 1\nportion end\n2 0 1 5\nportion halo\n0 1 1 4\n";
        let portions = Portions::from_text(text, "f").unwrap();
        assert_eq!(portions.names(), ["", "end", "halo"]);
        let halo = portions.graph(Some("halo")).unwrap();
        assert_eq!(
            halo.traffic(0, 1),
            Traffic {
                messages: 3,
                bytes: 20
            }
        );
        let all = portions.graph(None).unwrap();
        assert_eq!(
            all.traffic(0, 1),
            Traffic {
                messages: 4,
                bytes: 28
            }
        );
        assert_eq!(all.traffic(2, 0).bytes, 5);
        let error = portions.graph(Some("start")).unwrap_err().to_string();
        assert!(error.contains("there is no portion \"start\""), "{error}");
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        for (text, expected) in [
            ("", "no rank"),
            ("0 1 1 8\n", "f, line 1: the first line must be `ranks N`"),
            ("ranks 0\n", "N above 0"),
            (
                "ranks 2\n\n0 1 1\n",
                "f, line 3: \"0 1 1\" is not origin, target",
            ),
            ("ranks 2\n0 2 1 8\n", "f, line 2: rank 2 is not below 2"),
            ("ranks 2\n0 1 -1 8\n", "line 2"),
            ("ranks 2\nportion\n", "needs a name"),
        ] {
            let error = Portions::from_text(text, "f").unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            entries in prop::collection::vec((0..9u32, 0..9u32, 1..1000u64, any::<u32>()), 0..60),
        ) {
            let entries = entries.into_iter().map(|(origin, target, messages, bytes)| Entry {
                origin,
                target,
                traffic: Traffic { messages, bytes: u64::from(bytes) },
            });
            let graph = CommunicationGraph::new(9, entries).unwrap();
            let portions = Portions::new(vec![("p".to_string(), graph)]).unwrap();
            let read = Portions::from_text(&portions.to_text(), "f").unwrap();
            if portions.graph(None).unwrap().entries().is_empty() {
                prop_assert_eq!(read.ranks(), 9);
            } else {
                prop_assert_eq!(read, portions);
            }
        }
    }
}
