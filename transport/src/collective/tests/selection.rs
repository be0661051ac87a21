//! Selection: an algorithm that cannot serve is refused, and every kind is listed.

use crate::collective::select::{Choice, check_in};
use crate::collective::*;
use crate::selection::{KINDS, Situation};

#[test]
fn an_unsuitable_algorithm_is_refused() {
    let doubling = allgather::Algorithm::RecursiveDoubling;
    assert!(check_in(doubling, Situation::new(4, false)).is_ok());
    let error = check_in(reduce::Algorithm::Binomial, Situation::new(4, false)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "reduce algorithm binomial cannot serve 4 ranks with a non-commutative operation: \
         it needs a commutative operation"
    );
}

/// Names lead back to their algorithms, and the kind can be configured.
fn check_kind<A: Choice + std::fmt::Debug>() {
    for &algorithm in A::ALL {
        assert_eq!(A::from_name(algorithm.name()), Some(algorithm));
    }
    assert_eq!(A::from_name("no such algorithm"), None);
    assert!(
        KINDS.iter().any(|kind| kind.name() == A::KIND),
        "{}",
        A::KIND
    );
}

#[test]
fn every_kind_can_be_configured() {
    check_kind::<barrier::Algorithm>();
    check_kind::<broadcast::Algorithm>();
    check_kind::<reduce::Algorithm>();
    check_kind::<allreduce::Algorithm>();
    check_kind::<gather::Algorithm>();
    check_kind::<gatherv::Algorithm>();
    check_kind::<scatter::Algorithm>();
    check_kind::<scatterv::Algorithm>();
    check_kind::<allgather::Algorithm>();
    check_kind::<allgatherv::Algorithm>();
    check_kind::<alltoall::Algorithm>();
    check_kind::<alltoallv::Algorithm>();
    check_kind::<alltoall_in_place::Algorithm>();
    check_kind::<reduce_scatter::Algorithm>();
    check_kind::<scan::Algorithm>();
    check_kind::<exscan::Algorithm>();
    check_kind::<neighbor::Algorithm>();
}
