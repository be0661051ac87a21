//! A run's cycles as text: who called when, how long each computed, and what moved in between.
//!
//! Before: a launcher saw cycles, or a library noted them. After: `pamir report` draws them,
//! `pamir simulate-balance --replay` runs them again under every policy.
//!
//! ```text
//! # pamir cycles 1
//! ranks 2
//! call 1 0 0 0 1000000 980000 250     cycle, rank, place, started, arrived, busy (ns), load
//! call 1 1 - 0 1500000 1490000 250    place: the core that it sat on; - where it kept to none
//! gave 1 1 0 40                       after cycle 1 rank 1 gave rank 0 so much load
//! sat 1 1 0 3                         after cycle 1 rank 1 went from place 0 to place 3
//! said 1 priorities are refused       after cycle 1 something was noted
//! ```
//!
//! Of a job that never synchronises, periods of time stand for cycles.
//!
//! Lines that begin with # and empty ones are nothing. Times are nanoseconds of one clock. Busy is
//! processor time: less than the time between start and call where ranks share a core.
//!
//! Invariants: what is written is read back the same; a rank calls once a cycle; cycles ascend.

pub mod metrics;
pub(super) mod recent;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::history::Arrival;

/// The first line.
pub const TITLE: &str = "# pamir cycles 1";

/// The most ranks that a record may have.
const MOST_RANKS: usize = 1 << 20;

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is something else.
    #[error(
        "this is no record of cycles: it does not begin with `{TITLE}`; mpiexec --balance-record FILE writes one"
    )]
    Title,
    /// A line makes no sense.
    #[error("line {line} of the record, `{text}`, is not {wanted}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The line.
        text: String,
        /// What was expected.
        wanted: &'static str,
    },
    /// Nobody called.
    #[error("the record has no call in it: the job ended before its first synchronisation")]
    Empty,
}

/// One call of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// When, with what load.
    pub arrival: Arrival,
    /// Processor time of the cycle, in nanoseconds.
    pub busy_ns: u64,
    /// The core that the rank sat on, if it kept to one.
    pub place: Option<usize>,
}

impl Call {
    /// Equal for calls that were made on one core. A rank that kept to none is a core by itself.
    pub fn core(&self) -> (Option<usize>, usize) {
        let own = self.place.map_or(self.arrival.member, |_| 0);
        (self.place, own)
    }
}

/// One cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedCycle {
    /// Its number.
    pub number: u64,
    /// Who called, by rank; ranks may be missing.
    pub calls: Vec<Call>,
}

/// What was done between two cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Load went from one rank to another.
    Gave {
        /// Who gave.
        giver: usize,
        /// Who received.
        receiver: usize,
        /// How much.
        amount: u64,
    },
    /// A rank went to another core.
    Sat {
        /// The rank.
        rank: usize,
        /// Where it was, if it kept to one core.
        from: Option<usize>,
        /// Where it is, if it keeps to one core.
        to: Option<usize>,
    },
    /// Something else.
    Said(String),
}

/// The record of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How many ranks the job had.
    pub ranks: usize,
    /// Its cycles, in order.
    pub cycles: Vec<RecordedCycle>,
    /// What was done, with the number of the cycle before.
    pub deeds: Vec<(u64, Deed)>,
}

/// The first lines of a record.
pub fn head(ranks: usize) -> String {
    format!("{TITLE}\nranks {ranks}\n")
}

fn place(place: Option<usize>) -> String {
    place.map_or("-".into(), |place| place.to_string())
}

impl RecordedCycle {
    /// Its lines.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for call in &self.calls {
            let _ = writeln!(
                lines,
                "call {} {} {} {} {} {} {}",
                self.number,
                call.arrival.member,
                place(call.place),
                call.arrival.started_ns,
                call.arrival.arrived_ns,
                call.busy_ns,
                call.arrival.load,
            );
        }
        lines
    }
}

impl Deed {
    /// Its line, after cycle `number`.
    pub fn line(&self, number: u64) -> String {
        match self {
            Self::Gave {
                giver,
                receiver,
                amount,
            } => format!("gave {number} {giver} {receiver} {amount}\n"),
            Self::Sat { rank, from, to } => {
                format!("sat {number} {rank} {} {}\n", place(*from), place(*to))
            }
            Self::Said(text) => format!("said {number} {}\n", text.replace(['\n', '\r'], " ")),
        }
    }
}

impl Record {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if it is none, or cannot be read.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let text = std::fs::read_to_string(path).map_err(|source| RecordError::Unreadable {
            path: path.to_path_buf(),
            source,
        })?;
        Self::parse(&text)
    }

    /// Reads a record's text.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if it is none.
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, line)| line != TITLE) {
            return Err(RecordError::Title);
        }
        let mut record = Self::default();
        for (index, line) in lines {
            if !line.is_empty() && !line.starts_with('#') {
                record.add(line).map_err(|wanted| RecordError::Line {
                    line: index + 1,
                    text: line.to_string(),
                    wanted,
                })?;
            }
        }
        if record.cycles.is_empty() {
            return Err(RecordError::Empty);
        }
        for cycle in &mut record.cycles {
            cycle.calls.sort_unstable_by_key(|call| call.arrival.member);
        }
        Ok(record)
    }

    fn add(&mut self, line: &str) -> Result<(), &'static str> {
        let mut words = line.split(' ');
        let (Some(word), Some(number)) = (words.next(), words.next()) else {
            return Err("a word and a number");
        };
        let number: u64 = number.parse().map_err(|_| "a word and a number")?;
        match word {
            "ranks" if self.ranks == 0 && (1..=MOST_RANKS as u64).contains(&number) => {
                self.ranks = number as usize;
                Ok(())
            }
            "call" => self.add_call(number, words),
            "gave" => {
                let [giver, receiver, amount] =
                    numbers(words).ok_or("gave CYCLE RANK RANK LOAD")?;
                let (giver, receiver) = (self.rank(giver)?, self.rank(receiver)?);
                let deed = Deed::Gave {
                    giver,
                    receiver,
                    amount,
                };
                self.deeds.push((number, deed));
                Ok(())
            }
            "sat" => self.add_seat(number, words),
            "said" => {
                let text = line.splitn(3, ' ').nth(2).unwrap_or_default();
                self.deeds.push((number, Deed::Said(text.to_string())));
                Ok(())
            }
            _ => Err("one of ranks, call, gave, sat and said"),
        }
    }

    fn rank(&self, number: u64) -> Result<usize, &'static str> {
        let rank = usize::try_from(number).ok();
        let rank = rank.filter(|rank| *rank < self.ranks);
        rank.ok_or("of a rank that the job has (`ranks` stands before)")
    }

    fn add_call<'a>(
        &mut self,
        number: u64,
        mut words: impl Iterator<Item = &'a str>,
    ) -> Result<(), &'static str> {
        const WANTED: &str = "call CYCLE RANK PLACE STARTED ARRIVED BUSY LOAD";
        let rank = words.next().and_then(|word| word.parse().ok());
        let member = self.rank(rank.ok_or(WANTED)?)?;
        let place = read_place(words.next()).ok_or(WANTED)?;
        let [started_ns, arrived_ns, busy_ns, load] = numbers(words).ok_or(WANTED)?;
        let arrival = Arrival {
            member,
            started_ns,
            arrived_ns,
            load,
        };
        let call = Call {
            arrival,
            busy_ns,
            place,
        };
        match self.cycles.last_mut() {
            Some(cycle) if cycle.number == number => {
                if cycle.calls.iter().any(|call| call.arrival.member == member) {
                    return Err("the only call of its rank in its cycle");
                }
                cycle.calls.push(call);
            }
            Some(cycle) if cycle.number > number => return Err("of a cycle after those before it"),
            _ => self.cycles.push(RecordedCycle {
                number,
                calls: vec![call],
            }),
        }
        Ok(())
    }

    fn add_seat<'a>(
        &mut self,
        number: u64,
        mut words: impl Iterator<Item = &'a str>,
    ) -> Result<(), &'static str> {
        const WANTED: &str = "sat CYCLE RANK PLACE PLACE";
        let rank = words.next().and_then(|word| word.parse().ok());
        let rank = self.rank(rank.ok_or(WANTED)?)?;
        let from = read_place(words.next()).ok_or(WANTED)?;
        let to = read_place(words.next()).ok_or(WANTED)?;
        self.deeds.push((number, Deed::Sat { rank, from, to }));
        Ok(())
    }
}

/// The numbers that the rest of a line consists of.
fn numbers<'a, const N: usize>(words: impl Iterator<Item = &'a str>) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// A place or its absence; none where the word is neither.
fn read_place(word: Option<&str>) -> Option<Option<usize>> {
    match word? {
        "-" => Some(None),
        word => word.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(body: &str) -> Result<Record, RecordError> {
        Record::parse(&format!("{TITLE}\n{body}"))
    }

    #[test]
    fn what_is_no_record_is_told_apart() {
        assert!(matches!(
            Record::parse("ranks 2\n"),
            Err(RecordError::Title)
        ));
        assert!(matches!(parse("ranks 2\n"), Err(RecordError::Empty)));
        for wrong in [
            "ranks 0",
            "ranks 2\ncall 1 2 0 0 1 1 1",
            "call 1 0 0 0 1 1 1",
            "ranks 2\ncall 1 0 x 0 1 1 1",
            "ranks 2\ncall 1 0 0 0 1 1",
            "ranks 2\ncall 1 0 0 0 1 1 1\ncall 1 0 0 0 1 1 1",
            "ranks 2\ncall 2 0 0 0 1 1 1\ncall 1 0 0 0 1 1 1",
            "ranks 2\ngave 1 0 1",
            "ranks 2\nsat 1 0 1",
            "ranks 2\nate 1 0 1",
            "ranks",
        ] {
            let error = parse(wrong).unwrap_err();
            assert!(
                matches!(error, RecordError::Line { .. }),
                "{wrong}: {error}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            times in proptest::collection::vec((any::<u64>(), any::<u64>(), any::<u64>(), 0usize..4), 2..40),
            text in "[a-z ]{0,20}",
        ) {
            let ranks = 2;
            let calls = times.chunks_exact(ranks).enumerate();
            let cycles: Vec<_> = calls.map(|(number, times)| RecordedCycle {
                number: number as u64 * 3,
                calls: times.iter().enumerate().map(|(member, &(started_ns, arrived_ns, busy_ns, place))| Call {
                    arrival: Arrival { member, started_ns, arrived_ns, load: busy_ns / 2 },
                    busy_ns,
                    place: place.checked_sub(1),
                }).collect(),
            }).collect();
            let deeds = vec![
                (0, Deed::Gave { giver: 1, receiver: 0, amount: 7 }),
                (0, Deed::Sat { rank: 1, from: None, to: Some(3) }),
                (3, Deed::Said(text)),
            ];
            let mut written = head(ranks);
            cycles.iter().for_each(|cycle| written += &cycle.lines());
            deeds.iter().for_each(|(number, deed)| written += &deed.line(*number));
            prop_assert_eq!(Record::parse(&written).unwrap(), Record { ranks, cycles, deeds });
        }
    }
}
