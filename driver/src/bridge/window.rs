//! How much may be under way on one lane between two nodes.
//!
//! Before: a record waits in a lane that leads to another node. After: it is carried there only if
//! the other bridge has room to keep it until the target has some; else it stays where it is, so
//! that the lane fills up and its origin waits, as it would for a slow target of its own node.
//!
//! ```text
//! origin's bridge                              target's bridge
//!   admit: in flight + lines ≤ limit ── record ──▶ arrive: held + lines ≤ limit
//!   credit ◀────────────────────────── lines ──── injected: owed a quarter of the limit
//! ```
//!
//! Each lane has a window of its own, so a target that reads nothing stops nobody else's messages.
//!
//! Invariants: held ≤ in flight ≤ limit; a waiter for room is credited without sending more,
//! since the longest record is half of a window and less than a quarter is owed unsaid.

/// Lines of a window on lanes whose rings have so many.
pub(super) const fn limit_lines(ring_lines: u64) -> u64 {
    ring_lines / 2
}

/// The sending end.
#[derive(Debug)]
pub(super) struct SendWindow {
    limit: u64,
    in_flight: u64,
}

impl SendWindow {
    pub(super) fn new(ring_lines: u64) -> Self {
        Self {
            limit: limit_lines(ring_lines),
            in_flight: 0,
        }
    }

    /// Whether a record of so many lines may go.
    pub(super) fn admits(&self, lines: u64) -> bool {
        self.in_flight + lines <= self.limit
    }

    /// It goes.
    pub(super) fn sent(&mut self, lines: u64) {
        self.in_flight += lines;
    }

    /// The other end gives lines back; false if there were not so many under way.
    pub(super) fn credit(&mut self, lines: u64) -> bool {
        let left = self.in_flight.checked_sub(lines);
        self.in_flight = left.unwrap_or(self.in_flight);
        left.is_some()
    }
}

/// The receiving end.
#[derive(Debug)]
pub(super) struct ReceiveWindow {
    limit: u64,
    held: u64,
    owed: u64,
}

impl ReceiveWindow {
    pub(super) fn new(ring_lines: u64) -> Self {
        Self {
            limit: limit_lines(ring_lines),
            held: 0,
            owed: 0,
        }
    }

    /// A record of so many lines has come; false if it may not.
    pub(super) fn arrive(&mut self, lines: u64) -> bool {
        let fits = lines <= self.limit - self.held;
        self.held += if fits { lines } else { 0 };
        fits
    }

    /// A record is in its target's lane; what is to be given back now, if anything.
    pub(super) fn injected(&mut self, lines: u64) -> Option<u64> {
        self.owed += lines;
        if self.owed * 4 < self.limit {
            return None;
        }
        self.held -= self.owed;
        Some(std::mem::take(&mut self.owed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn more_than_a_window_is_neither_sent_nor_taken() {
        let (mut sending, mut receiving) = (SendWindow::new(128), ReceiveWindow::new(128));
        for _ in 0..2 {
            assert!(sending.admits(32) && receiving.arrive(32));
            sending.sent(32);
        }
        assert!(!sending.admits(1) && !receiving.arrive(1));
        assert!(!sending.credit(65) && sending.credit(64) && !sending.credit(1));
    }

    proptest! {
        /// Records of every length that lanes carry, and a target that reads now and then: nothing
        /// is sent too much, and whatever waits goes on once the target has read all.
        #[test]
        fn nobody_waits_for_ever(
            ring_power in 7_u32..16,
            steps in proptest::collection::vec((any::<u32>(), any::<bool>()), 1..400),
        ) {
            let ring = 1_u64 << ring_power;
            let (mut sending, mut receiving) = (SendWindow::new(ring), ReceiveWindow::new(ring));
            let mut waiting = VecDeque::new();
            for (number, reads) in steps {
                let lines = u64::from(number) % (ring / 4) + 1;
                let mut read = |waiting: &mut VecDeque<u64>, sending: &mut SendWindow| {
                    waiting.drain(..).all(|lines| {
                        receiving.injected(lines).is_none_or(|owed| sending.credit(owed))
                    })
                };
                if reads {
                    prop_assert!(read(&mut waiting, &mut sending));
                }
                if !sending.admits(lines) {
                    prop_assert!(read(&mut waiting, &mut sending));
                }
                prop_assert!(sending.admits(lines));
                sending.sent(lines);
                prop_assert!(receiving.arrive(lines));
                waiting.push_back(lines);
            }
        }
    }
}
