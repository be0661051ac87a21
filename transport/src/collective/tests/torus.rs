//! Algorithms that go along the dimensions of a torus: who sends to whom, how much, and that the
//! results are right in tori of every shape.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::operators::{Sum, combined, contribution};
use super::simulation::{Member, Network, Random, Running, Setting};
use crate::collective::shape::torus::Torus;
use crate::collective::*;

/// What each member ends with, in one setting of a network of this torus.
fn run_in(
    network: &Network,
    buffers: &[Vec<u8>],
    member: impl AsyncFn(&Member<'_>, &mut Vec<u8>) -> Result<(), CollectiveError>,
) -> Vec<Vec<u8>> {
    let members = buffers.iter().enumerate().map(|(rank, buffer)| {
        let exchange = network.member(rank, buffers.len());
        let (mut buffer, member) = (buffer.clone(), &member);
        Box::pin(async move {
            member(&exchange, &mut buffer).await?;
            Ok(buffer)
        }) as Running<'_, Vec<u8>>
    });
    let outputs = network.run(members.collect());
    network.assert_quiet();
    outputs.into_iter().map(Result::unwrap).collect()
}

fn network(shape: &str, members: usize, setting: Setting) -> Network {
    Network::new(setting).with_torus(Torus::of(shape, members).unwrap())
}

const RENDEZVOUS: Setting = Setting {
    eager_bytes: 0,
    seed: None,
};

/// The shapes that are tried, with members that fill them: rings, odd and even, and up to five
/// dimensions.
const SHAPES: [(&str, usize); 9] = [
    ("1", 1),
    ("2", 2),
    ("5", 5),
    ("2x3", 6),
    ("4x4", 16),
    ("3x3x3", 27),
    ("2x2", 12),
    ("3x1x4", 12),
    ("2x2x2x2x2", 32),
];

/// Refuses a way that does not lead to a neighbour.
fn assert_neighbours(torus: &Torus, ways: &BTreeSet<(usize, usize)>) {
    for (from, to) in ways {
        let (here, there) = (torus.place(*from).unwrap(), torus.place(*to).unwrap());
        let apart = here.iter().zip(&there).zip(torus.sizes());
        let apart: Vec<usize> = apart
            .map(|((here, there), size)| here.abs_diff(*there).min(size - here.abs_diff(*there)))
            .collect();
        assert_eq!(
            apart.iter().sum::<usize>(),
            1,
            "{from} sends to {to} in {torus:?}"
        );
    }
}

/// Runs every algorithm once from every member, and gives the ways of each.
fn all_ways(shape: &str, members: usize, bytes: usize) -> Vec<BTreeSet<(usize, usize)>> {
    let buffers = vec![vec![1; bytes]; members];
    let run = |member: &dyn AsyncRun| {
        let network = network(shape, members, RENDEZVOUS);
        member.run(&network, &buffers);
        network.ways()
    };
    vec![
        run(&Broadcast(0)),
        run(&Broadcast(members - 1)),
        run(&Reduce(members / 2)),
        run(&Allreduce),
        run(&Barrier),
        run(&Allgather),
    ]
}

/// One operation of all members, whatever its arguments.
trait AsyncRun {
    fn run(&self, network: &Network, buffers: &[Vec<u8>]) -> Vec<Vec<u8>>;
}

struct Broadcast(usize);
struct Reduce(usize);
struct Allreduce;
struct Barrier;
struct Allgather;

impl AsyncRun for Broadcast {
    fn run(&self, network: &Network, buffers: &[Vec<u8>]) -> Vec<Vec<u8>> {
        run_in(network, buffers, async |exchange, buffer| {
            broadcast_with(
                moving::broadcast::Algorithm::Torus,
                exchange,
                self.0,
                buffer,
            )
            .await
        })
    }
}

impl AsyncRun for Reduce {
    fn run(&self, network: &Network, buffers: &[Vec<u8>]) -> Vec<Vec<u8>> {
        run_in(network, buffers, async |exchange, buffer| {
            let buffer = if exchange.rank() == self.0 {
                ToRoot::Root(buffer)
            } else {
                ToRoot::Member(buffer)
            };
            reduce_with(
                combining::reduce::Algorithm::Torus,
                exchange,
                &Sum,
                self.0,
                buffer,
            )
            .await
        })
    }
}

impl AsyncRun for Allreduce {
    fn run(&self, network: &Network, buffers: &[Vec<u8>]) -> Vec<Vec<u8>> {
        run_in(network, buffers, async |exchange, buffer| {
            allreduce_with(
                combining::allreduce::Algorithm::Torus,
                exchange,
                &Sum,
                buffer,
            )
            .await
        })
    }
}

impl AsyncRun for Barrier {
    fn run(&self, network: &Network, buffers: &[Vec<u8>]) -> Vec<Vec<u8>> {
        run_in(network, buffers, async |exchange, _| {
            barrier_with(barrier::Algorithm::Torus, exchange).await
        })
    }
}

/// Of the buffers as blocks of one member each.
impl AsyncRun for Allgather {
    fn run(&self, network: &Network, buffers: &[Vec<u8>]) -> Vec<Vec<u8>> {
        run_in(network, buffers, async |exchange, buffer| {
            let bytes = buffer.len();
            let mut all = vec![0; bytes * exchange.size()];
            all[exchange.rank() * bytes..][..bytes].copy_from_slice(buffer);
            allgather_with(moving::allgather::Algorithm::Torus, exchange, &mut all).await?;
            *buffer = all;
            Ok(())
        })
    }
}

#[test]
fn every_message_goes_to_a_neighbour() {
    for (shape, members) in SHAPES {
        let torus = Torus::of(shape, members).unwrap();
        for ways in all_ways(shape, members, 640) {
            assert_neighbours(&torus, &ways);
            assert!(members == 1 || ways.len() >= members - 1);
        }
    }
}

#[test]
fn a_broadcast_goes_down_the_first_dimension_and_then_across() {
    let network = network("3x3", 9, RENDEZVOUS);
    Broadcast(0).run(&network, &vec![vec![7; 10]; 9]);
    let down = [(0, 3), (0, 6)];
    let across = [(0, 1), (0, 2), (3, 4), (3, 5), (6, 7), (6, 8)];
    assert_eq!(network.ways(), down.into_iter().chain(across).collect());
}

#[test]
fn torus_algorithms_send_as_written() {
    // Divided evenly by every dimension of every shape.
    let bytes = 4320 * 4;
    for (shape, members) in SHAPES {
        let sizes = Torus::of(shape, members).unwrap().sizes().to_vec();
        let busiest = |operation: &dyn AsyncRun, bytes| {
            let network = network(shape, members, RENDEZVOUS);
            operation.run(&network, &vec![vec![1; bytes]; members]);
            let sent = (0..members).map(|member| network.sent_by(member));
            sent.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)))
        };
        let around: usize = sizes.iter().map(|size| size - 1).sum();
        let apart = |size: &usize| if *size == 2 { 1 } else { size / 2 * 2 };
        let least = 2 * bytes * (members - 1) / members;
        assert_eq!(
            busiest(&Allreduce, bytes),
            Some((2 * around, least)),
            "{shape}"
        );
        let barrier = sizes.iter().map(apart).sum();
        assert_eq!(busiest(&Barrier, 0), Some((barrier, 0)), "{shape}");
        let all = (members - 1) * 8;
        assert_eq!(busiest(&Allgather, 8), Some((around, all)), "{shape}");
        let upwards = usize::from(members > 1);
        assert_eq!(
            busiest(&Reduce(0), bytes),
            Some((upwards, upwards * bytes)),
            "{shape}"
        );
        // Both ways in each dimension, and one way in one of two places.
        let both: usize = sizes.iter().map(|size| (size - 1).min(2)).sum();
        assert_eq!(
            busiest(&Broadcast(0), bytes),
            Some((both, both * bytes)),
            "{shape}"
        );
    }
}

fn check(shape: &str, members: usize, bytes: usize, seed: u64) {
    let mut random = Random(seed);
    let buffers: Vec<Vec<u8>> = (0..members)
        .map(|_| contribution(&mut random, bytes))
        .collect();
    let root = random.below(members);
    let sum = combined(&Sum, &buffers);
    for setting in Setting::all(seed) {
        let outputs =
            |operation: &dyn AsyncRun| operation.run(&network(shape, members, setting), &buffers);
        let what = format!("{bytes} bytes of {members} in {shape}, seed {seed}");
        assert!(
            outputs(&Broadcast(root))
                .iter()
                .all(|one| *one == buffers[root]),
            "{what}"
        );
        assert_eq!(outputs(&Reduce(root))[root], sum, "{what}");
        assert!(outputs(&Allreduce).iter().all(|one| *one == sum), "{what}");
        assert!(
            outputs(&Allgather)
                .iter()
                .all(|one| *one == buffers.concat()),
            "{what}"
        );
    }
}

#[test]
fn results_are_right_in_every_shape() {
    for (shape, members) in SHAPES {
        for elements in [0, 1, 2, 3, 7, members - 1, members, members + 1, 101] {
            check(
                shape,
                members,
                elements * Sum.element_bytes(),
                elements as u64,
            );
        }
    }
    // Several segments, the last one short.
    check(
        "2x3",
        6,
        100_000 / Sum.element_bytes() * Sum.element_bytes(),
        9,
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn results_are_right_in_any_torus(
        sizes in prop::collection::vec(1usize..=4, 1..=4),
        places in 1usize..=2,
        elements in 0usize..60,
        seed: u64,
    ) {
        let members = sizes.iter().product::<usize>() * places;
        if members <= 64 {
            let shape: Vec<String> = sizes.iter().map(usize::to_string).collect();
            check(&shape.join("x"), members, elements * Sum.element_bytes(), seed);
        }
    }
}
