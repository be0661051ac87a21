//! Bad arguments, and members that do not agree, end in an error that says so.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::operators::Sum;
use super::simulation::{Network, Running, Setting};
use crate::collective::*;

/// What a future that needs no message from others gives.
fn alone<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the operation waits for a message"),
    }
}

#[test]
fn bad_arguments_are_refused_before_any_message() {
    let network = Network::new(Setting {
        eager_bytes: 0,
        seed: None,
    });
    let exchange = &network.member(1, 3);
    assert_eq!(
        alone(broadcast(exchange, 3, &mut [0])),
        Err(CollectiveError::RootOutside { root: 3, size: 3 })
    );
    assert_eq!(
        alone(gather(exchange, 0, ToRoot::Root(&mut [0; 3]))),
        Err(CollectiveError::WrongRole { rank: 1, root: 0 })
    );
    assert_eq!(
        alone(gather_out_of_place(exchange, &[0; 2], &mut [0; 3])),
        Err(CollectiveError::WrongLength {
            bytes: 2,
            expected_bytes: 1
        })
    );
    assert_eq!(
        alone(scatter(exchange, 1, FromRoot::Member(&mut [0; 3]))),
        Err(CollectiveError::WrongRole { rank: 1, root: 1 })
    );
    assert_eq!(
        alone(allgather(exchange, &mut [0; 4])),
        Err(CollectiveError::WrongLength {
            bytes: 4,
            expected_bytes: 3
        })
    );
    assert_eq!(
        alone(allreduce(exchange, &Sum, &mut [0; 6])),
        Err(CollectiveError::PartialElement {
            bytes: 6,
            element_bytes: 4
        })
    );
    let blocks = |displacements| Blocks::Listed {
        counts: &[2, 2, 0],
        displacements,
    };
    assert_eq!(
        alone(allgatherv(exchange, blocks(&[3, 0, 99]), &mut [0; 4])),
        Err(CollectiveError::BlockOutside {
            block: 0,
            end_bytes: 5,
            buffer_bytes: 4
        })
    );
    for algorithm in [
        moving::allgatherv::Algorithm::Linear,
        moving::allgatherv::Algorithm::Ring,
    ] {
        let buffer = &mut [0; 4];
        assert_eq!(
            alone(allgatherv_with(
                algorithm,
                exchange,
                blocks(&[1, 0, 99]),
                buffer
            )),
            Err(CollectiveError::BlocksOverlap {
                first: 1,
                second: 0
            })
        );
    }
    assert_eq!(
        alone(allgatherv(exchange, blocks(&[0, 2]), &mut [0; 4])),
        Err(CollectiveError::WrongBlockCount {
            blocks: 2,
            partners: 3
        })
    );
    assert_eq!(
        alone(reduce_scatter(
            exchange,
            &Sum,
            Blocks::Listed {
                counts: &[4, 4, 0],
                displacements: &[4, 0, 0]
            },
            &[0; 8],
            &mut [0; 4],
        )),
        Err(CollectiveError::BlocksNotPacked {
            block: 0,
            start_bytes: 4,
            expected_start_bytes: 0
        })
    );
    assert_eq!(
        alone(allgather_with(
            moving::allgather::Algorithm::RecursiveDoubling,
            exchange,
            &mut [0; 3]
        )),
        Err(CollectiveError::Unsuitable {
            kind: "allgather",
            algorithm: "recursive_doubling",
            ranks: 3,
            commutative: true,
            needs: "a power of two of ranks"
        })
    );
    network.assert_quiet();
}

#[test]
fn lengths_that_do_not_match_are_errors() {
    for (sent, expected, error) in [
        (
            5,
            4,
            CollectiveError::Exchange(ExchangeError::Truncated {
                from: 0,
                sent_bytes: 5,
                expected_bytes: 4,
            }),
        ),
        (
            3,
            4,
            CollectiveError::Shorter {
                from: 0,
                received_bytes: 3,
                expected_bytes: 4,
            },
        ),
    ] {
        for setting in Setting::all(3) {
            let network = Network::new(setting);
            let members = (0..2)
                .map(|rank| {
                    let exchange = network.member(rank, 2);
                    let mut buffer = vec![0; if rank == 0 { sent } else { expected }];
                    Box::pin(async move { broadcast(&exchange, 0, &mut buffer).await })
                        as Running<'_, ()>
                })
                .collect();
            assert_eq!(network.run(members), [Ok(()), Err(error.clone())]);
        }
    }
}
