//! Tables: which row serves, and that every kind's table serves everything.

use std::sync::OnceLock;

use crate::collective::select::{Choice, InstallError, Needs, Row, check, choose, install, select};
use crate::collective::*;

/// A kind of its own, so that installing a table changes nothing for other tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sample {
    Any,
    Commutative,
    PowerOfTwo,
}

impl Choice for Sample {
    const KIND: &'static str = "sample";
    const ALL: &'static [Self] = &[Self::Any, Self::Commutative, Self::PowerOfTwo];
    const DEFAULT: &'static [Row<Self>] = &[Row::new(Self::Any)];

    fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Commutative => "commutative",
            Self::PowerOfTwo => "power_of_two",
        }
    }

    fn needs(self) -> Needs {
        match self {
            Self::Any => Needs::Nothing,
            Self::Commutative => Needs::Commutative,
            Self::PowerOfTwo => Needs::PowerOfTwo,
        }
    }

    fn installed() -> &'static OnceLock<Vec<Row<Self>>> {
        static INSTALLED: OnceLock<Vec<Row<Sample>>> = OnceLock::new();
        &INSTALLED
    }
}

#[test]
fn the_row_is_the_sum_of_comparisons_over_rows_that_serve() {
    let rows = [
        Row::new(Sample::PowerOfTwo).up_to(100),
        Row::new(Sample::Commutative).up_to(1000).ranks(3, 8),
        Row::new(Sample::Any),
    ];
    let chosen = |bytes, ranks, commutative| select(&rows, bytes, ranks, commutative);
    assert_eq!(chosen(0, 4, true), Some(Sample::PowerOfTwo));
    assert_eq!(chosen(100, 4, true), Some(Sample::PowerOfTwo));
    assert_eq!(chosen(101, 4, true), Some(Sample::Commutative));
    assert_eq!(chosen(1000, 4, true), Some(Sample::Commutative));
    assert_eq!(chosen(1001, 4, true), Some(Sample::Any));
    assert_eq!(chosen(101, 4, false), Some(Sample::Any));
    assert_eq!(chosen(50, 5, true), Some(Sample::Commutative));
    assert_eq!(chosen(50, 9, true), Some(Sample::Any));
    assert_eq!(chosen(101, 2, true), Some(Sample::Any));
    assert_eq!(select(&rows[..1], 101, 4, true), None);
}

#[test]
fn an_installed_table_comes_before_the_default() {
    let falling = vec![
        Row::new(Sample::Any).up_to(9),
        Row::new(Sample::Any).up_to(8),
    ];
    let unsorted = InstallError::Unsorted {
        kind: "sample",
        row: 1,
    };
    assert_eq!(install(falling), Err(unsorted));
    assert_eq!(choose(0, 4, true), Ok(Sample::Any));
    install(vec![Row::new(Sample::PowerOfTwo).up_to(10)]).unwrap();
    assert_eq!(choose(10, 4, true), Ok(Sample::PowerOfTwo));
    // Beyond what the installed table lists the default one serves.
    assert_eq!(choose(11, 4, true), Ok(Sample::Any));
    assert_eq!(choose(10, 5, true), Ok(Sample::Any));
    let again = install::<Sample>(Vec::new());
    assert_eq!(again, Err(InstallError::Installed { kind: "sample" }));
}

#[test]
fn an_unsuitable_algorithm_is_refused() {
    assert!(check(Sample::PowerOfTwo, 4, false).is_ok());
    let error = check(Sample::Commutative, 4, false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sample algorithm commutative cannot serve 4 ranks with a non-commutative operation: \
         it needs a commutative operation"
    );
}

/// Every size, number of members and operator finds an algorithm that can serve it, names lead
/// back to their algorithms, and bounds rise.
fn check_kind<A: Choice + std::fmt::Debug>() {
    for &algorithm in A::ALL {
        assert_eq!(A::from_name(algorithm.name()), Some(algorithm));
    }
    assert_eq!(A::from_name("no such algorithm"), None);
    let bounds = A::DEFAULT.iter().map(|row| row.up_to_bytes);
    assert!(bounds.is_sorted(), "{}", A::KIND);
    for ranks in 1..=70 {
        for bits in 0..64 {
            for bytes in [(1 << bits) - 1, 1 << bits, usize::MAX] {
                for commutative in [false, true] {
                    let algorithm = choose::<A>(bytes, ranks, commutative).unwrap();
                    assert!(algorithm.needs().met(ranks, commutative));
                }
            }
        }
    }
}

#[test]
fn every_table_serves_everything() {
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
