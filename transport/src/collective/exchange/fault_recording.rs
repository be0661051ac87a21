//! An exchange that goes on where members do not agree on the length of a message.
//!
//! A message of another length than the algorithm expects is noted as the call's [`Fault`], and the
//! algorithm goes on: were it to stop, members that wait for its next message would wait for ever.
//!
//! Step before: an algorithm. Step after: the exchange inside; who has started the operation asks
//! for the fault when it has ended.

use std::cell::Cell;
use std::future::Future;

use pamir_driver::memory::sweep::Sweep;

use crate::collective::board::Board;
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;
use crate::collective::shape::torus::Torus;
use crate::waiting::exposed_time::ExposedTime;

/// What was wrong with the messages of an operation.
#[derive(Default)]
pub struct Fault(Cell<Option<CollectiveError>>);

impl Fault {
    fn note(&self, fault: CollectiveError) {
        // The first one says most.
        let first = self.0.take().unwrap_or(fault);
        self.0.set(Some(first));
    }

    /// The first thing that was wrong; it is forgotten.
    #[inline]
    pub fn take(&self) -> Option<CollectiveError> {
        self.0.take()
    }

    /// How an operation has ended, with what was noted.
    #[inline]
    pub fn outcome(&self, done: Result<(), CollectiveError>) -> Result<(), CollectiveError> {
        match (done, self.take()) {
            (Ok(()), None) => Ok(()),
            (Err(error), _) | (Ok(()), Some(error)) => Err(error),
        }
    }
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Fault").finish_non_exhaustive()
    }
}

/// An exchange whose faults are noted.
#[derive(Debug)]
pub struct FaultRecording<'f, E> {
    /// What carries the messages.
    pub exchange: E,
    /// Where faults are noted.
    pub fault: &'f Fault,
}

impl<E: Exchange> Exchange for FaultRecording<'_, E> {
    #[inline(always)]
    fn rank(&self) -> usize {
        self.exchange.rank()
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.exchange.size()
    }

    fn torus(&self) -> Torus {
        self.exchange.torus()
    }

    fn name(&self, member: usize) -> usize {
        self.exchange.name(member)
    }

    #[inline]
    fn is_oversubscribed(&self) -> bool {
        self.exchange.is_oversubscribed()
    }

    #[inline(always)]
    fn board(&self) -> Option<&Board> {
        self.exchange.board()
    }

    #[inline(always)]
    fn wake(&self, to: usize) {
        self.exchange.wake(to);
    }

    #[inline]
    fn waits_beside(&self, member: usize) -> bool {
        self.exchange.waits_beside(member)
    }

    #[inline]
    fn awaits(&self, member: usize) {
        self.exchange.awaits(member);
    }

    #[inline]
    fn looks(&self) -> u32 {
        self.exchange.looks()
    }

    #[inline]
    fn is_blocking(&self) -> bool {
        self.exchange.is_blocking()
    }

    #[inline]
    fn exposed_time(&self) -> Option<&ExposedTime> {
        self.exchange.exposed_time()
    }

    #[inline]
    fn read(&self, from: usize, address: u64, target: &mut [u8], sweep: Sweep) -> bool {
        self.exchange.read(from, address, target, sweep)
    }

    #[inline]
    fn has_taken(&self, from: usize, bytes: usize) {
        self.exchange.has_taken(from, bytes);
    }

    #[cold]
    fn disagrees(&self, fault: CollectiveError) -> Result<(), CollectiveError> {
        self.fault.note(fault);
        Ok(())
    }

    #[inline]
    fn send(&self, to: usize, bytes: &[u8]) -> impl Future<Output = Result<(), ExchangeError>> {
        self.exchange.send(to, bytes)
    }

    #[inline]
    async fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<usize, ExchangeError> {
        let expected_bytes = bytes.len();
        match self.exchange.receive(from, bytes).await {
            Err(fault @ ExchangeError::Truncated { .. }) => self.fault.note(fault.into()),
            Ok(received_bytes) if received_bytes != expected_bytes => {
                self.fault.note(CollectiveError::Shorter {
                    from,
                    received_bytes,
                    expected_bytes,
                });
            }
            other => return other,
        }
        Ok(expected_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Poll, Waker};

    /// Every message has three bytes.
    struct Three;

    impl Exchange for Three {
        fn rank(&self) -> usize {
            0
        }

        fn size(&self) -> usize {
            2
        }

        fn torus(&self) -> Torus {
            Torus::balanced(2)
        }

        async fn send(&self, _: usize, _: &[u8]) -> Result<(), ExchangeError> {
            Ok(())
        }

        async fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<usize, ExchangeError> {
            let truncated = ExchangeError::Truncated {
                from,
                sent_bytes: 3,
                expected_bytes: bytes.len(),
            };
            (bytes.len() >= 3).then_some(3).ok_or(truncated)
        }
    }

    #[test]
    fn the_first_fault_is_kept_and_the_operation_goes_on() {
        for (bytes, second, sound) in [(3, 3, true), (2, 4, false), (4, 3, false)] {
            let fault = Fault::default();
            let recording = FaultRecording {
                exchange: Three,
                fault: &fault,
            };
            let received = async {
                let first = recording.receive(1, &mut vec![0; bytes]).await?;
                Ok::<_, ExchangeError>((first, recording.receive(1, &mut vec![0; second]).await?))
            };
            let mut context = std::task::Context::from_waker(Waker::noop());
            let received = pin!(received).as_mut().poll(&mut context);
            assert_eq!(received, Poll::Ready(Ok((bytes, second))));
            let outcome = fault.outcome(Ok(()));
            assert_eq!(outcome.is_ok(), sound);
            match (bytes, outcome) {
                (2, Err(error)) => {
                    assert!(error.to_string().contains("3 bytes where 2"), "{error}")
                }
                (4, Err(error)) => {
                    assert!(error.to_string().contains("3 bytes where 4"), "{error}")
                }
                (_, outcome) => assert_eq!(outcome, Ok(())),
            }
        }
    }
}
