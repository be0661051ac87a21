//! Reduce-scatter, scan and exclusive scan.

use crate::selection::Situation;
use proptest::prelude::*;

use super::operators::{Compose, Sum, combined, contribution};
use super::simulation::{Random, SIZES, run_all};
use crate::collective::select::Choice;
use crate::collective::*;

fn choices<A: Choice>(size: usize, reduction: &impl Reduction) -> Vec<Option<A>> {
    A::ALL
        .iter()
        .copied()
        .filter(|algorithm| {
            algorithm
                .needs()
                .met(Situation::new(size, reduction.commutative()).board(true))
        })
        .map(Some)
        .chain([None])
        .collect()
}

fn contributions(reduction: &impl Reduction, size: usize, elements: usize) -> Vec<Vec<u8>> {
    let mut random = Random((size * 1000 + elements) as u64);
    (0..size)
        .map(|_| contribution(&mut random, elements * reduction.element_bytes()))
        .collect()
}

/// `elements` elements for each member, or random numbers of them where it is `None`.
fn check_reduce_scatter(
    reduction: &impl Reduction,
    size: usize,
    elements: Option<usize>,
    seed: u64,
) {
    let mut random = Random(seed);
    let counts: Vec<_> = (0..size)
        .map(|_| elements.unwrap_or_else(|| random.below(4)) * reduction.element_bytes())
        .collect();
    let displacements: Vec<_> = (0..size).map(|rank| counts[..rank].iter().sum()).collect();
    let total: usize = counts.iter().sum();
    let blocks = match elements {
        Some(elements) => Blocks::Uniform {
            bytes: elements * reduction.element_bytes(),
        },
        None => Blocks::Listed {
            counts: &counts,
            displacements: &displacements,
        },
    };
    let inputs = contributions(reduction, size, total / reduction.element_bytes());
    let expected = combined(reduction, &inputs);
    let members: Vec<_> = (0..size)
        .map(|rank| (inputs[rank].clone(), vec![0; counts[rank]]))
        .collect();
    for choice in choices::<combining::reduce_scatter::Algorithm>(size, reduction) {
        let outputs = run_all(
            seed,
            &members,
            async |exchange, (input, output)| match choice {
                Some(algorithm) => {
                    reduce_scatter_with(algorithm, exchange, reduction, blocks, input, output).await
                }
                None => reduce_scatter(exchange, reduction, blocks, input, output).await,
            },
        );
        for members in outputs {
            for (rank, (_, output)) in members.iter().enumerate() {
                assert_eq!(
                    *output,
                    expected[blocks.range(rank)],
                    "{choice:?} on {size}, rank {rank}, counts {counts:?}"
                );
            }
        }
    }
}

fn check_scans(reduction: &impl Reduction, size: usize, elements: usize) {
    let buffers = contributions(reduction, size, elements);
    for choice in choices::<combining::scan::Algorithm>(size, reduction) {
        let outputs = run_all(
            4,
            &buffers,
            async |exchange, buffer: &mut Vec<u8>| match choice {
                Some(algorithm) => scan_with(algorithm, exchange, reduction, buffer).await,
                None => scan(exchange, reduction, buffer).await,
            },
        );
        for output in outputs {
            for rank in 0..size {
                let expected = combined(reduction, &buffers[..=rank]);
                assert_eq!(output[rank], expected, "{choice:?} on {size}, rank {rank}");
            }
        }
    }
    for choice in choices::<combining::exscan::Algorithm>(size, reduction) {
        let outputs = run_all(
            4,
            &buffers,
            async |exchange, buffer: &mut Vec<u8>| match choice {
                Some(algorithm) => exscan_with(algorithm, exchange, reduction, buffer).await,
                None => exscan(exchange, reduction, buffer).await,
            },
        );
        for output in outputs {
            assert_eq!(output[0], buffers[0], "{choice:?} changed rank 0");
            for rank in 1..size {
                let expected = combined(reduction, &buffers[..rank]);
                assert_eq!(output[rank], expected, "{choice:?} on {size}, rank {rank}");
            }
        }
    }
}

#[test]
fn reduce_scatter_gives_each_member_its_block() {
    for size in SIZES {
        for elements in [Some(0), Some(1), Some(3), None] {
            check_reduce_scatter(&Compose, size, elements, size as u64);
            check_reduce_scatter(&Sum, size, elements, size as u64);
        }
    }
}

#[test]
fn scans_combine_the_ranks_up_to_each_member() {
    for size in SIZES {
        for elements in [0, 1, 5] {
            check_scans(&Compose, size, elements);
            check_scans(&Sum, size, elements);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn combining_of_any_shape(size in 1usize..=70, elements in 0usize..50, seed in any::<u64>()) {
        check_reduce_scatter(&Compose, size, None, seed);
        check_reduce_scatter(&Sum, size, None, seed);
        check_reduce_scatter(&Sum, size, Some(elements), seed);
        check_scans(&Compose, size, elements);
        check_scans(&Sum, size, elements);
    }
}
