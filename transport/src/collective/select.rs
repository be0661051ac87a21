//! Which algorithm serves a collective operation.
//!
//! Each kind of collective has a table ([`crate::selection`]): rows of algorithm, sizes, numbers
//! of members, and whether they share processors. [`choose`] asks it, [`check`] refuses an algorithm that cannot serve.
//!
//! Invariant: what decides is the same at all members (bytes all of them know, number of members,
//! commutativity, processors), or they would run different algorithms.
//!
//! CONTRIBUTING.md has the recipe for another algorithm.

use super::error::CollectiveError;
use super::exchange::Exchange;

use crate::selection::Situation;
pub use crate::selection::{Choice, Row};

/// The algorithm that the kind's table names for an operation of `bytes` bytes.
pub fn choose<A: Choice>(
    exchange: &impl Exchange,
    bytes: usize,
    commutative: bool,
) -> Result<A, CollectiveError> {
    let situation = situation(exchange, commutative);
    match A::table().ranges(situation) {
        Some(ranges) => {
            let algorithm = ranges.select(bytes);
            A::table().count(algorithm);
            Ok(algorithm)
        }
        None => Err(CollectiveError::NoAlgorithm {
            kind: A::KIND,
            bytes,
            ranks: situation.ranks,
        }),
    }
}

/// What decides about an operation beside its size.
pub(super) fn situation(exchange: &impl Exchange, commutative: bool) -> Situation {
    Situation::new(exchange.size(), commutative)
        .oversubscribed(exchange.is_oversubscribed())
        .board(exchange.board().is_some())
}

/// Refuses an algorithm that cannot serve an operation.
pub fn check<A: Choice>(
    algorithm: A,
    exchange: &impl Exchange,
    commutative: bool,
) -> Result<(), CollectiveError> {
    check_in(algorithm, situation(exchange, commutative))
}

/// Refuses an algorithm that cannot serve in a situation.
pub fn check_in<A: Choice>(algorithm: A, situation: Situation) -> Result<(), CollectiveError> {
    let needs = algorithm.needs();
    if needs.met(situation) {
        Ok(())
    } else {
        Err(CollectiveError::Unsuitable {
            kind: A::KIND,
            algorithm: algorithm.name(),
            ranks: situation.ranks,
            commutative: situation.commutative,
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
