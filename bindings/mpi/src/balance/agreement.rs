//! What members agree on while they wait for each other.
//!
//! Before: a member has announced the end of its cycle. After: all have, and everybody knows who
//! was busy for longest; or everybody knows what each item costs.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

use pamir_transport::collective::Reduction;

use super::watch::Watch;

/// The two words of an element.
pub fn words(bytes: &[u8]) -> [u64; 2] {
    let word = |at: usize| {
        let bytes = bytes
            .get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_ne_bytes)
    };
    [word(0), word(8)]
}

/// The greatest (busy time, member).
pub struct Greatest;

impl Reduction for Greatest {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        for (incoming, inout) in incoming.chunks_exact(16).zip(inout.chunks_exact_mut(16)) {
            if words(incoming) > words(inout) {
                inout.copy_from_slice(incoming);
            }
        }
    }

    fn commutative(&self) -> bool {
        true
    }

    fn element_bytes(&self) -> usize {
        16
    }
}

/// Bytes of which one member at most has others than 0.
pub struct Either;

impl Reduction for Either {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        for (incoming, inout) in incoming.iter().zip(inout) {
            *inout |= incoming;
        }
    }

    fn commutative(&self) -> bool {
        true
    }

    fn element_bytes(&self) -> usize {
        1
    }
}

/// A wait during which notifications are evaluated.
pub struct Watched<'a, F> {
    /// What is waited for.
    pub future: Pin<&'a mut F>,
    /// What evaluates them.
    pub watch: &'a Watch,
}

impl<F: Future> Future for Watched<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, task: &mut std::task::Context<'_>) -> Poll<F::Output> {
        let polled = self.future.as_mut().poll(task);
        if polled.is_pending() {
            self.watch.look();
            // The own part is told: nobody waits for this member before the last one has called.
            self.watch.set_up_in_wait();
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_busy_time_wins_and_the_higher_rank_of_two() {
        let element = |busy: u64, member: u64| [busy.to_ne_bytes(), member.to_ne_bytes()].concat();
        let mut inout = element(5, 1);
        Greatest.combine(&element(5, 3), &mut inout);
        assert_eq!(words(&inout), [5, 3]);
        Greatest.combine(&element(4, 9), &mut inout);
        assert_eq!(words(&inout), [5, 3]);
    }

    #[test]
    fn members_that_tell_different_bytes_tell_them_all() {
        let mut inout = [1, 0, 0];
        Either.combine(&[0, 0, 7], &mut inout);
        assert_eq!(inout, [1, 0, 7]);
    }
}
