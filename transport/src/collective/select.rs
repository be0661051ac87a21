//! Which algorithm serves a collective operation.
//!
//! Each kind of collective has a table ([`crate::selection`]): rows of algorithm, sizes and
//! numbers of members. [`choose`] asks it, [`check`] refuses an algorithm that cannot serve.
//!
//! Invariant: what decides is the same at all members (bytes all of them know, number of members,
//! commutativity), or they would run different algorithms.
//!
//! To add an algorithm: one file with an `async fn` of the file's name, its line in
//! the kind's `algorithms!` list, and a row in the list behind it where it is the fastest.

use super::error::CollectiveError;

pub use crate::selection::{Choice, Row};

/// The algorithm that the kind's table names for an operation.
pub fn choose<A: Choice>(
    bytes: usize,
    ranks: usize,
    commutative: bool,
) -> Result<A, CollectiveError> {
    match A::table().ranges(ranks, commutative) {
        Some(ranges) => {
            let algorithm = ranges.select(bytes);
            A::table().count(algorithm);
            Ok(algorithm)
        }
        None => Err(CollectiveError::NoAlgorithm {
            kind: A::KIND,
            bytes,
            ranks,
        }),
    }
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
        $kind:literal, $size:expr;
        run( $($argument:ident : $type:ty),* $(,)? );
        $( $(#[$about_one:meta])* $variant:ident = $module:ident, $needs:ident; )+
        => $table:expr;
    ) => {
        $crate::selection::choices! {
            $(#[$about])*
            Algorithm, $kind, $size;
            $( $(#[$about_one])* $variant = $module, $needs; )+
            => $table;
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
