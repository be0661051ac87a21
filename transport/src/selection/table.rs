//! A kind's table: rows in order of precedence, made into ranges of sizes.
//!
//! Rows say who serves what: sizes, numbers of members, and what the algorithm needs. The first
//! row that is for an operation and whose algorithm can serve it is taken; installed rows come
//! before the default ones, which serve everything:
//!
//! ```text
//!   ring                 64 KiB and more     installed, needs a commutative operation
//!   recursive_doubling   up to 16 KiB        default
//!   rabenseifner         any size            default
//!
//!   commutative          recursive_doubling ≤ 16 KiB < rabenseifner ≤ 64 KiB - 1 < ring
//!   not commutative      recursive_doubling ≤ 16 KiB < rabenseifner
//! ```
//!
//! What does not depend on the size is settled once for each [`Situation`] that occurs (number
//! of members, commutativity, processors shared or not); the ranges are kept, and an operation only adds up comparisons
//! ([`super::ranges`]). They are kept in lists that only grow, so that reading needs no lock.
//!
//! Invariant: what decides is the same at all members (bytes all of them know, and the
//! situation), or they would run different algorithms.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ranges::Ranges;
use super::row::{Needs, Row, Situation};

/// The most ranges of sizes that a kind may have.
pub const MOST_RANGES: usize = 128;

/// Ranges that rows may make: further ones are for bounds that only the job knows, as the length
/// of its packets.
const ROOM: usize = MOST_RANGES - 4;

/// The most algorithms that a kind may have.
const MOST_ALGORITHMS: usize = 16;

/// Lists of ranges, by number of members.
const LISTS: usize = 16;

/// Why rows were not installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The kind is in use, or has rows already.
    #[error("{kind} has its table already: install tables once, at start")]
    Installed {
        /// The kind of instruction.
        kind: &'static str,
    },
    /// A row is for no size.
    #[error("it is for sizes from {from_bytes} up to {up_to_bytes} bytes, which are none")]
    NoSize {
        /// Where it begins.
        from_bytes: usize,
        /// Where it ends.
        up_to_bytes: usize,
    },
    /// A row is for no number of members.
    #[error("it is for {least} to {most} ranks, which are none")]
    NoRanks {
        /// Fewest ranks.
        least: usize,
        /// Most ranks.
        most: usize,
    },
    /// A row has sizes, and the kind has none.
    #[error("{kind} has no size that all ranks know: leave sizes out of it")]
    Sizeless {
        /// The kind of instruction.
        kind: &'static str,
    },
    /// A row before it always comes first.
    #[error("it is never used: {algorithm} before it is for the same sizes and ranks")]
    Covered {
        /// The algorithm of the row before it.
        algorithm: &'static str,
    },
    /// Rows make more ranges than there is room for.
    #[error("{kind} has {ranges} ranges of sizes with it, and room for {ROOM}")]
    TooMany {
        /// The kind of instruction.
        kind: &'static str,
        /// How many ranges there would be.
        ranges: usize,
    },
}

/// The ranges for one situation.
#[derive(Debug)]
struct Entry<A> {
    situation: Situation,
    /// None if no row can serve.
    ranges: Option<Ranges<A, MOST_RANGES>>,
    next: OnceLock<Box<Entry<A>>>,
}

/// The algorithms of one kind of instruction; written by `choices!`.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// The kind's name.
    const KIND: &'static str;

    /// What decides as the size, in words; nothing where no size is known to all members.
    const SIZE: Option<&'static str>;

    /// All algorithms of the kind.
    const ALL: &'static [Self];

    /// The rows that serve where nothing else is installed.
    const DEFAULT: &'static [Row<Self>];

    /// The algorithm's name: that of its file, where it has one.
    fn name(self) -> &'static str;

    /// What the algorithm asks of an operation.
    fn needs(self) -> Needs;

    /// The kind's table in this process.
    fn table() -> &'static Table<Self>;

    /// The algorithm of that name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }
}

/// The table of a kind in this process.
#[derive(Debug)]
pub struct Table<A> {
    installed: OnceLock<Vec<Row<A>>>,
    lists: [OnceLock<Box<Entry<A>>>; LISTS],
    /// How often each algorithm was taken, in the order of `ALL`.
    uses: [AtomicU64; MOST_ALGORITHMS],
}

impl<A: Choice> Table<A> {
    /// A table of the default rows.
    #[expect(clippy::new_without_default, reason = "Default is not const")]
    pub const fn new() -> Self {
        Self {
            installed: OnceLock::new(),
            lists: [const { OnceLock::new() }; LISTS],
            uses: [const { AtomicU64::new(0) }; MOST_ALGORITHMS],
        }
    }

    /// Counts that an algorithm was taken.
    pub fn count(&self, algorithm: A) {
        const { assert!(A::ALL.len() <= MOST_ALGORITHMS) };
        if let Some(index) = A::ALL.iter().position(|one| *one == algorithm) {
            // Relaxed, in two steps: threads that meet here lose a count, and gain time.
            let uses = self.uses[index].load(Ordering::Relaxed);
            self.uses[index].store(uses + 1, Ordering::Relaxed);
        }
    }

    /// Each algorithm that was taken, and how often.
    pub fn uses(&self) -> impl Iterator<Item = (A, u64)> {
        let counts = self.uses.iter().map(|uses| uses.load(Ordering::Relaxed));
        A::ALL
            .iter()
            .copied()
            .zip(counts)
            .filter(|taken| taken.1 > 0)
    }

    /// Puts rows before the default ones; all members must do the same, before they start an
    /// operation of the kind. Rows of one source are checked before ([`super::Kind::check`]);
    /// those of the next source may lie below them.
    pub fn install(&self, rows: Vec<Row<A>>) -> Result<(), TableError> {
        check_count(&rows)?;
        let installed = self.installed.set(rows);
        installed.map_err(|_| TableError::Installed { kind: A::KIND })
    }

    /// The rows in order of precedence.
    pub fn rows(&self) -> impl Iterator<Item = Row<A>> {
        let installed = self.installed.get_or_init(Vec::new);
        installed.iter().chain(A::DEFAULT).copied()
    }

    /// The ranges of sizes in a situation; nothing if no row can serve it.
    pub fn ranges(&self, situation: Situation) -> Option<&Ranges<A, MOST_RANGES>> {
        let mut link = &self.lists[situation.ranks % LISTS];
        loop {
            let entry = link.get_or_init(|| Box::new(self.entry(situation)));
            if entry.situation == situation {
                return entry.ranges.as_ref();
            }
            link = &entry.next;
        }
    }

    fn entry(&self, situation: Situation) -> Entry<A> {
        let serves =
            |row: &Row<A>| row.covers_members(situation) && row.algorithm.needs().met(situation);
        Entry {
            situation,
            ranges: ranges(self.rows().filter(serves)),
            next: OnceLock::new(),
        }
    }
}

/// Upper bounds of the ranges within which the same rows serve; the last one is `usize::MAX`.
fn bounds_of<A>(rows: &[Row<A>]) -> Vec<usize> {
    let ends = rows.iter().map(|row| row.up_to_bytes);
    let before = rows.iter().filter_map(|row| row.from_bytes.checked_sub(1));
    let mut bounds: Vec<usize> = ends.chain(before).chain([usize::MAX]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    bounds
}

/// The ranges within which the first of `rows` is the same; nothing if there is a size without a
/// row, or more ranges than were checked for.
pub(crate) fn ranges<A: Choice>(
    rows: impl Iterator<Item = Row<A>>,
) -> Option<Ranges<A, MOST_RANGES>> {
    let rows: Vec<Row<A>> = rows.collect();
    Ranges::new(&ranges_of(&rows)?).ok()
}

/// For each range its upper bound and the first row's algorithm, neighbours with the same
/// algorithm as one; nothing if a range has no row.
fn ranges_of<A: Choice>(rows: &[Row<A>]) -> Option<Vec<(usize, A)>> {
    let mut ranges: Vec<(usize, A)> = Vec::new();
    for bound in bounds_of(rows) {
        let first = rows.iter().find(|row| row.covers_size(bound))?.algorithm;
        match ranges.last_mut() {
            Some((end, algorithm)) if *algorithm == first => *end = bound,
            _ => ranges.push((bound, first)),
        }
    }
    Some(ranges)
}

/// Refuses rows that make no sense, with the index of the row.
pub(super) fn check_rows<A: Choice>(rows: &[Row<A>]) -> Result<(), (usize, TableError)> {
    for (index, row) in rows.iter().enumerate() {
        check_row(row, &rows[..index]).map_err(|error| (index, error))?;
    }
    check_count(rows).map_err(|error| (rows.len().saturating_sub(1), error))
}

fn check_count<A: Choice>(rows: &[Row<A>]) -> Result<(), TableError> {
    let all: Vec<Row<A>> = rows.iter().chain(A::DEFAULT).copied().collect();
    let ranges = bounds_of(&all).len();
    if ranges > ROOM {
        return Err(TableError::TooMany {
            kind: A::KIND,
            ranges,
        });
    }
    Ok(())
}

fn check_row<A: Choice>(row: &Row<A>, before: &[Row<A>]) -> Result<(), TableError> {
    if row.from_bytes > row.up_to_bytes {
        return Err(TableError::NoSize {
            from_bytes: row.from_bytes,
            up_to_bytes: row.up_to_bytes,
        });
    }
    if row.least_ranks > row.most_ranks {
        return Err(TableError::NoRanks {
            least: row.least_ranks,
            most: row.most_ranks,
        });
    }
    if A::SIZE.is_none() && (row.from_bytes > 0 || row.up_to_bytes < usize::MAX) {
        return Err(TableError::Sizeless { kind: A::KIND });
    }
    let always = |earlier: &&Row<A>| {
        let needs = earlier.algorithm.needs();
        earlier.covers(row) && (needs == Needs::Nothing || needs == row.algorithm.needs())
    };
    match before.iter().find(always) {
        Some(earlier) => Err(TableError::Covered {
            algorithm: earlier.algorithm.name(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::choice::choices;
    use super::*;
    use proptest::prelude::*;

    choices! {
        /// A kind of its own, so that installing rows changes nothing for other tests.
        Sample, "sample", Some("bytes");
        /// Serves all.
        Any = any, Nothing;
        /// Serves commutative operations.
        Commutative = commutative, Commutative;
        /// Serves powers of two.
        PowerOfTwo = power_of_two, PowerOfTwo;
        => &[Row::new(Sample::Any)];
    }

    choices! {
        /// A kind without sizes.
        Sizeless, "sizeless", None;
        /// Serves all.
        Any = any, Nothing;
        => &[Row::new(Sizeless::Any)];
    }

    fn table(rows: &[Row<Sample>]) -> Table<Sample> {
        let table = Table::new();
        table.install(rows.to_vec()).unwrap();
        table
    }

    #[test]
    fn the_first_row_that_can_serve_is_taken() {
        let table = table(&[
            Row::new(Sample::PowerOfTwo).up_to(100),
            Row::new(Sample::Commutative).up_to(1000).ranks(3, 8),
        ]);
        let chosen = |bytes, ranks, commutative| {
            let situation = Situation::new(ranks, commutative);
            table.ranges(situation).unwrap().select(bytes)
        };
        assert_eq!(chosen(0, 4, true), Sample::PowerOfTwo);
        assert_eq!(chosen(100, 4, true), Sample::PowerOfTwo);
        assert_eq!(chosen(101, 4, true), Sample::Commutative);
        assert_eq!(chosen(1000, 4, true), Sample::Commutative);
        assert_eq!(chosen(1001, 4, true), Sample::Any);
        assert_eq!(chosen(101, 4, false), Sample::Any);
        assert_eq!(chosen(50, 5, true), Sample::Commutative);
        assert_eq!(chosen(50, 9, true), Sample::Any);
        assert_eq!(chosen(101, 2, true), Sample::Any);
        // Asked again, and for a number of members in the same list, the answer is the same.
        assert_eq!(chosen(101, 20, true), Sample::Any);
        assert_eq!(chosen(50, 4, true), Sample::PowerOfTwo);
    }

    #[test]
    fn a_row_for_shared_processors_serves_only_there() {
        let table = table(&[Row::new(Sample::Commutative).up_to(9).oversubscribed()]);
        let chosen = |oversubscribed| {
            let situation = Situation::new(3, true).oversubscribed(oversubscribed);
            table.ranges(situation).unwrap().select(9)
        };
        assert_eq!(chosen(true), Sample::Commutative);
        assert_eq!(chosen(false), Sample::Any);
    }

    #[test]
    fn a_row_may_begin_anywhere() {
        let table = table(&[Row::new(Sample::Commutative).from(10).up_to(19)]);
        let ranges: Vec<_> = table
            .ranges(Situation::new(3, true))
            .unwrap()
            .iter()
            .collect();
        let expected = [
            (9, Sample::Any),
            (19, Sample::Commutative),
            (usize::MAX, Sample::Any),
        ];
        assert_eq!(ranges, expected);
        let single: Vec<_> = table
            .ranges(Situation::new(3, false))
            .unwrap()
            .iter()
            .collect();
        assert_eq!(single, [(usize::MAX, Sample::Any)]);
    }

    #[test]
    fn uses_are_counted() {
        let table = table(&[]);
        assert_eq!(table.uses().count(), 0);
        for algorithm in [Sample::PowerOfTwo, Sample::Any, Sample::PowerOfTwo] {
            table.count(algorithm);
        }
        let uses: Vec<_> = table.uses().collect();
        assert_eq!(uses, [(Sample::Any, 1), (Sample::PowerOfTwo, 2)]);
    }

    #[test]
    fn rows_are_installed_once_and_before_use() {
        let table = table(&[]);
        let again = table.install(Vec::new());
        assert_eq!(again, Err(TableError::Installed { kind: "sample" }));
        let used = Table::<Sample>::new();
        assert!(used.ranges(Situation::new(2, true)).is_some());
        assert!(used.install(Vec::new()).is_err());
    }

    #[test]
    fn rows_that_make_no_sense_are_refused() {
        let refused = |rows: &[Row<Sample>]| check_rows(rows).unwrap_err();
        let any = Row::new(Sample::Any);
        let (index, error) = refused(&[any.up_to(9), any.from(10).up_to(9)]);
        assert_eq!(index, 1);
        assert!(error.to_string().contains("from 10 up to 9"), "{error}");
        assert!(matches!(
            refused(&[any.ranks(3, 2)]),
            (0, TableError::NoRanks { .. })
        ));
        let covered = [any.up_to(100), Row::new(Sample::PowerOfTwo).up_to(50)];
        assert!(matches!(refused(&covered), (1, TableError::Covered { .. })));
        // Where the row before it needs something, it is not always taken.
        let sometimes = [Row::new(Sample::PowerOfTwo).up_to(50), any.up_to(50)];
        assert_eq!(check_rows(&sometimes), Ok(()));
        let many: Vec<_> = (1..=MOST_RANGES)
            .map(|bound| Row::new(Sample::Commutative).up_to(bound))
            .collect();
        let many: Vec<_> = many.iter().rev().copied().collect();
        assert!(matches!(
            refused(&many[..2]),
            (1, TableError::Covered { .. })
        ));
        let many: Vec<_> = (1..=MOST_RANGES)
            .map(|bound| Row::new(Sample::Commutative).from(bound).up_to(bound))
            .collect();
        assert!(matches!(refused(&many), (_, TableError::TooMany { .. })));
        assert_eq!(check_rows(&many[..ROOM - 2]), Ok(()));
    }

    #[test]
    fn a_kind_without_sizes_takes_none() {
        let row = Row::new(Sizeless::Any);
        assert_eq!(check_rows(&[row]), Ok(()));
        assert!(matches!(
            check_rows(&[row.up_to(5)]),
            Err((0, TableError::Sizeless { kind: "sizeless" }))
        ));
    }

    fn any_row() -> impl Strategy<Value = Row<Sample>> {
        let algorithm = prop::sample::select(Sample::ALL);
        let ends = (0usize..40, 0usize..40, 0usize..6, 0usize..6);
        (algorithm, ends, any::<bool>()).prop_map(|(algorithm, ends, oversubscribed)| {
            let (one, other, few, many) = ends;
            let row = Row::new(algorithm)
                .from(one.min(other))
                .up_to(one.max(other))
                .ranks(few.min(many), few.max(many));
            if oversubscribed {
                row.oversubscribed()
            } else {
                row
            }
        })
    }

    proptest! {
        #[test]
        fn ranges_say_what_the_rows_say(
            rows in prop::collection::vec(any_row(), 0..12),
            ranks in 1usize..7,
            commutative in any::<bool>(),
            oversubscribed in any::<bool>(),
        ) {
            let table = Table::new();
            // Whatever the rows are, also where one covers another.
            table.installed.set(rows.clone()).unwrap();
            let situation = Situation::new(ranks, commutative).oversubscribed(oversubscribed);
            let ranges = table.ranges(situation).unwrap();
            for bytes in 0..50 {
                let serves = |row: &&Row<Sample>| {
                    row.covers_size(bytes)
                        && row.covers_members(situation)
                        && row.algorithm.needs().met(situation)
                };
                let first = rows.iter().find(serves).map_or(Sample::Any, |row| row.algorithm);
                prop_assert_eq!(ranges.select(bytes), first, "{} bytes", bytes);
            }
        }
    }
}
