//! Which algorithm serves an operation.
//!
//! Each kind of collective has a table of rows (algorithm, upper bound in bytes,
//! bounds of ranks). The row is found as the sum of comparisons (size > bound)
//! over the rows that can serve the members and the operator:
//!
//! ```text
//!   rows that can serve   up to 2 KiB   up to 64 KiB   any size
//!   16 KiB > bound ?          1     +        0      +      0     = 1 -> second row
//! ```
//!
//! Tables are data: [`install`] replaces a kind's table at start with a tuned one,
//! or with one whose single row forces an algorithm.
//!
//! Invariant: what decides is the same at all members (bytes all of them know,
//! number of members, commutativity), or they would run different algorithms.
//!
//! To add an algorithm: one file with an `async fn` of the file's name, its line in
//! the kind's `algorithms!` list, and a row in a table where it is the fastest.

use std::sync::OnceLock;

use super::error::CollectiveError;

/// What an algorithm asks of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Needs {
    /// Serves everything.
    Nothing,
    /// The operator is commutative.
    Commutative,
    /// The number of members is a power of two.
    PowerOfTwo,
}

impl Needs {
    /// Whether `ranks` members with an operator of this commutativity are served.
    pub fn met(self, ranks: usize, commutative: bool) -> bool {
        match self {
            Self::Nothing => true,
            Self::Commutative => commutative,
            Self::PowerOfTwo => ranks.is_power_of_two(),
        }
    }

    /// The need in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Commutative => "a commutative operation",
            Self::PowerOfTwo => "a power of two of ranks",
        }
    }
}

/// The algorithms of one kind of collective; written by `algorithms!`.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// The kind's name.
    const KIND: &'static str;

    /// All algorithms of the kind.
    const ALL: &'static [Self];

    /// The table that serves where none is installed.
    const DEFAULT: &'static [Row<Self>];

    /// The algorithm's name: that of its file.
    fn name(self) -> &'static str;

    /// What the algorithm asks of an operation.
    fn needs(self) -> Needs;

    /// Where the kind's tuned table is kept.
    fn installed() -> &'static OnceLock<Vec<Row<Self>>>;

    /// The algorithm of that name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }
}

/// One line of a table: an algorithm, and up to where it is the fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<A> {
    /// The algorithm.
    pub algorithm: A,
    /// Largest size it is used for, in bytes.
    pub up_to_bytes: usize,
    /// Fewest members it is used for.
    pub least_ranks: usize,
    /// Most members it is used for.
    pub most_ranks: usize,
}

impl<A: Copy> Row<A> {
    /// A row for any size and any number of members.
    pub const fn new(algorithm: A) -> Self {
        Self {
            algorithm,
            up_to_bytes: usize::MAX,
            least_ranks: 0,
            most_ranks: usize::MAX,
        }
    }

    /// The row, for at most `bytes` bytes.
    pub const fn up_to(mut self, bytes: usize) -> Self {
        self.up_to_bytes = bytes;
        self
    }

    /// The row, for `least` to `most` members.
    pub const fn ranks(mut self, least: usize, most: usize) -> Self {
        self.least_ranks = least;
        self.most_ranks = most;
        self
    }
}

/// The algorithm that `rows` list for an operation, if one does.
pub fn select<A: Choice>(
    rows: &[Row<A>],
    bytes: usize,
    ranks: usize,
    commutative: bool,
) -> Option<A> {
    let serves = |row: &Row<A>| {
        (ranks >= row.least_ranks)
            & (ranks <= row.most_ranks)
            & row.algorithm.needs().met(ranks, commutative)
    };
    let exceeded: usize = rows
        .iter()
        .map(|row| usize::from(serves(row) & (bytes > row.up_to_bytes)))
        .sum();
    rows.iter()
        .filter(|row| serves(row))
        .nth(exceeded)
        .map(|row| row.algorithm)
}

/// The algorithm of the installed table, or else of the default table, for an operation.
pub fn choose<A: Choice>(
    bytes: usize,
    ranks: usize,
    commutative: bool,
) -> Result<A, CollectiveError> {
    A::installed()
        .get()
        .and_then(|rows| select(rows, bytes, ranks, commutative))
        .or_else(|| select(A::DEFAULT, bytes, ranks, commutative))
        .ok_or(CollectiveError::NoAlgorithm {
            kind: A::KIND,
            bytes,
            ranks,
        })
}

/// Why a table was not installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The kind has a tuned table already.
    #[error("{kind} has a tuned table already: install tables once, at start")]
    Installed {
        /// The kind of collective operation.
        kind: &'static str,
    },
    /// Upper bounds do not rise.
    #[error(
        "row {row} of the table for {kind} has a lower bound than the row before it: sort the rows by upper bound"
    )]
    Unsorted {
        /// The kind of collective operation.
        kind: &'static str,
        /// The row's index.
        row: usize,
    },
}

/// Replaces a kind's table in this process; all members must install the same one, before they
/// start an operation of that kind. Where it lists no algorithm, the default table serves.
pub fn install<A: Choice>(rows: Vec<Row<A>>) -> Result<(), InstallError> {
    let falls = rows
        .windows(2)
        .position(|pair| pair[1].up_to_bytes < pair[0].up_to_bytes);
    if let Some(row) = falls {
        return Err(InstallError::Unsorted {
            kind: A::KIND,
            row: row + 1,
        });
    }
    A::installed()
        .set(rows)
        .map_err(|_| InstallError::Installed { kind: A::KIND })
}

/// Refuses an algorithm that cannot serve an operation.
pub fn check<A: Choice>(
    algorithm: A,
    ranks: usize,
    commutative: bool,
) -> Result<(), CollectiveError> {
    let needs = algorithm.needs();
    if needs.met(ranks, commutative) {
        Ok(())
    } else {
        Err(CollectiveError::Unsuitable {
            kind: A::KIND,
            algorithm: algorithm.name(),
            ranks,
            commutative,
            needs: needs.words(),
        })
    }
}

/// Registers the algorithms of a kind: an enum with one line an algorithm, and `run`, which calls
/// the function that has the name of its file.
macro_rules! algorithms {
    (@dispatch $algorithm:ident, $arguments:tt, $($variant:ident $module:ident)+) => {
        match $algorithm {
            $( Self::$variant => $module::$module $arguments .await, )+
        }
    };
    (
        $(#[$about:meta])*
        $kind:literal ( $($argument:ident : $type:ty),* $(,)? );
        $( $(#[$about_one:meta])* $variant:ident = $module:ident, $needs:ident; )+
        => $table:expr;
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Algorithm {
            $( $(#[$about_one])* $variant, )+
        }

        impl $crate::collective::select::Choice for Algorithm {
            const KIND: &'static str = $kind;
            const ALL: &'static [Self] = &[$( Self::$variant, )+];
            const DEFAULT: &'static [$crate::collective::select::Row<Self>] = $table;

            fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => stringify!($module), )+
                }
            }

            fn needs(self) -> $crate::collective::select::Needs {
                match self {
                    $( Self::$variant => $crate::collective::select::Needs::$needs, )+
                }
            }

            fn installed()
            -> &'static std::sync::OnceLock<Vec<$crate::collective::select::Row<Self>>> {
                static INSTALLED: std::sync::OnceLock<
                    Vec<$crate::collective::select::Row<Algorithm>>,
                > = std::sync::OnceLock::new();
                &INSTALLED
            }
        }

        impl Algorithm {
            /// Runs the algorithm; the arguments have been checked.
            async fn run(
                self,
                exchange: &impl $crate::collective::exchange::Exchange,
                $( $argument: $type, )*
            ) -> Result<(), $crate::collective::error::CollectiveError> {
                $crate::collective::select::algorithms!(
                    @dispatch self, (exchange, $($argument),*), $($variant $module)+
                )
            }
        }
    };
}
pub(in crate::collective) use algorithms;
