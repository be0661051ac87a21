//! Operations of reductions and of accumulating one-sided calls (MPI-5.0 sections 6.9 and 12.3.4).
//!
//! An [`Op`] is predefined ([`pamir_transport::operation`]) or the application's.
//!
//! Step before: a collective algorithm or an accumulate that has both operands
//! in memory. Step after: [`combine`], or the application's function.

mod user;

pub use pamir_transport::operation::{
    Operation, OperationError, TypeGroup, combine, combine_out_of_place, extent_bytes,
};
pub use user::{UserFunction, UserOperation};

/// An operation as a reduction's argument: predefined, or the application's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// One of the standard's.
    Predefined(Operation),
    /// Made by `MPI_Op_create`.
    User(UserOperation),
}

impl Op {
    /// Whether operands may change places (`MPI_Op_commutative`).
    pub fn is_commutative(&self) -> bool {
        match self {
            Self::Predefined(operation) => operation.is_commutative(),
            Self::User(operation) => operation.is_commutative(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predefined_operations_commute_unless_they_choose_by_position() {
        for operation in Operation::ALL {
            let by_position = matches!(operation, Operation::Replace | Operation::NoOperation);
            assert_eq!(Op::Predefined(operation).is_commutative(), !by_position);
        }
    }
}
