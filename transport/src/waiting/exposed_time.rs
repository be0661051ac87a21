//! How much of an operation's time its caller has waited for.
//!
//! Before: an operation in the background that is worth timing (`ExposedTime::time`). After: what it has cost its
//! caller is known. An operation that goes on in the background takes as long as the program computes, which tells
//! nothing of it; what counts is the time in its own steps, and in calls that wait for it:
//!
//! ```text
//! caller     start │ computes ............... │ wait                          │
//! operation  step  │                          │ copies  step  step   its last │
//! counts     ════  │                          │ ══════════════════════════════│
//! ```
//!
//! Invariant: nobody reads a clock while nothing is timed.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::time::{Duration, Instant};

/// Since when one task waits for operations of its own that go on in the background.
#[derive(Debug, Default)]
pub struct ExposedTime {
    since: Cell<Option<Instant>>,
    /// Operations that want to know.
    timed: Cell<usize>,
}

/// One operation that wants to know, as long as it is under way.
struct Timed<'a>(&'a ExposedTime);

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        self.0.timed.set(self.0.timed.get() - 1);
    }
}

impl ExposedTime {
    /// The caller waits, while `wait` runs.
    pub(crate) fn during<T>(&self, wait: impl FnOnce() -> T) -> T {
        let is_timed = self.timed.get() > 0;
        self.since.set(is_timed.then(Instant::now));
        let waited = wait();
        self.since.set(None);
        waited
    }

    fn timed(&self) -> Timed<'_> {
        self.timed.set(self.timed.get() + 1);
        Timed(self)
    }

    /// Since when the operation's time counts that goes on now, after a step that ended at `last`.
    fn counts_from(&self, last: Option<Instant>) -> Instant {
        match (self.since.get(), last) {
            (Some(since), Some(last)) => since.max(last),
            _ => Instant::now(),
        }
    }

    /// Runs an operation, and gives what it has cost its caller.
    pub(crate) async fn time<T>(
        &self,
        mut operation: Pin<&mut impl Future<Output = T>>,
    ) -> (T, Duration) {
        let _timed = self.timed();
        let (mut took, mut last) = (Duration::ZERO, None);
        poll_fn(|task| {
            let begin = self.counts_from(last);
            let polled = operation.as_mut().poll(task);
            let end = Instant::now();
            took += end - begin;
            last = Some(end);
            polled.map(|result| (result, took))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::thread::sleep;

    use super::*;

    const STEP: Duration = Duration::from_millis(5);

    #[test]
    fn what_the_caller_computes_does_not_count() {
        let exposed_time = ExposedTime::default();
        let mut steps = 0;
        let operation = pin!(poll_fn(|_| {
            steps += 1;
            sleep(STEP);
            if steps < 3 {
                Poll::Pending
            } else {
                Poll::Ready(())
            }
        }));
        let mut operation = pin!(exposed_time.time(operation));
        let mut step = || {
            operation
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
        };
        assert!(step().is_pending());
        sleep(40 * STEP);
        assert!(step().is_pending());
        let waited = exposed_time.during(|| {
            sleep(10 * STEP);
            step()
        });
        let Poll::Ready(((), took)) = waited else {
            panic!("three steps are all");
        };
        assert!((13 * STEP..40 * STEP).contains(&took), "{took:?}");
        assert_eq!(exposed_time.timed.get(), 0);
    }

    #[test]
    fn nobody_looks_at_a_clock_for_what_is_not_timed() {
        let exposed_time = ExposedTime::default();
        exposed_time.during(|| assert_eq!(exposed_time.since.get(), None));
        let timed = exposed_time.timed();
        exposed_time.during(|| assert!(exposed_time.since.get().is_some()));
        assert_eq!(exposed_time.since.get(), None);
        drop(timed);
        assert_eq!(exposed_time.timed.get(), 0);
    }
}
