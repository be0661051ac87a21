//! Barrier and broadcast.

use std::cell::Cell;

use proptest::prelude::*;

use super::simulation::{Random, SIZES, roots, run_all};
use crate::collective::barrier;
use crate::collective::moving::broadcast;
use crate::collective::select::Choice;

#[test]
fn nobody_leaves_a_barrier_early() {
    for &algorithm in barrier::Algorithm::ALL {
        for size in SIZES {
            let entered = Cell::new(0);
            let left = Cell::new(0);
            run_all(size as u64, &vec![(); size], async |exchange, _| {
                if left.get() == size {
                    // The setting before this one is over.
                    entered.set(0);
                    left.set(0);
                }
                entered.set(entered.get() + 1);
                barrier::barrier_with(algorithm, exchange).await?;
                assert_eq!(entered.get(), size, "{algorithm:?} on {size}");
                left.set(left.get() + 1);
                Ok(())
            });
        }
    }
}

fn check_broadcast(algorithm: broadcast::Algorithm, size: usize, root: usize, bytes: usize) {
    let mut random = Random((size * 1000 + root) as u64);
    let buffers: Vec<_> = (0..size).map(|_| random.bytes(bytes)).collect();
    let outputs = run_all(
        random.next(),
        &buffers,
        async |exchange, buffer: &mut Vec<u8>| {
            broadcast::broadcast_with(algorithm, exchange, root, buffer).await
        },
    );
    for output in outputs.iter().flatten() {
        assert_eq!(
            *output, buffers[root],
            "{algorithm:?} on {size}, root {root}, {bytes} bytes"
        );
    }
}

#[test]
fn broadcast_reaches_everybody() {
    for &algorithm in broadcast::Algorithm::ALL {
        for size in SIZES {
            for root in roots(size) {
                for bytes in [0, 1, 5, size + 1, 100] {
                    check_broadcast(algorithm, size, root, bytes);
                }
            }
        }
        // More than one segment, the last one short.
        check_broadcast(algorithm, 4, 2, 100_001);
        check_broadcast(algorithm, 5, 0, 65_536);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn broadcast_of_any_shape(size in 1usize..=70, root in 0usize..70, bytes in 0usize..600) {
        for &algorithm in broadcast::Algorithm::ALL {
            check_broadcast(algorithm, size, root % size, bytes);
        }
    }
}
