//! Rankfiles, as Open MPI reads them: which cores each rank has.
//!
//! ```text
//! # comment
//! rank 0=localhost slot=0-3          cores by number over the machine
//! rank 1=+n0 slot=1:0,2              cores 0 and 2 of package 1
//! ```
//!
//! What: [`read`] gives the processors of each rank, [`ranks`] how many ranks there are.
//! Step before: `--rankfile`. Step after: [`mod@super::seats`].
//! Source: mpirun(1) of Open MPI, "Rankfiles"; cores are counted as hwloc counts them, from 0.
//! Invariant: each rank of the job has a line, and only one.

use std::path::{Path, PathBuf};

use pamir_driver::topology::{Level, Machine};

use super::super::hosts::is_this_machine;

/// A rankfile that cannot be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankFileError {
    /// The file cannot be read.
    #[error("--rankfile: cannot read {path}: {source}")]
    File {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not understood.
    #[error(
        "--rankfile: {path}, line {line}: {reason}; lines are such as `rank 0=localhost slot=0-3` or \
         `rank 1=localhost slot=1:0,2` (package 1, its cores 0 and 2)"
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// It is for another number of ranks.
    #[error("--rankfile: {path} has no line for rank {rank} of {ranks}")]
    Missing {
        /// The file.
        path: PathBuf,
        /// The first rank without a line.
        rank: usize,
        /// Ranks of the job.
        ranks: usize,
    },
}

/// A rank, and the text that says where it is.
type Line = (usize, String, usize);

/// How many ranks the file is for.
///
/// # Errors
///
/// [`RankFileError`].
pub fn ranks(path: &Path) -> Result<usize, RankFileError> {
    let last = lines(path)?.iter().map(|(rank, ..)| *rank).max();
    Ok(last.map_or(0, |last| last + 1))
}

/// The processors of each of `ranks` ranks.
///
/// # Errors
///
/// [`RankFileError`].
pub fn read(path: &Path, machine: &Machine, ranks: usize) -> Result<Vec<Vec<u32>>, RankFileError> {
    let mut seats: Vec<Vec<u32>> = vec![Vec::new(); ranks];
    for (rank, slots, line) in lines(path)? {
        let wrong = |reason: String| RankFileError::Line {
            path: path.to_path_buf(),
            line,
            reason,
        };
        let seat = seats
            .get_mut(rank)
            .ok_or_else(|| wrong(format!("the job has no rank {rank}, but {ranks} ranks")))?;
        if !seat.is_empty() {
            return Err(wrong(format!("rank {rank} has a line already")));
        }
        *seat = processors(machine, &slots).map_err(wrong)?;
    }
    match seats.iter().position(Vec::is_empty) {
        Some(rank) => Err(RankFileError::Missing {
            path: path.to_path_buf(),
            rank,
            ranks,
        }),
        None => Ok(seats),
    }
}

fn lines(path: &Path) -> Result<Vec<Line>, RankFileError> {
    let text = std::fs::read_to_string(path).map_err(|source| RankFileError::File {
        path: path.to_path_buf(),
        source,
    })?;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let (rank, slots) = parse(line).map_err(|reason| RankFileError::Line {
            path: path.to_path_buf(),
            line: index + 1,
            reason,
        })?;
        lines.push((rank, slots, index + 1));
    }
    Ok(lines)
}

/// The rank of a line, and its slots.
fn parse(line: &str) -> Result<(usize, String), String> {
    let rest = line
        .strip_prefix("rank")
        .ok_or("it does not begin with `rank`")?;
    let (rank, rest) = rest
        .split_once('=')
        .ok_or("there is no `=` behind the rank")?;
    let rank = rank.trim();
    let rank = rank
        .parse()
        .map_err(|_| format!("`{rank}` is not a rank"))?;
    let (host, slots) = rest.split_once("slot").ok_or("there is no `slot=`")?;
    let host = host.trim();
    if !(host == "+n0" || is_this_machine(host)) {
        return Err(format!("host `{host}` is not this machine"));
    }
    let slots = slots.trim_start_matches('s').trim_start().strip_prefix('=');
    let slots = slots.ok_or("there is no `=` behind `slot`")?;
    // Quotes and spaces may stand around lists.
    let slots = slots.replace(['"', ' ', '\t'], "");
    Ok((rank, slots))
}

/// The allowed processors of the cores that a text names.
fn processors(machine: &Machine, slots: &str) -> Result<Vec<u32>, String> {
    let mut found = Vec::new();
    for part in slots.split(';') {
        let (package, cores) = match part.split_once(':') {
            Some((package, cores)) => (Some(package), cores),
            None => (None, part),
        };
        let packages = machine.groups(Level::Package).unwrap_or_default();
        let within: Vec<u32> = match package {
            None | Some("*") => machine.allowed(),
            Some(number) => {
                let number = number.trim_start_matches('p');
                let index = number.parse::<usize>().ok();
                let units = index.and_then(|index| packages.get(index));
                units
                    .ok_or(format!("there is no package `{number}`"))?
                    .clone()
            }
        };
        let cores_within: Vec<Vec<u32>> = machine
            .groups(Level::Core)
            .unwrap_or_default()
            .into_iter()
            .filter(|core| core.iter().any(|unit| within.contains(unit)))
            .collect();
        for index in numbers(cores, cores_within.len())? {
            let core = cores_within.get(index);
            let core = core.ok_or(format!(
                "there is no core {index} in `{part}` that may be used"
            ))?;
            found.extend(
                core.iter()
                    .copied()
                    .filter(|unit| !found.contains(unit))
                    .collect::<Vec<_>>(),
            );
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// The numbers of `0-3,5`, or all up to `count` for `*`.
fn numbers(text: &str, count: usize) -> Result<Vec<usize>, String> {
    if text == "*" {
        return Ok((0..count).collect());
    }
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |digits: &str| {
            digits
                .parse::<usize>()
                .map_err(|_| format!("`{digits}` is not a core's number"))
        };
        let (first, last) = (number(first)?, number(last)?);
        if last < first || last >= count {
            return Err(format!("`{part}` is no range of the {count} cores there"));
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pamir-ranks-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    fn seats(name: &str, text: &str, ranks: usize) -> Result<Vec<Vec<u32>>, RankFileError> {
        let machine = Machine::from_description("package:2 core:4 pu:2").unwrap();
        let path = file(name, text);
        let seats = read(&path, &machine, ranks);
        let _ = std::fs::remove_file(path);
        seats
    }

    #[test]
    fn cores_are_numbered_over_the_machine_or_in_a_package() {
        let text = "# two ranks\nrank 1=localhost slot=1:0-1\nrank 0=+n0 slot=0,5 # far\n\n\
                    rank 2 = 127.0.0.1 slots = 0:*\n";
        let seats = seats("good", text, 3).unwrap();
        assert_eq!(seats[0], [0, 1, 10, 11]);
        assert_eq!(seats[1], [8, 9, 10, 11]);
        assert_eq!(seats[2], (0..8).collect::<Vec<u32>>());
        let path = file("count", text);
        assert_eq!(ranks(&path).unwrap(), 3);
        let _ = std::fs::remove_file(path);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (name, text, named) in [
            ("host", "rank 0=elsewhere slot=0", "elsewhere"),
            ("slot", "rank 0=localhost", "slot="),
            ("core", "rank 0=localhost slot=8", "`8`"),
            ("package", "rank 0=localhost slot=2:0", "package `2`"),
            (
                "twice",
                "rank 0=localhost slot=0\nrank 0=localhost slot=1",
                "line 2",
            ),
            ("rank", "rank 7=localhost slot=0", "no rank 7"),
            ("missing", "", "no line for rank 0"),
            ("word", "core 0", "begin with"),
        ] {
            let error = seats(name, text, 1).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        let machine = Machine::from_description("core:1 pu:1").unwrap();
        assert!(read(Path::new("/no/such/file"), &machine, 1).is_err());
    }
}
