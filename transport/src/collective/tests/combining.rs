//! Reduce and allreduce.

use crate::selection::Situation;
use proptest::prelude::*;

use super::operators::{Compose, Sum, combined, contribution};
use super::simulation::{Random, SIZES, roots, run_all};
use crate::collective::combining::{allreduce, reduce};
use crate::collective::data::root::ToRoot;
use crate::collective::reduction::Reduction;
use crate::collective::select::Choice;

fn contributions(reduction: &impl Reduction, size: usize, elements: usize) -> Vec<Vec<u8>> {
    let mut random = Random((size * 1000 + elements) as u64);
    (0..size)
        .map(|_| contribution(&mut random, elements * reduction.element_bytes()))
        .collect()
}

fn check_reduce(reduction: &impl Reduction, size: usize, root: usize, elements: usize) {
    let buffers = contributions(reduction, size, elements);
    let expected = combined(reduction, &buffers);
    for &algorithm in reduce::Algorithm::ALL {
        if !algorithm
            .needs()
            .met(Situation::new(size, reduction.commutative()).board(true))
        {
            continue;
        }
        let outputs = run_all(
            root as u64,
            &buffers,
            async |exchange, buffer: &mut Vec<u8>| {
                let is_root = root == crate::collective::Exchange::rank(exchange);
                let buffer = if is_root {
                    ToRoot::Root(buffer)
                } else {
                    ToRoot::Member(buffer)
                };
                reduce::reduce_with(algorithm, exchange, reduction, root, buffer).await
            },
        );
        for output in outputs {
            assert_eq!(
                output[root], expected,
                "{algorithm:?} on {size}, root {root}, {elements} elements"
            );
        }
    }
}

fn check_allreduce(reduction: &impl Reduction, size: usize, elements: usize) {
    let buffers = contributions(reduction, size, elements);
    let expected = combined(reduction, &buffers);
    for &algorithm in allreduce::Algorithm::ALL {
        if !algorithm
            .needs()
            .met(Situation::new(size, reduction.commutative()).board(true))
        {
            continue;
        }
        let outputs = run_all(7, &buffers, async |exchange, buffer: &mut Vec<u8>| {
            allreduce::allreduce_with(algorithm, exchange, reduction, buffer).await
        });
        for output in outputs.iter().flatten() {
            assert_eq!(
                *output, expected,
                "{algorithm:?} on {size}, {elements} elements"
            );
        }
    }
}

#[test]
fn reduce_combines_in_the_order_of_ranks() {
    for size in SIZES {
        for root in roots(size) {
            for elements in [0, 1, 3, 17, size + 1] {
                check_reduce(&Compose, size, root, elements);
                check_reduce(&Sum, size, root, elements);
            }
        }
    }
}

#[test]
fn allreduce_combines_in_the_order_of_ranks() {
    for size in SIZES {
        for elements in [0, 1, 2, 7, 64, size + 1] {
            check_allreduce(&Compose, size, elements);
            check_allreduce(&Sum, size, elements);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn reductions_of_any_shape(size in 1usize..=70, root in 0usize..70, elements in 0usize..200) {
        check_reduce(&Compose, size, root % size, elements);
        check_reduce(&Sum, size, root % size, elements);
        check_allreduce(&Compose, size, elements);
        check_allreduce(&Sum, size, elements);
    }
}
