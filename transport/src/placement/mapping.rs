//! The mapping `M`: a list, indexed by process, of the places the processes are put on.
//!
//! What: [`Mapping`] is a permutation of places, dummy processes included; `M(i)` is where process
//! `i` goes. [`PlacedRanks`] is what a launcher needs of it: the processing unit of each rank. It
//! is written to a file that `mpiexec --map-by file:FILE` and `scripts/pin` read:
//!
//! ```text
//! # pamir mapping 1
//! # machine 9e37... host        the machine it was made for ([`Fingerprint`])
//! # rank  processing unit (the operating system's number)
//! 0 4
//! 1 6
//! ```
//!
//! Lines that begin with `#` are comments; ranks may stand in any order, each exactly once.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use pamir_driver::topology::Fingerprint;

use super::{PlacementError, TopologyGraph};

/// Where each process goes: a permutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    places: Vec<u32>,
}

impl Mapping {
    /// Process `i` on place `i`.
    pub fn identity(size: usize) -> Mapping {
        Mapping {
            places: (0..size as u32).collect(),
        }
    }

    /// From the list of places, each of which must occur once.
    pub fn new(places: Vec<u32>) -> Result<Mapping, PlacementError> {
        let mut taken = vec![false; places.len()];
        for (process, &place) in places.iter().enumerate() {
            let wrong = |reason| Err(PlacementError::Mapping { reason });
            match taken.get_mut(place as usize) {
                None => {
                    return wrong(format!(
                        "process {process} is on place {place}, which is none"
                    ));
                }
                Some(taken) if *taken => return wrong(format!("place {place} is there twice")),
                Some(taken) => *taken = true,
            }
        }
        Ok(Mapping { places })
    }

    /// The places by process.
    pub fn places(&self) -> &[u32] {
        &self.places
    }
}

/// The processing unit of each rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedRanks {
    units: Vec<u32>,
    machine: Option<Fingerprint>,
}

impl PlacedRanks {
    /// The first `ranks` processes of a mapping on the entities of a graph; the rest are dummies.
    pub fn new(mapping: &Mapping, topology: &TopologyGraph, ranks: usize) -> PlacedRanks {
        let places = mapping.places().iter().take(ranks);
        PlacedRanks {
            units: places
                .map(|&place| topology.names()[place as usize])
                .collect(),
            machine: None,
        }
    }

    /// The same, made for that machine, if that is known.
    pub fn for_machine(self, machine: Option<Fingerprint>) -> PlacedRanks {
        PlacedRanks { machine, ..self }
    }

    /// The machine that it was made for, if the file says so.
    pub fn machine(&self) -> Option<&Fingerprint> {
        self.machine.as_ref()
    }

    /// The operating system's number of each rank's processing unit.
    pub fn units(&self) -> &[u32] {
        &self.units
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut text = String::from("# pamir mapping 1\n");
        text.extend(self.machine.iter().map(Fingerprint::line));
        text.push_str("# rank  processing unit (the operating system's number)\n");
        for (rank, unit) in self.units.iter().enumerate() {
            let _ = writeln!(text, "{rank} {unit}");
        }
        text
    }

    /// Reads a file's text; `file` is its name for errors.
    pub fn from_text(text: &str, file: &str) -> Result<PlacedRanks, PlacementError> {
        let mut found: Vec<(usize, u32)> = Vec::new();
        let mut seen = HashSet::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let wrong = |reason: String| PlacementError::Line {
                file: file.to_string(),
                line: at + 1,
                reason,
            };
            let mut words = line.split_whitespace();
            let (rank, unit) = (words.next(), words.next());
            let numbers = rank
                .and_then(|word| word.parse().ok())
                .zip(unit.and_then(|word| word.parse().ok()));
            let (Some((rank, unit)), None) = (numbers, words.next()) else {
                return Err(wrong(format!(
                    "{line:?} is not a rank and a processing unit"
                )));
            };
            if !seen.insert(rank) {
                return Err(wrong(format!("rank {rank} is there twice")));
            }
            found.push((rank, unit));
        }
        found.sort_unstable();
        if found.is_empty() {
            return Err(PlacementError::Nothing { what: "rank" });
        }
        for (expected, &(rank, _)) in found.iter().enumerate() {
            if rank != expected {
                let reason = format!("{file} has no line for rank {expected}, but one for {rank}");
                return Err(PlacementError::Mapping { reason });
            }
        }
        let units = found.into_iter().map(|(_, unit)| unit).collect();
        Ok(PlacedRanks {
            units,
            machine: Fingerprint::in_text(text),
        })
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<PlacedRanks, PlacementError> {
        let text = std::fs::read_to_string(path).map_err(|source| PlacementError::File {
            path: path.to_path_buf(),
            source,
        })?;
        PlacedRanks::from_text(&text, &path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use pamir_driver::topology::Machine;

    use super::*;

    #[test]
    fn the_documents_mapping_is_a_list_by_process() {
        // M = (1, 3, 2, 4), counted from 1.
        let mapping = Mapping::new(vec![0, 2, 1, 3]).unwrap();
        assert_eq!(mapping.places()[1], 2);
        assert!(
            Mapping::new(vec![0, 2, 2, 3])
                .unwrap_err()
                .to_string()
                .contains("twice")
        );
        assert!(
            Mapping::new(vec![0, 4, 2, 3])
                .unwrap_err()
                .to_string()
                .contains("none")
        );
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let topology = TopologyGraph::uniform(&[2, 2], &[3.0, 2.0, 1.0]).unwrap();
        let mapping = Mapping::new(vec![3, 1, 0, 2]).unwrap();
        let machine = Machine::from_description("core:4 pu:1").unwrap();
        let placed = PlacedRanks::new(&mapping, &topology, 3);
        let placed = placed.for_machine(Some(machine.fingerprint()));
        assert_eq!(placed.units(), [3, 1, 0]);
        assert_eq!(
            PlacedRanks::from_text(&placed.to_text(), "m").unwrap(),
            placed
        );
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        for (text, expected) in [
            ("0 1\n1\n", "m, line 2: \"1\" is not a rank"),
            ("0 1\n0 2\n", "m, line 2: rank 0 is there twice"),
            ("0 1\n2 2\n", "no line for rank 1"),
            ("# nothing\n", "no rank"),
            ("0 x\n", "line 1"),
        ] {
            let error = PlacedRanks::from_text(text, "m").unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
