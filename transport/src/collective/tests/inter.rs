//! Inter-communicator collectives, between groups of any sizes.

use super::operators::{Compose, combined, contribution};
use super::simulation::{Member, Network, Random, Running, Setting};
use crate::collective::inter::{self, Role};
use crate::collective::*;

/// Runs `member(in the second group?, rank, local, remote)` on all members of both groups and
/// gives what they give, by group, in every setting.
///
/// Local messages run on a network of their own for each group. Remote ones share a third, in
/// which the first group has the numbers from 0.
fn run_groups<T>(
    sizes: [usize; 2],
    member: impl AsyncFn(usize, &Member<'_>, &Member<'_>) -> Result<T, CollectiveError>,
    check: impl Fn([&[T]; 2]),
) {
    for setting in Setting::all(11) {
        let network = Network::new(setting);
        // Local numbers come after all the remote ones, so that the channels stay apart.
        let remote_base = [0, sizes[0]];
        let local_base = [sizes[0] + sizes[1], 2 * sizes[0] + sizes[1]];
        let mut members = Vec::new();
        for group in [0, 1] {
            for rank in 0..sizes[group] {
                let local =
                    network.between(rank, local_base[group], local_base[group], sizes[group]);
                let other = 1 - group;
                let remote =
                    network.between(rank, remote_base[group], remote_base[other], sizes[other]);
                let member = &member;
                members.push(
                    Box::pin(async move { member(group, &local, &remote).await }) as Running<'_, T>,
                );
            }
        }
        let outputs: Vec<_> = network
            .run(members)
            .into_iter()
            .map(|output| output.unwrap_or_else(|error| panic!("{error} in {setting:?}")))
            .collect();
        network.assert_quiet();
        let (first, second) = outputs.split_at(sizes[0]);
        check([first, second]);
    }
}

const GROUPS: [[usize; 2]; 9] = [
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 3],
    [3, 3],
    [4, 1],
    [5, 8],
    [9, 4],
    [17, 33],
];

fn inputs(sizes: [usize; 2], bytes: usize) -> [Vec<Vec<u8>>; 2] {
    let mut random = Random((sizes[0] * 100 + sizes[1]) as u64);
    sizes.map(|size| {
        (0..size)
            .map(|_| contribution(&mut random, bytes))
            .collect()
    })
}

#[test]
fn barrier_waits_for_the_other_group() {
    for sizes in GROUPS {
        let entered = std::cell::Cell::new([0, 0]);
        let left = std::cell::Cell::new(0);
        run_groups(
            sizes,
            async |group, local, remote| {
                if left.get() == sizes[0] + sizes[1] {
                    entered.set([0, 0]);
                    left.set(0);
                }
                let mut counts = entered.get();
                counts[group] += 1;
                entered.set(counts);
                inter::barrier(local, remote).await?;
                assert_eq!(entered.get(), sizes);
                left.set(left.get() + 1);
                Ok(())
            },
            |_| {},
        );
    }
}

#[test]
fn rooted_operations_reach_the_other_group() {
    for sizes in GROUPS {
        for root_group in [0, 1] {
            for bytes in [0, 2, 14] {
                for root in 0..sizes[root_group].min(5) {
                    check_rooted(sizes, root_group, root, bytes);
                }
            }
        }
    }
}

/// The part of a member, given what it passes as root and as member of the other group.
fn role<A, B>(
    (group, rank): (usize, usize),
    (root_group, root): (usize, usize),
    own: A,
    theirs: B,
) -> Role<A, B> {
    if group != root_group {
        Role::Remote { root, data: theirs }
    } else if rank == root {
        Role::Root(own)
    } else {
        Role::Idle
    }
}

fn check_rooted(sizes: [usize; 2], root_group: usize, root: usize, bytes: usize) {
    let other = 1 - root_group;
    let inputs = inputs(sizes, bytes);
    let at = (root_group, root);

    run_groups(
        sizes,
        async |group, local, remote| {
            let mut got = vec![0; bytes];
            let sent = &inputs[group][local.rank()][..];
            let role = role((group, local.rank()), at, sent, &mut got[..]);
            inter::broadcast(local, remote, role).await?;
            Ok(got)
        },
        |outputs| {
            for got in outputs[other] {
                assert_eq!(*got, inputs[root_group][root]);
            }
        },
    );

    run_groups(
        sizes,
        async |group, local, remote| {
            let mut got = vec![0; bytes];
            let sent = &inputs[group][local.rank()][..];
            let role = role((group, local.rank()), at, &mut got[..], sent);
            inter::reduce(local, remote, &Compose, role).await?;
            Ok(got)
        },
        |outputs| {
            assert_eq!(
                outputs[root_group][root],
                combined(&Compose, &inputs[other])
            )
        },
    );

    run_groups(
        sizes,
        async |group, local, remote| {
            let mut got = vec![0; bytes * sizes[other]];
            let sent = &inputs[group][local.rank()][..];
            let role = role((group, local.rank()), at, &mut got[..], sent);
            inter::gather(remote, role).await?;
            Ok(got)
        },
        |outputs| assert_eq!(outputs[root_group][root], inputs[other].concat()),
    );

    run_groups(
        sizes,
        async |group, local, remote| {
            let all = inputs[other].concat();
            let mut got = vec![0; bytes];
            let role = role((group, local.rank()), at, &all[..], &mut got[..]);
            inter::scatter(remote, role).await?;
            Ok(got)
        },
        |outputs| assert_eq!(outputs[other], inputs[other]),
    );

    // Member i of the other group has i bytes.
    let counts: Vec<_> = (0..sizes[other]).collect();
    let displacements: Vec<_> = (0..sizes[other]).map(|rank| rank * sizes[other]).collect();
    let all = Random(9).bytes(sizes[other] * sizes[other]);
    let blocks = Blocks::Listed {
        counts: &counts,
        displacements: &displacements,
    };
    run_groups(
        sizes,
        async |group, local, remote| {
            let rank = local.rank();
            let mut block = vec![0; rank];
            let scattered = role((group, rank), at, &all[..], &mut block[..]);
            inter::scatterv(remote, blocks, scattered).await?;
            let mut back = vec![0; all.len()];
            let gathered = role((group, rank), at, &mut back[..], &block[..]);
            inter::gatherv(remote, blocks, gathered).await?;
            Ok((block, back))
        },
        |outputs| {
            for (rank, (block, _)) in outputs[other].iter().enumerate() {
                assert_eq!(*block, all[rank * sizes[other]..][..rank]);
            }
            let back = &outputs[root_group][root].1;
            for rank in 0..sizes[other] {
                assert_eq!(back[blocks.range(rank)], all[blocks.range(rank)]);
            }
        },
    );
}

#[test]
fn allreduce_swaps_combinations() {
    for sizes in GROUPS {
        for bytes in [0, 2, 30] {
            let inputs = inputs(sizes, bytes);
            run_groups(
                sizes,
                async |group, local, remote| {
                    let mut got = vec![0; bytes];
                    let sent = &inputs[group][local.rank()];
                    inter::allreduce(local, remote, &Compose, sent, &mut got).await?;
                    Ok(got)
                },
                |outputs| {
                    for group in [0, 1] {
                        for got in outputs[group] {
                            assert_eq!(*got, combined(&Compose, &inputs[1 - group]));
                        }
                    }
                },
            );
        }
    }
}

#[test]
fn allgather_and_alltoall_swap_blocks() {
    for sizes in GROUPS {
        // The two directions differ in length, and one may be empty.
        for bytes in [[0, 3], [5, 2], [4, 0]] {
            let mut random = Random(sizes[0] as u64);
            let blocks: Vec<Vec<Vec<u8>>> = (0..2)
                .map(|group| {
                    (0..sizes[group])
                        .map(|_| random.bytes(bytes[group]))
                        .collect()
                })
                .collect();
            run_groups(
                sizes,
                async |group, local, remote| {
                    let other = 1 - group;
                    let block = &blocks[group][local.rank()];
                    let mut equal = vec![0; sizes[other] * bytes[other]];
                    inter::allgather(local, remote, block, &mut equal).await?;
                    let mut listed = equal.clone();
                    listed.fill(0);
                    let layout = Blocks::Uniform {
                        bytes: bytes[other],
                    };
                    inter::allgatherv(remote, block, layout, &mut listed).await?;
                    Ok((equal, listed))
                },
                |outputs| {
                    for group in [0, 1] {
                        for (equal, listed) in outputs[group] {
                            assert_eq!(*equal, blocks[1 - group].concat());
                            assert_eq!(*listed, blocks[1 - group].concat());
                        }
                    }
                },
            );

            let sent: Vec<Vec<Vec<u8>>> = (0..2)
                .map(|group| {
                    (0..sizes[group])
                        .map(|_| random.bytes(bytes[group] * sizes[1 - group]))
                        .collect()
                })
                .collect();
            run_groups(
                sizes,
                async |group, local, remote| {
                    let mut got = vec![0; sizes[1 - group] * bytes[1 - group]];
                    inter::alltoall(remote, &sent[group][local.rank()], &mut got).await?;
                    Ok(got)
                },
                |outputs| {
                    for group in [0, 1] {
                        let length = bytes[1 - group];
                        for (rank, got) in outputs[group].iter().enumerate() {
                            let expected: Vec<u8> = sent[1 - group]
                                .iter()
                                .flat_map(|from| from[rank * length..][..length].to_vec())
                                .collect();
                            assert_eq!(*got, expected);
                        }
                    }
                },
            );
        }
    }
}

#[test]
fn reduce_scatter_shares_the_other_groups_combination() {
    for sizes in GROUPS {
        // As many elements in all as both groups can share, unevenly in the first.
        let elements = sizes[0] * sizes[1];
        let inputs = inputs(sizes, 2 * elements);
        let mut counts = vec![0; sizes[0]];
        for element in 0..elements {
            counts[element * element % sizes[0]] += 2;
        }
        let displacements: Vec<_> = (0..sizes[0])
            .map(|rank| counts[..rank].iter().sum())
            .collect();
        let layouts = [
            Blocks::Listed {
                counts: &counts,
                displacements: &displacements,
            },
            Blocks::Uniform {
                bytes: 2 * sizes[0],
            },
        ];
        run_groups(
            sizes,
            async |group, local, remote| {
                let rank = local.rank();
                let mut got = vec![0; layouts[group].bytes(rank)];
                let input = &inputs[group][rank];
                inter::reduce_scatter(local, remote, &Compose, layouts[group], input, &mut got)
                    .await?;
                Ok(got)
            },
            |outputs| {
                for group in [0, 1] {
                    let all = combined(&Compose, &inputs[1 - group]);
                    for (rank, got) in outputs[group].iter().enumerate() {
                        assert_eq!(*got, all[layouts[group].range(rank)]);
                    }
                }
            },
        );
    }
}
