//! Neighbourhood collectives on Cartesian and graph topologies.

use proptest::prelude::*;

use super::simulation::{Random, run_all};
use crate::collective::*;

/// A Cartesian topology, ranks in row-major order.
#[derive(Clone, Debug)]
struct Grid {
    dimensions: Vec<usize>,
    periodic: Vec<bool>,
}

impl Grid {
    fn size(&self) -> usize {
        self.dimensions.iter().product()
    }

    /// The member one step away in a dimension, if there is one.
    fn step(&self, rank: usize, dimension: usize, up: bool) -> Option<usize> {
        let stride: usize = self.dimensions[dimension + 1..].iter().product();
        let extent = self.dimensions[dimension];
        let place = rank / stride % extent;
        let next = if up {
            place + 1
        } else {
            (place + extent).wrapping_sub(1)
        };
        let inside = if up { place + 1 < extent } else { place > 0 };
        if !inside && !self.periodic[dimension] {
            return None;
        }
        Some(rank - place * stride + next % extent * stride)
    }

    /// Negative and positive neighbour for each dimension.
    fn neighbors(&self, rank: usize) -> Vec<Option<usize>> {
        (0..self.dimensions.len())
            .flat_map(|dimension| {
                [
                    self.step(rank, dimension, false),
                    self.step(rank, dimension, true),
                ]
            })
            .collect()
    }
}

/// What every member ends with when each sends, to its neighbour `index`, `content(rank, index)`.
///
/// The standard's rule, by dimension: what is sent to the negative neighbour is received there
/// from the positive one, and the reverse; so the block from neighbour `index` is the one which
/// that neighbour sent in the opposite direction.
fn check_grid(grid: &Grid, bytes: usize) {
    let size = grid.size();
    let directions = 2 * grid.dimensions.len();
    let mut random = Random((size * 31 + bytes) as u64);
    let sent: Vec<_> = (0..size)
        .map(|_| random.bytes(directions * bytes))
        .collect();
    let members: Vec<_> = sent
        .iter()
        .map(|outgoing| (outgoing.clone(), vec![0xee; directions * bytes]))
        .collect();

    let outputs = run_all(5, &members, async |exchange, (outgoing, incoming)| {
        let neighbors = grid.neighbors(exchange.rank());
        let neighborhood = Neighborhood {
            sources: &neighbors,
            destinations: &neighbors,
            pairing: Pairing::Cartesian,
        };
        neighbor_alltoall(exchange, neighborhood, outgoing, incoming).await
    });
    for output in outputs {
        for (rank, (_, incoming)) in output.iter().enumerate() {
            for (index, neighbor) in grid.neighbors(rank).into_iter().enumerate() {
                let got = &incoming[index * bytes..(index + 1) * bytes];
                match neighbor {
                    None => assert!(got.iter().all(|&byte| byte == 0xee)),
                    Some(neighbor) => {
                        let opposite = if index % 2 == 0 { index + 1 } else { index - 1 };
                        let expected = &sent[neighbor][opposite * bytes..(opposite + 1) * bytes];
                        assert_eq!(got, expected, "{grid:?}, rank {rank}, neighbour {index}");
                    }
                }
            }
        }
    }

    let outputs = run_all(6, &members, async |exchange, (outgoing, incoming)| {
        let neighbors = grid.neighbors(exchange.rank());
        let neighborhood = Neighborhood {
            sources: &neighbors,
            destinations: &neighbors,
            pairing: Pairing::Cartesian,
        };
        neighbor_allgather(exchange, neighborhood, &outgoing[..bytes], incoming).await
    });
    for output in outputs {
        for (rank, (_, incoming)) in output.iter().enumerate() {
            for (index, neighbor) in grid.neighbors(rank).into_iter().enumerate() {
                let got = &incoming[index * bytes..(index + 1) * bytes];
                match neighbor {
                    None => assert!(got.iter().all(|&byte| byte == 0xee)),
                    Some(neighbor) => assert_eq!(got, &sent[neighbor][..bytes]),
                }
            }
        }
    }
}

#[test]
fn cartesian_directions_meet_crosswise() {
    for dimensions in [
        vec![1],
        vec![2],
        vec![3],
        vec![5],
        vec![1, 1],
        vec![1, 2],
        vec![2, 1],
        vec![2, 2],
        vec![2, 3],
        vec![1, 4, 2],
        vec![2, 2, 2],
    ] {
        for mask in 0..1usize << dimensions.len() {
            let grid = Grid {
                periodic: (0..dimensions.len())
                    .map(|bit| mask >> bit & 1 == 1)
                    .collect(),
                dimensions: dimensions.clone(),
            };
            for bytes in [0, 1, 7, 40] {
                check_grid(&grid, bytes);
            }
        }
    }
}

#[test]
fn two_periodic_members_see_the_other_direction() {
    let outputs = run_all(1, &[vec![], vec![]], async |exchange, got: &mut Vec<u8>| {
        let other = [Some(1 - exchange.rank()); 2];
        let neighborhood = Neighborhood {
            sources: &other,
            destinations: &other,
            pairing: Pairing::Cartesian,
        };
        let base = 10 * exchange.rank() as u8;
        *got = vec![0; 2];
        neighbor_alltoall(exchange, neighborhood, &[base, base + 1], got).await
    });
    for output in outputs {
        assert_eq!(output, [[11, 10], [1, 0]]);
    }
}

/// A graph with any edges, several between a pair and loops among them; edge `e` carries its own
/// bytes. Both ends list the edges in the order of `edges`.
fn check_graph(size: usize, edges: &[(usize, usize, usize)]) {
    let content = |edge: usize| Random(edge as u64).bytes(edges[edge].2);
    let leaving = |rank: usize| (0..edges.len()).filter(move |&edge| edges[edge].0 == rank);
    let arriving = |rank: usize| (0..edges.len()).filter(move |&edge| edges[edge].1 == rank);
    let listed = |counts: Vec<usize>| {
        let displacements: Vec<usize> = (0..counts.len())
            .map(|index| counts[..index].iter().sum())
            .collect();
        (counts, displacements)
    };
    let outputs = run_all(
        8,
        &vec![Vec::new(); size],
        async |exchange, got: &mut Vec<u8>| {
            let rank = exchange.rank();
            let destinations: Vec<_> = leaving(rank).map(|edge| Some(edges[edge].1)).collect();
            let sources: Vec<_> = arriving(rank).map(|edge| Some(edges[edge].0)).collect();
            let neighborhood = Neighborhood {
                sources: &sources,
                destinations: &destinations,
                pairing: Pairing::Listed,
            };
            let sent: Vec<u8> = leaving(rank).flat_map(content).collect();
            let out = listed(leaving(rank).map(|edge| edges[edge].2).collect());
            let into = listed(arriving(rank).map(|edge| edges[edge].2).collect());
            *got = vec![0; into.0.iter().sum()];
            neighbor_alltoallv(
                exchange,
                neighborhood,
                Blocks::Listed {
                    counts: &out.0,
                    displacements: &out.1,
                },
                &sent,
                Blocks::Listed {
                    counts: &into.0,
                    displacements: &into.1,
                },
                got,
            )
            .await
        },
    );
    for output in outputs {
        for (rank, got) in output.iter().enumerate() {
            let expected: Vec<u8> = arriving(rank).flat_map(content).collect();
            assert_eq!(*got, expected, "rank {rank} of {size}, edges {edges:?}");
        }
    }
}

#[test]
fn a_loop_must_have_two_ends() {
    let outputs = run_all(
        1,
        &[None],
        async |exchange, got: &mut Option<CollectiveError>| {
            let neighborhood = Neighborhood {
                sources: &[],
                destinations: &[Some(0)],
                pairing: Pairing::Listed,
            };
            *got = neighbor_alltoall(exchange, neighborhood, &[1], &mut [])
                .await
                .err();
            Ok(())
        },
    );
    for output in outputs {
        assert_eq!(
            output[0],
            Some(CollectiveError::UnmatchedSelfEdges {
                sources: 0,
                destinations: 1
            })
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn graphs_of_any_shape(
        (size, edges) in (1usize..9).prop_flat_map(|size| {
            (Just(size), prop::collection::vec((0..size, 0..size, 0usize..40), 0..40))
        })
    ) {
        check_graph(size, &edges);
    }
}
