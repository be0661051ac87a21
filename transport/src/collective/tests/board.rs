//! Operations that follow each other on one board, and what goes wrong on one.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use proptest::prelude::*;

use super::operators::{Compose, combined, contribution};
use super::simulation::{Member, Network, Random, Running, Setting, run_all_on};
use crate::collective::board::rounds::{Readers, Rounds};
use crate::collective::combining::{allreduce, reduce};
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::root::ToRoot;
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;
use crate::collective::exchange::fault_recording::{Fault, FaultRecording};
use crate::collective::exchange::join::join;
use crate::collective::moving::{allgather, alltoall, broadcast};
use crate::collective::reduction::Reduction;
use crate::collective::{
    allgather_with, allreduce_with, alltoall_with, barrier, barrier_with, broadcast_with,
    reduce_with,
};

/// One operation on the members' buffers, in place.
#[derive(Debug, Clone, Copy)]
enum Step {
    Barrier,
    Broadcast(usize),
    Allreduce,
    Reduce(allreduce::Algorithm),
    /// To that member.
    ReduceTo(usize, reduce::Algorithm),
    Allgather(allgather::Algorithm),
    Alltoall(alltoall::Algorithm),
}

impl Step {
    fn random(random: &mut Random, size: usize) -> Self {
        match random.below(14) {
            0 => Self::Barrier,
            1 => Self::Broadcast(random.below(size)),
            2 => Self::Allreduce,
            3 => Self::Reduce(allreduce::Algorithm::PostedSlices),
            4 => Self::Reduce(allreduce::Algorithm::Read),
            5 => Self::Reduce(allreduce::Algorithm::Measured),
            6 => Self::Allgather(allgather::Algorithm::Posted),
            7 => Self::Allgather(allgather::Algorithm::Read),
            8 => Self::Allgather(allgather::Algorithm::Measured),
            9 => Self::Alltoall(alltoall::Algorithm::Posted),
            10 => Self::Alltoall(alltoall::Algorithm::Read),
            11 => Self::ReduceTo(random.below(size), reduce::Algorithm::Posted),
            12 => Self::ReduceTo(random.below(size), reduce::Algorithm::Linear),
            _ => Self::Alltoall(alltoall::Algorithm::Measured),
        }
    }

    async fn run(self, exchange: &impl Exchange, buffer: &mut [u8]) -> Result<(), CollectiveError> {
        match self {
            Self::Barrier => barrier_with(barrier::Algorithm::Posted, exchange).await,
            Self::Broadcast(root) => {
                broadcast_with(broadcast::Algorithm::Posted, exchange, root, buffer).await
            }
            Self::Allreduce => {
                allreduce_with(allreduce::Algorithm::Posted, exchange, &Compose, buffer).await
            }
            // In place, as some members have it.
            Self::Reduce(algorithm) if buffer.first().is_some_and(|byte| byte % 3 == 0) => {
                allreduce_with(algorithm, exchange, &Compose, buffer).await
            }
            Self::Reduce(algorithm) => {
                let own = buffer.to_vec();
                let data = OutOfPlace {
                    own: Some(&own),
                    result: buffer,
                };
                allreduce::allreduce_out_of_place_with(algorithm, exchange, &Compose, data).await
            }
            Self::ReduceTo(root, algorithm) => {
                let data = if exchange.rank() == root {
                    ToRoot::Root(buffer)
                } else {
                    ToRoot::Member(buffer)
                };
                reduce_with(algorithm, exchange, &Compose, root, data).await
            }
            Self::Allgather(algorithm) => allgather_with(algorithm, exchange, buffer).await,
            Self::Alltoall(algorithm) => {
                let outgoing = buffer.to_vec();
                alltoall_with(algorithm, exchange, &outgoing, buffer).await
            }
        }
    }

    /// The same on the buffers of all members.
    fn expect(self, buffers: &mut [Vec<u8>]) {
        let before = buffers.to_vec();
        let block = before[0].len() / before.len();
        let part = |member: usize, index: usize| &before[member][index * block..][..block];
        for (rank, buffer) in buffers.iter_mut().enumerate() {
            match self {
                Self::Barrier => {}
                Self::Broadcast(root) => buffer.copy_from_slice(&before[root]),
                Self::Allreduce | Self::Reduce(_) => {
                    buffer.copy_from_slice(&combined(&Compose, &before));
                }
                Self::ReduceTo(root, _) if rank == root => {
                    buffer.copy_from_slice(&combined(&Compose, &before));
                }
                Self::ReduceTo(..) => {}
                Self::Allgather(_) => {
                    for member in 0..before.len() {
                        buffer[member * block..][..block].copy_from_slice(part(member, member));
                    }
                }
                Self::Alltoall(_) => {
                    for member in 0..before.len() {
                        buffer[member * block..][..block].copy_from_slice(part(member, rank));
                    }
                }
            }
        }
    }
}

fn check(seed: u64, size: usize, elements: usize, steps: usize) {
    let random = |random: &mut Random| Step::random(random, size);
    check_on(Network::new, seed, (size, elements), (steps, random));
}

fn check_on(
    network: impl Fn(Setting) -> Network,
    seed: u64,
    (size, elements): (usize, usize),
    (steps, step): (usize, impl Fn(&mut Random) -> Step),
) {
    let mut random = Random(seed);
    let bytes = elements * size * Compose.element_bytes();
    let buffers: Vec<_> = (0..size)
        .map(|_| contribution(&mut random, bytes))
        .collect();
    let program: Vec<_> = (0..steps).map(|_| step(&mut random)).collect();
    let mut expected = buffers.clone();
    program.iter().for_each(|step| step.expect(&mut expected));
    let outputs = run_all_on(
        network,
        seed,
        &buffers,
        async |exchange: &Member<'_>, buffer: &mut Vec<u8>| {
            for step in &program {
                step.run(exchange, buffer).await?;
            }
            Ok(())
        },
    );
    for output in outputs {
        assert!(
            output == expected,
            "seed {seed}: {size} members, {elements} elements: {program:?}"
        );
    }
}

/// Many operations, each any of these, of two to five members.
fn check_any_of(steps: &[Step], elements: usize, network: impl Fn(Setting) -> Network) {
    for size in 2..6 {
        let any = |random: &mut Random| steps[random.below(steps.len())];
        check_on(&network, size as u64, (size, elements), (60, any));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn operations_follow_each_other_without_a_barrier(
        seed in any::<u64>(),
        size in 2usize..9,
        elements in 1usize..40,
    ) {
        check(seed, size, elements, 25);
    }
}

/// The first copy that the kernel refuses is seen by all, and nothing is lost.
#[test]
fn members_that_cannot_read_post_instead() {
    let steps = [
        Step::Reduce(allreduce::Algorithm::Read),
        Step::Allgather(allgather::Algorithm::Read),
        Step::Alltoall(alltoall::Algorithm::Read),
        Step::Reduce(allreduce::Algorithm::Measured),
        Step::Allgather(allgather::Algorithm::Measured),
        Step::Alltoall(alltoall::Algorithm::Measured),
    ];
    check_any_of(&steps, 3000, |setting| {
        Network::new(setting).without_kernel_copy()
    });
}

/// Enough operations of one kind for trials of both ways, and what they tell.
#[test]
fn members_measure_and_agree() {
    for step in [
        Step::Reduce(allreduce::Algorithm::Measured),
        Step::Allgather(allgather::Algorithm::Measured),
        Step::Alltoall(alltoall::Algorithm::Measured),
    ] {
        check_on(Network::new, 7, (3, 2000), (80, |_| step));
    }
}

#[test]
fn long_data_goes_through_all_places_of_the_board() {
    for (size, elements) in [(2, 60_000), (3, 30_001), (5, 9_000)] {
        check(size as u64, size, elements, 5);
    }
}

/// Operations that wait for nothing else, and follow each other on the same board.
#[test]
fn operations_in_the_background_do_what_others_do() {
    let steps = [
        Step::Reduce(allreduce::Algorithm::Measured),
        Step::ReduceTo(1, reduce::Algorithm::Posted),
        Step::Allgather(allgather::Algorithm::Measured),
        Step::Alltoall(alltoall::Algorithm::Measured),
        Step::Barrier,
    ];
    check_any_of(&steps, 2000, |setting| {
        Network::new(setting).in_background()
    });
}

/// Enough for a sweep up, and one down.
#[test]
fn data_that_fits_no_cache_is_read_in_either_order() {
    for step in [
        Step::Reduce(allreduce::Algorithm::Read),
        Step::Allgather(allgather::Algorithm::Read),
        Step::Alltoall(alltoall::Algorithm::Read),
    ] {
        for (size, elements) in [(2, 100_001), (3, 70_000)] {
            check_on(Network::new, 5, (size, elements), (2, |_| step));
        }
    }
}

#[test]
fn operations_that_overlap_choose_the_same_way() {
    overlap_and_choose(Network::new, allgather_beside);
    let in_background = |setting| Network::new(setting).in_background();
    overlap_and_choose(in_background, allgather_beside);
    overlap_and_choose(in_background, alltoall_beside);
}

/// Two operations side by side, often enough for trials.
fn overlap_and_choose(
    network: impl Fn(Setting) -> Network,
    step: impl AsyncFn(&Member<'_>, usize, usize) -> Result<(), CollectiveError>,
) {
    for size in [2, 3] {
        let outputs = on_board(&network, size, async |exchange| {
            for turn in 0..40 {
                let other = step(exchange, 3000, turn + 7);
                join(step(exchange, 2000, turn), other).await?;
            }
            Ok(())
        });
        assert!(outputs.into_iter().flatten().all(|output| output == Ok(())));
    }
}

async fn allgather_beside(
    exchange: &Member<'_>,
    bytes: usize,
    turn: usize,
) -> Result<(), CollectiveError> {
    let mut blocks = vec![0; bytes * exchange.size()];
    blocks[exchange.rank() * bytes..][..bytes].fill((exchange.rank() + turn) as u8);
    let step = Step::Allgather(allgather::Algorithm::Measured);
    step.run(exchange, &mut blocks).await?;
    for (rank, block) in blocks.chunks(bytes).enumerate() {
        assert!(block.iter().all(|&byte| byte == (rank + turn) as u8));
    }
    Ok(())
}

async fn alltoall_beside(
    exchange: &Member<'_>,
    bytes: usize,
    turn: usize,
) -> Result<(), CollectiveError> {
    let mut incoming = vec![0; bytes * exchange.size()];
    let outgoing: Vec<u8> = (0..exchange.size())
        .flat_map(|to| vec![(3 * exchange.rank() + to + turn) as u8; bytes])
        .collect();
    let algorithm = alltoall::Algorithm::Measured;
    alltoall_with(algorithm, exchange, &outgoing, &mut incoming).await?;
    for (from, block) in incoming.chunks(bytes).enumerate() {
        let expected = (3 * from + exchange.rank() + turn) as u8;
        assert!(block.iter().all(|&byte| byte == expected));
    }
    Ok(())
}

/// What each of `size` members gives, on a board, in every setting.
fn on_board<T>(
    network: impl Fn(Setting) -> Network,
    size: usize,
    member: impl AsyncFn(&Member<'_>) -> Result<T, CollectiveError>,
) -> Vec<Vec<Result<T, CollectiveError>>> {
    let settings = Setting::all(size as u64).into_iter();
    let outputs = settings.map(|setting| {
        let network = network(setting);
        let members = (0..size).map(|rank| {
            let exchange = network.member_with_board(rank, size);
            let member = &member;
            Box::pin(async move { member(&exchange).await }) as Running<'_, T>
        });
        network.run(members.collect())
    });
    outputs.collect()
}

#[test]
fn operations_that_overlap_keep_the_order_in_which_they_were_called() {
    let outputs = on_board(Network::new, 3, async |exchange| {
        let (mut one, mut other) = (
            [exchange.rank() as u8; 100_000],
            [7 + exchange.rank() as u8; 8],
        );
        join(
            Step::Broadcast(2).run(exchange, &mut one),
            Step::Broadcast(1).run(exchange, &mut other),
        )
        .await?;
        Ok((one[99_999], other[7]))
    });
    for output in outputs.into_iter().flatten() {
        assert_eq!(output, Ok((2, 8)));
    }
}

#[test]
fn members_that_do_not_agree_on_the_length_are_told() {
    for (sent, expected) in [(48_usize, 8_usize), (8, 48), (3000, 40)] {
        let outputs = on_board(Network::new, 2, async |exchange| {
            let fault = Fault::default();
            let recording = FaultRecording {
                exchange: Borrowed(exchange),
                fault: &fault,
            };
            let mut buffer = vec![3; if exchange.rank() == 0 { sent } else { expected }];
            let done = Step::Broadcast(0).run(&recording, &mut buffer).await;
            let outcome = fault.outcome(done);
            // The operation has gone through all its rounds: the next one is sound.
            Step::Barrier.run(exchange, &mut []).await?;
            outcome
        });
        for output in outputs {
            assert_eq!(output[0], Ok(()));
            let error = output[1].clone().unwrap_err().to_string();
            assert!(
                error.contains(&format!("sent {sent} bytes where {expected}")),
                "{error}"
            );
        }
    }
}

#[test]
fn what_follows_an_operation_that_was_dropped_is_refused() {
    let network = Network::new(Setting {
        eager_bytes: 16,
        seed: None,
    });
    let exchange = network.member_with_board(0, 2);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    {
        let dropped = pin!(Step::Barrier.run(&exchange, &mut []));
        assert!(dropped.poll(&mut context).is_pending());
    }
    let next = pin!(Step::Barrier.run(&exchange, &mut [])).poll(&mut context);
    let disturbed = CollectiveError::Exchange(ExchangeError::Disturbed);
    assert_eq!(next, Poll::Ready(Err(disturbed)));
}

#[test]
fn a_root_that_is_far_ahead_waits_for_its_readers() {
    let outputs = on_board(Network::new, 2, async |exchange| {
        let mut rounds = Rounds::begin(exchange, 40).await?;
        let mut ahead = 0;
        for index in 0..40 {
            if exchange.rank() == 0 {
                let mut draft = pin!(rounds.draft(index, 1));
                let mut waited = false;
                let draft = poll_fn(|context| {
                    let polled = draft.as_mut().poll(context);
                    waited |= polled.is_pending();
                    polled
                })
                .await;
                ahead += usize::from(!waited);
                rounds.show(draft, index, Readers::All);
            } else {
                rounds.take_of(index, 0, 1, index).await?;
            }
            rounds.finish(index);
        }
        rounds.end();
        Ok(ahead)
    });
    // It need not wait for the first places, and waited for some of the others.
    assert!(
        outputs
            .iter()
            .all(|output| (8..40).contains(output[0].as_ref().unwrap()))
    );
}

/// An exchange that is a reference to one.
struct Borrowed<'e, E>(&'e E);

impl<E: Exchange> Exchange for Borrowed<'_, E> {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn torus(&self) -> crate::collective::shape::torus::Torus {
        self.0.torus()
    }

    fn board(&self) -> Option<&crate::collective::Board> {
        self.0.board()
    }

    fn wake(&self, to: usize) {
        self.0.wake(to);
    }

    fn send(&self, to: usize, bytes: &[u8]) -> impl Future<Output = Result<(), ExchangeError>> {
        self.0.send(to, bytes)
    }

    fn receive(
        &self,
        from: usize,
        bytes: &mut [u8],
    ) -> impl Future<Output = Result<usize, ExchangeError>> {
        self.0.receive(from, bytes)
    }
}
