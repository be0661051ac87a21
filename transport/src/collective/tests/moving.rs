//! Gather, scatter, allgather and alltoall, with equal and listed blocks.

use crate::selection::Situation;
use proptest::prelude::*;

use super::simulation::{Random, SIZES, roots, run_all};
use crate::collective::select::Choice;
use crate::collective::*;

/// What lies between blocks: no operation may change it.
const GAP: u8 = 0xee;

/// A list of blocks of random lengths (some empty) in random order with gaps, and its bytes.
#[derive(Clone, Debug)]
struct Listed {
    counts: Vec<usize>,
    displacements: Vec<usize>,
    bytes: usize,
}

impl Listed {
    fn new(random: &mut Random, counts: Vec<usize>) -> Self {
        let size = counts.len();
        let mut order: Vec<_> = (0..size).collect();
        for last in (1..size).rev() {
            order.swap(last, random.below(last + 1));
        }
        let mut displacements = vec![usize::MAX; size];
        let mut place = random.below(3);
        for index in order {
            if counts[index] > 0 {
                displacements[index] = place;
                place += counts[index] + random.below(3);
            }
        }
        Self {
            counts,
            displacements,
            bytes: place,
        }
    }

    fn blocks(&self) -> Blocks<'_> {
        Blocks::Listed {
            counts: &self.counts,
            displacements: &self.displacements,
        }
    }

    /// A buffer with gaps in which block i holds `content(i)`.
    fn filled(&self, content: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
        let mut buffer = vec![GAP; self.bytes];
        for index in 0..self.counts.len() {
            buffer[self.blocks().range(index)].copy_from_slice(&content(index));
        }
        buffer
    }

    /// A buffer with gaps and zeros in the blocks.
    fn empty(&self) -> Vec<u8> {
        self.filled(|index| vec![0; self.counts[index]])
    }
}

fn random_counts(random: &mut Random, size: usize) -> Vec<usize> {
    (0..size)
        .map(|_| {
            if random.below(3) == 0 {
                0
            } else {
                random.below(20)
            }
        })
        .collect()
}

/// All algorithms of a kind that serve `size` members, and the one its table chooses.
fn choices<A: Choice>(size: usize) -> Vec<Option<A>> {
    A::ALL
        .iter()
        .copied()
        .filter(|algorithm| {
            algorithm
                .needs()
                .met(Situation::new(size, true).board(true))
        })
        .map(Some)
        .chain([None])
        .collect()
}

fn check_gather_scatter(size: usize, root: usize, bytes: usize) {
    let mut random = Random((size * 977 + root * 31 + bytes) as u64);
    let all = random.bytes(size * bytes);
    let block = |rank: usize| all[rank * bytes..(rank + 1) * bytes].to_vec();

    let contributions: Vec<_> = (0..size)
        .map(|rank| {
            let mut buffer = block(rank);
            if rank == root {
                buffer = vec![0; size * bytes];
                buffer[rank * bytes..(rank + 1) * bytes].copy_from_slice(&block(rank));
            }
            buffer
        })
        .collect();
    for choice in choices::<moving::gather::Algorithm>(size) {
        let outputs = run_all(1, &contributions, async |exchange, buffer: &mut Vec<u8>| {
            let buffer = if exchange.rank() == root {
                ToRoot::Root(buffer)
            } else {
                ToRoot::Member(buffer)
            };
            match choice {
                Some(algorithm) => gather_with(algorithm, exchange, root, buffer).await,
                None => gather(exchange, root, buffer).await,
            }
        });
        for output in outputs {
            assert_eq!(output[root], all, "{choice:?} on {size}, root {root}");
        }
    }
    let own = block(root);
    let outputs = run_all(1, &contributions, async |exchange, buffer: &mut Vec<u8>| {
        if exchange.rank() != root {
            return gather(exchange, root, ToRoot::Member(buffer)).await;
        }
        buffer.fill(0);
        gather_out_of_place(exchange, &own, buffer).await
    });
    for output in outputs {
        assert_eq!(output[root], all, "apart on {size}, root {root}");
    }

    let rooms: Vec<_> = (0..size)
        .map(|rank| {
            if rank == root {
                all.clone()
            } else {
                vec![0; bytes]
            }
        })
        .collect();
    for choice in choices::<moving::scatter::Algorithm>(size) {
        let outputs = run_all(1, &rooms, async |exchange, buffer: &mut Vec<u8>| {
            let buffer = if exchange.rank() == root {
                FromRoot::Root(buffer)
            } else {
                FromRoot::Member(buffer)
            };
            match choice {
                Some(algorithm) => scatter_with(algorithm, exchange, root, buffer).await,
                None => scatter(exchange, root, buffer).await,
            }
        });
        for output in outputs {
            for rank in (0..size).filter(|&rank| rank != root) {
                assert_eq!(
                    output[rank],
                    block(rank),
                    "{choice:?} on {size}, root {root}"
                );
            }
        }
    }
}

fn check_gatherv_scatterv(size: usize, root: usize, seed: u64) {
    let mut random = Random(seed);
    let counts = random_counts(&mut random, size);
    let listed = Listed::new(&mut random, counts);
    let contents: Vec<_> = listed
        .counts
        .iter()
        .map(|&bytes| random.bytes(bytes))
        .collect();
    let expected = listed.filled(|index| contents[index].clone());

    let contributions: Vec<_> = (0..size)
        .map(|rank| {
            if rank == root {
                listed.filled(|index| {
                    if index == root {
                        contents[index].clone()
                    } else {
                        vec![0; listed.counts[index]]
                    }
                })
            } else {
                contents[rank].clone()
            }
        })
        .collect();
    let outputs = run_all(
        seed,
        &contributions,
        async |exchange, buffer: &mut Vec<u8>| {
            let buffer = if exchange.rank() == root {
                ToRoot::Root(buffer)
            } else {
                ToRoot::Member(buffer)
            };
            gatherv(exchange, root, listed.blocks(), buffer).await
        },
    );
    for output in outputs {
        assert_eq!(output[root], expected, "gatherv on {size}, root {root}");
    }
    let lacking = listed.filled(|index| vec![0; listed.counts[index]]);
    let outputs = run_all(
        seed,
        &contributions,
        async |exchange, buffer: &mut Vec<u8>| {
            let blocks = listed.blocks();
            if exchange.rank() != root {
                return gatherv(exchange, root, blocks, ToRoot::Member(buffer)).await;
            }
            buffer.copy_from_slice(&lacking);
            gatherv_out_of_place(exchange, blocks, &contents[root], buffer).await
        },
    );
    for output in outputs {
        assert_eq!(output[root], expected, "apart on {size}, root {root}");
    }

    let rooms: Vec<_> = (0..size)
        .map(|rank| {
            if rank == root {
                expected.clone()
            } else {
                vec![0; listed.counts[rank]]
            }
        })
        .collect();
    let outputs = run_all(seed, &rooms, async |exchange, buffer: &mut Vec<u8>| {
        let buffer = if exchange.rank() == root {
            FromRoot::Root(buffer)
        } else {
            FromRoot::Member(buffer)
        };
        scatterv(exchange, root, listed.blocks(), buffer).await
    });
    for output in outputs {
        for rank in (0..size).filter(|&rank| rank != root) {
            assert_eq!(
                output[rank], contents[rank],
                "scatterv on {size}, root {root}"
            );
        }
    }
}

fn check_allgather(size: usize, bytes: usize) {
    let mut random = Random((size * 977 + bytes) as u64);
    let all = random.bytes(size * bytes);
    let buffers: Vec<_> = (0..size)
        .map(|rank| {
            let mut buffer = vec![0; size * bytes];
            let own = rank * bytes..(rank + 1) * bytes;
            buffer[own.clone()].copy_from_slice(&all[own]);
            buffer
        })
        .collect();
    for choice in choices::<moving::allgather::Algorithm>(size) {
        let outputs = run_all(
            2,
            &buffers,
            async |exchange, buffer: &mut Vec<u8>| match choice {
                Some(algorithm) => allgather_with(algorithm, exchange, buffer).await,
                None => allgather(exchange, buffer).await,
            },
        );
        for output in outputs.iter().flatten() {
            assert_eq!(*output, all, "{choice:?} on {size}, {bytes} bytes");
        }
    }
}

fn check_allgatherv(size: usize, seed: u64) {
    let mut random = Random(seed);
    let counts = random_counts(&mut random, size);
    let contents: Vec<_> = counts.iter().map(|&bytes| random.bytes(bytes)).collect();
    // The members' displacements differ.
    let members: Vec<_> = (0..size)
        .map(|rank| {
            let listed = Listed::new(&mut random, counts.clone());
            let mut buffer = listed.empty();
            buffer[listed.blocks().range(rank)].copy_from_slice(&contents[rank]);
            (listed, buffer)
        })
        .collect();
    for choice in choices::<moving::allgatherv::Algorithm>(size) {
        let outputs = run_all(
            seed,
            &members,
            async |exchange, (listed, buffer)| match choice {
                Some(algorithm) => {
                    allgatherv_with(algorithm, exchange, listed.blocks(), buffer).await
                }
                None => allgatherv(exchange, listed.blocks(), buffer).await,
            },
        );
        for (listed, buffer) in outputs.iter().flatten() {
            let expected = listed.filled(|index| contents[index].clone());
            assert_eq!(*buffer, expected, "{choice:?} on {size}, seed {seed}");
        }
    }
}

fn check_alltoall(size: usize, bytes: usize) {
    let mut random = Random((size * 977 + bytes) as u64);
    let sent: Vec<_> = (0..size).map(|_| random.bytes(size * bytes)).collect();
    let expected = |rank: usize| -> Vec<u8> {
        sent.iter()
            .flat_map(|buffer| buffer[rank * bytes..(rank + 1) * bytes].to_vec())
            .collect()
    };
    let members: Vec<_> = sent
        .iter()
        .map(|outgoing| (outgoing.clone(), vec![0; size * bytes]))
        .collect();
    for choice in choices::<moving::alltoall::Algorithm>(size) {
        let outputs = run_all(
            3,
            &members,
            async |exchange, (outgoing, incoming)| match choice {
                Some(algorithm) => alltoall_with(algorithm, exchange, outgoing, incoming).await,
                None => alltoall(exchange, outgoing, incoming).await,
            },
        );
        for output in outputs {
            for (rank, (_, incoming)) in output.iter().enumerate() {
                assert_eq!(
                    *incoming,
                    expected(rank),
                    "{choice:?} on {size}, {bytes} bytes"
                );
            }
        }
    }
    for choice in choices::<moving::alltoall_in_place::Algorithm>(size) {
        let outputs = run_all(3, &sent, async |exchange, buffer: &mut Vec<u8>| {
            let blocks = Blocks::Uniform { bytes };
            match choice {
                Some(algorithm) => {
                    alltoall_in_place_with(algorithm, exchange, blocks, buffer).await
                }
                None => alltoall_in_place(exchange, blocks, buffer).await,
            }
        });
        for output in outputs {
            for (rank, buffer) in output.iter().enumerate() {
                assert_eq!(
                    *buffer,
                    expected(rank),
                    "{choice:?} on {size}, {bytes} bytes"
                );
            }
        }
    }
}

fn check_alltoallv(size: usize, seed: u64) {
    let mut random = Random(seed);
    let content: Vec<Vec<_>> = (0..size)
        .map(|_| {
            random_counts(&mut random, size)
                .into_iter()
                .map(|bytes| random.bytes(bytes))
                .collect()
        })
        .collect();
    let members: Vec<_> = (0..size)
        .map(|rank| {
            let outgoing = content[rank].iter().map(Vec::len).collect();
            let outgoing = Listed::new(&mut random, outgoing);
            let incoming = content.iter().map(|row| row[rank].len()).collect();
            let incoming = Listed::new(&mut random, incoming);
            let sent = outgoing.filled(|to| content[rank][to].clone());
            let room = incoming.empty();
            (outgoing, sent, incoming, room)
        })
        .collect();
    for choice in choices::<moving::alltoallv::Algorithm>(size) {
        let outputs = run_all(
            seed,
            &members,
            async |exchange, (outgoing, sent, incoming, room)| {
                let (from, to) = (outgoing.blocks(), incoming.blocks());
                match choice {
                    Some(algorithm) => {
                        alltoallv_with(algorithm, exchange, from, sent, to, room).await
                    }
                    None => alltoallv(exchange, from, sent, to, room).await,
                }
            },
        );
        for output in outputs {
            for (rank, (_, _, incoming, room)) in output.iter().enumerate() {
                let expected = incoming.filled(|from| content[from][rank].clone());
                assert_eq!(*room, expected, "{choice:?} on {size}, seed {seed}");
            }
        }
    }
}

/// In place, lengths are symmetric and so is the layout, up to displacements.
fn check_alltoallv_in_place(size: usize, seed: u64) {
    let mut random = Random(seed);
    let lengths: Vec<_> = (0..size * size).map(|_| random.below(9)).collect();
    let length = |a: usize, b: usize| lengths[a.min(b) * size + a.max(b)];
    let content: Vec<Vec<_>> = (0..size)
        .map(|a| (0..size).map(|b| random.bytes(length(a, b))).collect())
        .collect();
    let members: Vec<_> = (0..size)
        .map(|rank| {
            let counts = (0..size).map(|other| length(rank, other)).collect();
            let listed = Listed::new(&mut random, counts);
            let buffer = listed.filled(|to| content[rank][to].clone());
            (listed, buffer)
        })
        .collect();
    for choice in choices::<moving::alltoall_in_place::Algorithm>(size) {
        let outputs = run_all(
            seed,
            &members,
            async |exchange, (listed, buffer)| match choice {
                Some(algorithm) => {
                    alltoall_in_place_with(algorithm, exchange, listed.blocks(), buffer).await
                }
                None => alltoall_in_place(exchange, listed.blocks(), buffer).await,
            },
        );
        for output in outputs {
            for (rank, (listed, buffer)) in output.iter().enumerate() {
                let expected = listed.filled(|from| content[from][rank].clone());
                assert_eq!(*buffer, expected, "{choice:?} on {size}, seed {seed}");
            }
        }
    }
}

#[test]
fn gather_and_scatter_of_equal_blocks() {
    for size in SIZES {
        for root in roots(size) {
            for bytes in [0, 1, 3, 40] {
                check_gather_scatter(size, root, bytes);
            }
        }
    }
}

#[test]
fn gather_and_scatter_of_listed_blocks() {
    for size in SIZES {
        for root in roots(size) {
            check_gatherv_scatterv(size, root, (size + 100 * root) as u64);
        }
    }
}

#[test]
fn allgather_of_equal_and_listed_blocks() {
    for size in SIZES {
        for bytes in [0, 1, 3, 40] {
            check_allgather(size, bytes);
        }
        check_allgatherv(size, size as u64);
    }
    // Large enough for the last row of the table.
    check_allgather(3, 40_000);
}

#[test]
fn alltoall_of_equal_and_listed_blocks() {
    for size in SIZES {
        for bytes in [0, 1, 3] {
            check_alltoall(size, bytes);
        }
        check_alltoallv(size, size as u64);
        check_alltoallv_in_place(size, size as u64);
    }
    for bytes in [300, 40_000] {
        check_alltoall(3, bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn blocks_of_any_shape(
        size in 1usize..=40,
        root in 0usize..40,
        bytes in 0usize..70,
        seed in any::<u64>(),
    ) {
        check_gather_scatter(size, root % size, bytes);
        check_gatherv_scatterv(size, root % size, seed);
        check_allgather(size, bytes);
        check_allgatherv(size, seed);
        check_alltoall(size, bytes);
        check_alltoallv(size, seed);
        check_alltoallv_in_place(size, seed);
    }
}
