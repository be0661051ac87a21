//! The numbers of messages and bytes that the algorithms' headers promise.

use std::collections::BTreeMap;

use super::operators::Sum;
use super::simulation::{Member, Network, Running, Setting};
use crate::collective::data::root::{FromRoot, ToRoot};
use crate::collective::*;

/// What the busiest of `size` members sends: most messages, and most bytes.
fn busiest(
    size: usize,
    member: impl AsyncFn(&Member<'_>) -> Result<(), CollectiveError>,
) -> (usize, usize) {
    let network = Network::new(Setting {
        eager_bytes: 0,
        seed: None,
    });
    let members = (0..size)
        .map(|rank| {
            let exchange = network.member(rank, size);
            let member = &member;
            Box::pin(async move { member(&exchange).await }) as Running<'_, ()>
        })
        .collect();
    for output in network.run(members) {
        output.unwrap();
    }
    let sent: Vec<_> = (0..size).map(|rank| network.sent_by(rank)).collect();
    (
        sent.iter().map(|&(messages, _)| messages).max().unwrap(),
        sent.iter().map(|&(_, bytes)| bytes).max().unwrap(),
    )
}

const BYTES: usize = 6400;

/// log2, rounded up.
fn log(size: usize) -> usize {
    size.next_power_of_two().ilog2() as usize
}

#[test]
fn barrier_and_broadcast_send_as_written() {
    for size in [2, 4, 5, 8, 16, 64] {
        let run = |algorithm| {
            busiest(size, async |exchange| {
                barrier_with(algorithm, exchange).await
            })
        };
        assert_eq!(run(barrier::Algorithm::Dissemination), (log(size), 0));
        assert_eq!(run(barrier::Algorithm::Tree), (log(size), 0));

        let run = |algorithm| {
            busiest(size, async |exchange| {
                broadcast_with(algorithm, exchange, 1, &mut [0; BYTES]).await
            })
        };
        use crate::collective::moving::broadcast::Algorithm::*;
        assert_eq!(run(Linear), (size - 1, (size - 1) * BYTES));
        assert_eq!(run(Binomial), (log(size), log(size) * BYTES));
        let fanout = if size == 2 { 1 } else { 2 };
        assert_eq!(run(BinaryTree), (fanout, fanout * BYTES));
        let (messages, bytes) = run(ScatterRingAllgather);
        assert_eq!(messages, log(size) + size - 1);
        assert!(bytes <= 2 * BYTES, "{bytes}");
        assert_eq!(run(PipelinedChain), (1, BYTES));
    }
}

#[test]
fn reductions_send_as_written() {
    for size in [2, 4, 8, 16, 64] {
        let run = |algorithm| {
            busiest(size, async |exchange| {
                allreduce_with(algorithm, exchange, &Sum, &mut [0; BYTES]).await
            })
        };
        use crate::collective::combining::allreduce::Algorithm::*;
        assert_eq!(run(RecursiveDoubling), (log(size), log(size) * BYTES));
        assert_eq!(run(ReduceBroadcast), (log(size), log(size) * BYTES));
        let least = 2 * BYTES * (size - 1) / size;
        assert_eq!(run(Ring), (2 * (size - 1), least));
        let (messages, bytes) = run(Rabenseifner);
        assert_eq!(messages, 2 * log(size));
        assert!(bytes >= least && bytes <= 2 * BYTES, "{bytes}");

        let run = |algorithm| {
            busiest(size, async |exchange| {
                let buffer = &mut [0; BYTES];
                let buffer = if exchange.rank() == 0 {
                    ToRoot::Root(buffer)
                } else {
                    ToRoot::Member(buffer)
                };
                reduce_with(algorithm, exchange, &Sum, 0, buffer).await
            })
        };
        assert_eq!(run(combining::reduce::Algorithm::Linear), (1, BYTES));
        assert_eq!(run(combining::reduce::Algorithm::Binomial), (1, BYTES));
        assert_eq!(
            run(combining::reduce::Algorithm::OrderedBinomial),
            (1, BYTES)
        );

        let run = |algorithm| {
            busiest(size, async |exchange| {
                let blocks = Blocks::Uniform { bytes: 64 };
                let input = vec![0; size * 64];
                reduce_scatter_with(algorithm, exchange, &Sum, blocks, &input, &mut [0; 64]).await
            })
        };
        let least = (size - 1) * 64;
        assert_eq!(
            run(combining::reduce_scatter::Algorithm::Pairwise),
            (size - 1, least)
        );
        assert_eq!(
            run(combining::reduce_scatter::Algorithm::RecursiveHalving),
            (log(size), least)
        );
    }
}

#[test]
fn block_operations_send_as_written() {
    for size in [2, 4, 8, 16, 64] {
        let least = (size - 1) * 8;
        let run = |algorithm| {
            busiest(size, async |exchange| {
                allgather_with(algorithm, exchange, &mut vec![0; size * 8]).await
            })
        };
        assert_eq!(run(moving::allgather::Algorithm::Ring), (size - 1, least));
        assert_eq!(run(moving::allgather::Algorithm::Bruck), (log(size), least));
        assert_eq!(
            run(moving::allgather::Algorithm::RecursiveDoubling),
            (log(size), least)
        );

        let run = |algorithm| {
            busiest(size, async |exchange| {
                let outgoing = vec![0; size * 8];
                alltoall_with(algorithm, exchange, &outgoing, &mut vec![0; size * 8]).await
            })
        };
        assert_eq!(run(moving::alltoall::Algorithm::Linear), (size - 1, least));
        assert_eq!(
            run(moving::alltoall::Algorithm::Pairwise),
            (size - 1, least)
        );
        let travelled = size * 8 / 2 * log(size);
        assert_eq!(
            run(moving::alltoall::Algorithm::Bruck),
            (log(size), travelled)
        );

        let gathered = busiest(size, async |exchange| {
            let algorithm = moving::gather::Algorithm::Binomial;
            if exchange.rank() == 0 {
                let all = &mut vec![0; size * 8];
                gather_with(algorithm, exchange, 0, ToRoot::Root(all)).await
            } else {
                gather_with(algorithm, exchange, 0, ToRoot::Member(&[0; 8])).await
            }
        });
        assert_eq!(gathered, (1, size / 2 * 8));
    }
}

/// What each of four members with a board takes from each other one, who had it first: looks and bytes.
fn taken(
    algorithm: impl AsyncFn(&Member<'_>) -> Result<(), CollectiveError>,
) -> BTreeMap<(usize, usize), (usize, usize)> {
    let network = Network::new(Setting {
        eager_bytes: 0,
        seed: None,
    });
    let members = (0..4)
        .map(|rank| {
            let exchange = network.member_with_board(rank, 4);
            let algorithm = &algorithm;
            Box::pin(async move { algorithm(&exchange).await }) as Running<'_, ()>
        })
        .collect();
    for output in network.run(members) {
        output.unwrap();
    }
    network.taken()
}

/// Everybody takes so much from everybody else, in so many looks.
fn among_all(looks: usize, bytes: usize) -> BTreeMap<(usize, usize), (usize, usize)> {
    let pairs = (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
    let pairs = pairs.filter(|(from, to)| from != to);
    pairs.map(|pair| (pair, (looks, bytes))).collect()
}

#[test]
fn members_of_a_board_take_what_they_need_from_whom_they_need_it() {
    let all = |algorithm| {
        taken(async |exchange| allreduce_with(algorithm, exchange, &Sum, &mut [0; 400]).await)
    };
    use crate::collective::combining::allreduce::Algorithm::*;
    assert_eq!(all(Posted), among_all(1, 400));
    // A quarter of the data, then a quarter of the result.
    assert_eq!(all(PostedSlices), among_all(2, 100 + 100));

    use crate::collective::moving::{allgather, alltoall, broadcast};
    for algorithm in [allgather::Algorithm::Posted, allgather::Algorithm::Read] {
        let gathered =
            taken(async |exchange| allgather_with(algorithm, exchange, &mut [0; 400]).await);
        assert_eq!(gathered, among_all(1, 100));
    }
    for algorithm in [alltoall::Algorithm::Posted, alltoall::Algorithm::Read] {
        let swapped = taken(async |exchange| {
            alltoall_with(algorithm, exchange, &[0; 400], &mut [0; 400]).await
        });
        assert_eq!(swapped, among_all(1, 100));
    }
    let met = taken(async |exchange| barrier_with(barrier::Algorithm::Posted, exchange).await);
    assert_eq!(met, among_all(1, 0));

    // Nobody takes anything from the others of a broadcast, nor does a member of a gather.
    let root = |algorithm| {
        taken(async |exchange| broadcast_with(algorithm, exchange, 1, &mut [0; 400]).await)
    };
    let from_root = [0, 2, 3].map(|to| ((1, to), (1, 400)));
    assert_eq!(
        root(broadcast::Algorithm::Posted),
        BTreeMap::from(from_root)
    );
    let gathered = taken(async |exchange| {
        let algorithm = moving::gather::Algorithm::Posted;
        let all = &mut [0; 400];
        if exchange.rank() == 2 {
            gather_with(algorithm, exchange, 2, ToRoot::Root(all)).await
        } else {
            gather_with(algorithm, exchange, 2, ToRoot::Member(&[0; 100])).await
        }
    });
    let to_root = [0, 1, 3].map(|from| ((from, 2), (1, 100)));
    assert_eq!(gathered, BTreeMap::from(to_root));
    let scattered = taken(async |exchange| {
        let algorithm = moving::scatter::Algorithm::Posted;
        let all = &mut [0; 400];
        if exchange.rank() == 2 {
            scatter_with(algorithm, exchange, 2, FromRoot::Root(all)).await
        } else {
            scatter_with(algorithm, exchange, 2, FromRoot::Member(&mut all[..100])).await
        }
    });
    let from_root = [0, 1, 3].map(|to| ((2, to), (1, 100)));
    assert_eq!(scattered, BTreeMap::from(from_root));
}

/// A collective's future lies on the stack of the blocking call, or in a request.
#[test]
fn futures_stay_small() {
    let network = Network::new(Setting {
        eager_bytes: 0,
        seed: None,
    });
    let exchange = &network.member(0, 2);
    let sizes = [
        size_of_val(&barrier(exchange)),
        size_of_val(&broadcast(exchange, 0, &mut [])),
        size_of_val(&reduce(exchange, &Sum, 0, ToRoot::Member(&[]))),
        size_of_val(&allreduce(exchange, &Sum, &mut [])),
        size_of_val(&allgather(exchange, &mut [])),
        size_of_val(&alltoall(exchange, &[], &mut [])),
    ];
    println!("{sizes:?}");
    assert!(sizes.iter().all(|&bytes| bytes <= 4096), "{sizes:?}");
}
