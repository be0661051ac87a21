//! All kinds of instructions that have a table, by name.
//!
//! What: [`KINDS`] lists them; [`Kind`] is what files, the environment and the commands see of a
//! kind, with algorithms as text.
//! Before: [`super::configuration`], `pamir tune`, `pamir info`. After: the kind's
//! [`super::Table`].

use std::marker::PhantomData;

use super::row::{Needs, Row, Situation};
use super::table::{Choice, TableError, check_rows};
use crate::collective as c;
use crate::protocol::table::{GetProtocol, PutProtocol, ScatteredStripes, SendProtocol, Stripes};

/// Why a row of text is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// There is no such algorithm.
    #[error("{kind} has no algorithm {algorithm:?}; there are {known}")]
    Unknown {
        /// The kind.
        kind: &'static str,
        /// What was asked for.
        algorithm: String,
        /// All there are.
        known: String,
    },
    /// The row does not fit the table.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// A kind of instruction, whatever its type of algorithms.
pub trait Kind: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What decides as the size, in words; nothing where no size is known to all members.
    fn size(&self) -> Option<&'static str>;

    /// Its algorithms, and what each needs.
    fn algorithms(&self) -> Vec<(&'static str, Needs)>;

    /// The rows in order of precedence: installed ones, then default ones.
    fn rows(&self) -> Vec<Row<&'static str>>;

    /// Upper bound and algorithm of each range of sizes in a situation.
    fn ranges(&self, situation: Situation) -> Vec<(usize, &'static str)>;

    /// Each algorithm that this process has taken, and how often. Messages that went at once, as
    /// one packet, are not counted.
    fn uses(&self) -> Vec<(&'static str, u64)>;

    /// Refuses rows that name no algorithm or make no sense, with the row's index.
    fn check(&self, rows: &[Row<String>]) -> Result<(), (usize, RowError)>;

    /// Puts rows before the default ones ([`super::Table::install`]).
    fn install(&self, rows: &[Row<String>]) -> Result<(), RowError>;

    /// The environment variable whose rows come before all others.
    fn variable(&self) -> String {
        format!("PAMIR_{}", self.name().to_uppercase())
    }
}

/// Rows for one kind.
pub type KindRows = (&'static dyn Kind, Vec<Row<String>>);

struct Of<A>(PhantomData<fn() -> A>);

impl<A: Choice> Of<A> {
    const THE: Self = Self(PhantomData);

    fn parse(row: &Row<String>) -> Result<Row<A>, RowError> {
        let unknown = || RowError::Unknown {
            kind: A::KIND,
            algorithm: row.algorithm.clone(),
            known: A::ALL
                .iter()
                .map(|algorithm| algorithm.name())
                .collect::<Vec<_>>()
                .join(", "),
        };
        let algorithm = A::from_name(&row.algorithm).ok_or_else(unknown)?;
        Ok(row.with(algorithm))
    }
}

impl<A: Choice> Kind for Of<A> {
    fn name(&self) -> &'static str {
        A::KIND
    }

    fn size(&self) -> Option<&'static str> {
        A::SIZE
    }

    fn algorithms(&self) -> Vec<(&'static str, Needs)> {
        let described = |one: &A| (one.name(), one.needs());
        A::ALL.iter().map(described).collect()
    }

    fn rows(&self) -> Vec<Row<&'static str>> {
        let named = |row: Row<A>| row.with(row.algorithm.name());
        A::table().rows().map(named).collect()
    }

    fn ranges(&self, situation: Situation) -> Vec<(usize, &'static str)> {
        let ranges = A::table().ranges(situation);
        let ranges = ranges.into_iter().flat_map(|ranges| ranges.iter());
        ranges.map(|(bound, one)| (bound, one.name())).collect()
    }

    fn uses(&self) -> Vec<(&'static str, u64)> {
        let uses = A::table().uses();
        uses.map(|(one, times)| (one.name(), times)).collect()
    }

    fn check(&self, rows: &[Row<String>]) -> Result<(), (usize, RowError)> {
        let mut parsed = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            parsed.push(Self::parse(row).map_err(|error| (index, error))?);
        }
        check_rows(&parsed).map_err(|(index, error)| (index, error.into()))
    }

    fn install(&self, rows: &[Row<String>]) -> Result<(), RowError> {
        let rows: Result<Vec<Row<A>>, RowError> = rows.iter().map(Self::parse).collect();
        Ok(A::table().install(rows?)?)
    }
}

/// All kinds: those of point-to-point messages and one-sided transfers, and the collectives.
pub static KINDS: [&dyn Kind; 22] = [
    &Of::<SendProtocol>::THE,
    &Of::<Stripes>::THE,
    &Of::<ScatteredStripes>::THE,
    &Of::<PutProtocol>::THE,
    &Of::<GetProtocol>::THE,
    &Of::<c::barrier::Algorithm>::THE,
    &Of::<c::moving::broadcast::Algorithm>::THE,
    &Of::<c::combining::reduce::Algorithm>::THE,
    &Of::<c::combining::allreduce::Algorithm>::THE,
    &Of::<c::moving::gather::Algorithm>::THE,
    &Of::<c::moving::gatherv::Algorithm>::THE,
    &Of::<c::moving::scatter::Algorithm>::THE,
    &Of::<c::moving::scatterv::Algorithm>::THE,
    &Of::<c::moving::allgather::Algorithm>::THE,
    &Of::<c::moving::allgatherv::Algorithm>::THE,
    &Of::<c::moving::alltoall::Algorithm>::THE,
    &Of::<c::moving::alltoallv::Algorithm>::THE,
    &Of::<c::moving::alltoall_in_place::Algorithm>::THE,
    &Of::<c::combining::reduce_scatter::Algorithm>::THE,
    &Of::<c::combining::scan::Algorithm>::THE,
    &Of::<c::combining::exscan::Algorithm>::THE,
    &Of::<c::neighbor::Algorithm>::THE,
];

/// The kind of a name.
pub fn kind(name: &str) -> Option<&'static dyn Kind> {
    KINDS.into_iter().find(|kind| kind.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_serves_every_size_number_of_ranks_and_operator() {
        for kind in KINDS {
            for ranks in 1..=70 {
                for case in 0..8 {
                    let (commutative, oversubscribed, board) =
                        (case & 1 > 0, case & 2 > 0, case & 4 > 0);
                    let situation = Situation::new(ranks, commutative)
                        .oversubscribed(oversubscribed)
                        .board(board);
                    let ranges = kind.ranges(situation);
                    assert_eq!(ranges.last().map(|range| range.0), Some(usize::MAX));
                    let able = |name| {
                        let algorithms = kind.algorithms();
                        let known = algorithms.iter().find(|one| one.0 == name);
                        known.unwrap().1.met(situation)
                    };
                    assert!(ranges.iter().all(|range| able(range.1)), "{}", kind.name());
                }
            }
        }
    }

    #[test]
    fn each_kind_and_its_variable_is_in_the_table_of_settings() {
        let settings = pamir_settings::ALL.iter();
        let rows = settings.filter(|setting| setting.allowed().starts_with("rows such as"));
        let mut declared: Vec<String> = rows.map(|setting| setting.name().into()).collect();
        let mut kinds: Vec<String> = KINDS.iter().map(|kind| kind.variable()).collect();
        declared.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(kinds, declared);
    }

    #[test]
    fn the_example_of_each_variable_is_one_that_its_table_takes() {
        for setting in pamir_settings::ALL {
            let allowed = setting.allowed();
            let Some(example) = allowed.strip_prefix("rows such as ") else {
                continue;
            };
            let kinds = KINDS
                .iter()
                .filter(|kind| kind.variable() == setting.name());
            let rows = super::super::grammar::rows(example).unwrap();
            for kind in kinds {
                assert_eq!(kind.check(&rows), Ok(()), "{allowed}");
            }
        }
    }

    #[test]
    fn every_algorithm_can_be_asked_for_by_name() {
        let mut algorithms = 0;
        for found in KINDS {
            assert_eq!(kind(found.name()).unwrap().name(), found.name());
            for (name, _) in found.algorithms() {
                let row = Row::new("").with(name.to_owned());
                assert_eq!(found.check(&[row]), Ok(()), "{} {name}", found.name());
                algorithms += 1;
            }
        }
        assert!(algorithms >= 40, "{algorithms}");
        assert!(kind("teleport").is_none());
    }

    #[test]
    fn an_algorithm_that_is_not_there_is_refused_with_those_that_are() {
        let row = Row::new("").with("carousel".to_owned());
        let (index, error) = kind("scan").unwrap().check(&[row]).unwrap_err();
        assert_eq!(index, 0);
        assert_eq!(
            error.to_string(),
            "scan has no algorithm \"carousel\"; there are linear, recursive_doubling, posted"
        );
        assert_eq!(kind("scan").unwrap().variable(), "PAMIR_SCAN");
    }
}
