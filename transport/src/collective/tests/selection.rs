//! Selection: an algorithm that cannot serve is refused, and every kind is listed.

use crate::collective::select::{Choice, check_in};
use crate::collective::*;
use crate::selection::{KINDS, Situation};

#[test]
fn an_unsuitable_algorithm_is_refused() {
    let doubling = moving::allgather::Algorithm::RecursiveDoubling;
    assert!(check_in(doubling, Situation::new(4, false)).is_ok());
    let error = check_in(
        combining::reduce::Algorithm::Binomial,
        Situation::new(4, false),
    )
    .unwrap_err();
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
    check_kind::<moving::broadcast::Algorithm>();
    check_kind::<combining::reduce::Algorithm>();
    check_kind::<combining::allreduce::Algorithm>();
    check_kind::<moving::gather::Algorithm>();
    check_kind::<moving::gatherv::Algorithm>();
    check_kind::<moving::scatter::Algorithm>();
    check_kind::<moving::scatterv::Algorithm>();
    check_kind::<moving::allgather::Algorithm>();
    check_kind::<moving::allgatherv::Algorithm>();
    check_kind::<moving::alltoall::Algorithm>();
    check_kind::<moving::alltoallv::Algorithm>();
    check_kind::<moving::alltoall_in_place::Algorithm>();
    check_kind::<combining::reduce_scatter::Algorithm>();
    check_kind::<combining::scan::Algorithm>();
    check_kind::<combining::exscan::Algorithm>();
    check_kind::<neighbor::Algorithm>();
}

/// The built-in way to swap blocks of `bytes` bytes where ranks share processors.
fn oversubscribed_alltoall(
    ranks: usize,
    has_board: bool,
    bytes: usize,
) -> moving::alltoall::Algorithm {
    let situation = Situation::new(ranks, true)
        .oversubscribed(true)
        .board(has_board);
    let mut rows = moving::alltoall::Algorithm::DEFAULT.iter();
    let row = rows.find(|row| {
        row.covers_size(bytes)
            && row.covers_members(situation)
            && row.algorithm.needs().met(situation)
    });
    row.expect("some row serves").algorithm
}

#[test]
fn who_shares_processors_swaps_short_blocks_at_once() {
    use crate::collective::moving::alltoall::Algorithm::{Linear, Pairwise, Posted};
    for ranks in [4, 100] {
        assert_eq!(oversubscribed_alltoall(ranks, true, 8), Posted);
        assert_eq!(oversubscribed_alltoall(ranks, false, 8), Linear);
        assert_eq!(oversubscribed_alltoall(ranks, false, 2048), Linear);
    }
    let long = [16 << 10, 64 << 10, 1 << 20];
    assert_eq!(
        long.map(|bytes| oversubscribed_alltoall(4, true, bytes)),
        [Linear, Pairwise, Linear]
    );
    assert_eq!(
        long.map(|bytes| oversubscribed_alltoall(100, true, bytes)),
        [Posted; 3]
    );
}
