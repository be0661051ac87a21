//! Futures that go on side by side, without an executor.
//!
//! [`join`] is what a concurrent send and receive need; [`Concurrent`] holds any
//! number of equal futures (all receives of a gather). Both poll their futures in
//! the order in which they were given, which fixes the order in which messages
//! match ([`crate::collective::exchange`]), and both end at the first error: the other futures
//! are dropped then, and an [`crate::collective::exchange::Exchange`] withdraws what they posted. [`others_first`] is for a future
//! that could go on, and leaves the turn to the others.
//!
//! Invariant: a future that has finished is not polled again.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use crate::collective::error::CollectiveError;

/// Lets all that is under way besides go on once.
pub fn others_first() -> impl Future<Output = ()> {
    let mut waited = false;
    poll_fn(move |_| {
        if std::mem::replace(&mut waited, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
}

/// Runs two futures side by side and gives both outputs, or the first error.
pub async fn join<First, Second, T, U, Error>(first: First, second: Second) -> Result<(T, U), Error>
where
    First: Future<Output = Result<T, Error>>,
    Second: Future<Output = Result<U, Error>>,
{
    let mut first = pin!(first);
    let mut second = pin!(second);
    let mut first_output = None;
    let mut second_output = None;
    poll_fn(|context| {
        if first_output.is_none()
            && let Poll::Ready(output) = first.as_mut().poll(context)
        {
            first_output = Some(output?);
        }
        if second_output.is_none()
            && let Poll::Ready(output) = second.as_mut().poll(context)
        {
            second_output = Some(output?);
        }
        match (first_output.take(), second_output.take()) {
            (Some(first), Some(second)) => Poll::Ready(Ok((first, second))),
            (first, second) => {
                first_output = first;
                second_output = second;
                Poll::Pending
            }
        }
    })
    .await
}

/// A list of equal futures that run side by side.
pub struct Concurrent<F> {
    /// `None` where the future has finished.
    futures: Vec<Option<F>>,
}

impl<F, Error> Concurrent<F>
where
    F: Future<Output = Result<(), Error>>,
{
    /// An empty list with room for `capacity` futures.
    pub fn with_capacity(capacity: usize) -> Result<Self, CollectiveError> {
        let mut futures = Vec::new();
        futures
            .try_reserve_exact(capacity)
            .map_err(|_| CollectiveError::OutOfMemory {
                bytes: capacity.saturating_mul(size_of::<Option<F>>()),
            })?;
        Ok(Self { futures })
    }

    /// Adds a future; it is first polled after those that were added before it.
    pub fn push(&mut self, future: F) {
        self.futures.push(Some(future));
    }

    /// Runs all futures until the last has finished, or one fails.
    pub async fn finish(self) -> Result<(), Error> {
        let mut futures = self.futures;
        let mut unfinished = futures.len();
        poll_fn(move |context| {
            for slot in &mut futures {
                let Some(future) = slot.as_mut() else {
                    continue;
                };
                // SAFETY: the future lies in the vector's memory, which this closure owns and
                // never lets grow, shrink or hand out: the future stays where it is until it is
                // dropped in place, by the assignment below or with the vector.
                let future = unsafe { Pin::new_unchecked(future) };
                if let Poll::Ready(output) = future.poll(context) {
                    *slot = None;
                    unfinished -= 1;
                    output?;
                }
            }
            if unfinished == 0 {
                Poll::Ready(Ok(()))
            } else {
                Poll::Pending
            }
        })
        .await
    }
}

/// Runs all futures of an array or a vector side by side until the last has finished, or one fails.
pub async fn join_all<F>(futures: impl IntoIterator<Item = F>) -> Result<(), CollectiveError>
where
    F: Future<Output = Result<(), CollectiveError>>,
{
    let futures = futures.into_iter();
    let mut list = Concurrent::with_capacity(futures.size_hint().0)?;
    for future in futures {
        list.push(future);
    }
    list.finish().await
}
