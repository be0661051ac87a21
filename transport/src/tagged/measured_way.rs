//! Which way large data takes between two tasks: through the kernel, or in packets.
//!
//! Before: [`crate::tagged::arrival`] has matched a message whose data lies in one piece at both
//! ends, and whose origin waits. After: the data comes that way, and how long it took is known.
//!
//! Through the kernel both ends copy half of it, once. In packets each end copies all of it, in turn
//! with the other. Which is the faster depends on where the two processors are: between near
//! ones packets pass from cache to cache, 34 us for 1 MiB instead of 42 to 50; between far ones it is 80
//! instead of 45. That may change while the program runs, and is different for each length. So
//! a target measures what it receives, from the match to the last byte, by origin and length, and
//! goes on with the faster way; now and then it tries the other one again.
//!
//! ```text
//! turn 0 to 7: kernel │ 8, 10, 12, 14: packets, else kernel │ 16 ...: the faster │ 24, 32 ... 56, 256, 512 ...: the other
//! ```
//!
//! Packets go round the whole lane, whose memory comes as it is first used, which takes longer than
//! the messages that it carries. So who sends but a few large messages is left alone with that,
//! and trials are frequent at first, until some have met memory that is there. Where messages of
//! another length from the same origin have been through that, trials begin at once.
//!
//! Only one message is timed at once, the last one that has begun: of several under way none
//! would say how long it takes by itself.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use crate::tagged::request::RequestId;
use crate::turns::{self, SINGLE, Turns, note};

/// A way of a message's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The kernel copies it, asked by both ends.
    Kernel,
    /// Packets.
    Packets,
}

/// Classes of lengths: those of the same number of binary digits, between these.
const LENGTHS: [u32; 2] = [17, 23];

const CLASSES: usize = (LENGTHS[1] - LENGTHS[0] + 1) as usize;

/// What is known of messages from one origin, of about the same length.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    turns: Turns,
    /// Nanoseconds a byte by each way; 0: not measured.
    kernel: f32,
    packets: f32,
}

impl Measured {
    /// The way of the next message.
    fn next(&mut self) -> Way {
        if self.turns.next_is_other(SINGLE, self.packets < self.kernel) {
            Way::Packets
        } else {
            Way::Kernel
        }
    }

    fn note(&mut self, way: Way, took: f32) {
        match way {
            Way::Kernel => note(&mut self.kernel, took),
            Way::Packets => note(&mut self.packets, took),
        }
    }
}

/// A message that is timed.
#[derive(Clone, Copy, Debug)]
struct Timed {
    id: RequestId,
    origin: usize,
    bytes: usize,
    way: Way,
    begin: Instant,
}

/// What one context has measured, of all origins.
#[derive(Debug, Default)]
pub(crate) struct MeasuredWays {
    /// For each origin; made with the first large message.
    origins: RefCell<Vec<[Measured; CLASSES]>>,
    timed: Cell<Option<Timed>>,
}

/// The way of the next message of that class from an origin of which this is known.
fn next_of(origin: &mut [Measured; CLASSES], class: usize) -> Way {
    let tried = origin.iter().any(|other| other.turns.have_tried());
    let own = &mut origin[class];
    if tried {
        own.turns.skip_first();
    }
    own.next()
}

fn class(bytes: usize) -> usize {
    turns::class(bytes, LENGTHS)
}

impl MeasuredWays {
    /// The way for a message of `bytes` bytes from one of so many origins, timed from now on.
    pub(crate) fn begin(
        &self,
        id: RequestId,
        (origin, origins): (usize, usize),
        bytes: usize,
    ) -> Way {
        let mut measured = self.origins.borrow_mut();
        measured.resize(origins, Default::default());
        let way = next_of(&mut measured[origin], class(bytes));
        self.timed.set(Some(Timed {
            id,
            origin,
            bytes,
            way,
            begin: Instant::now(),
        }));
        way
    }

    /// All data of a message has come.
    #[inline]
    pub(crate) fn end(&self, id: RequestId) {
        if let Some(timed) = self.timed.get().filter(|timed| timed.id == id) {
            self.timed.set(None);
            let took = timed.begin.elapsed().as_nanos() as f32 / timed.bytes as f32;
            self.origins.borrow_mut()[timed.origin][class(timed.bytes)].note(timed.way, took);
        }
    }
}

#[cfg(test)]
impl MeasuredWays {
    /// Whether messages of `bytes` bytes from `origin` have been timed by each way.
    pub(crate) fn have_timed(&self, origin: usize, bytes: usize) -> [bool; 2] {
        let origins = self.origins.borrow();
        let measured = origins
            .get(origin)
            .map_or(Measured::default(), |of| of[class(bytes)]);
        [measured.kernel, measured.packets].map(|known| known != 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::{ALTERNATING_TURNS, FIRST_TURNS};

    const FIRST_TRIALS: u32 = SINGLE.first_trials;

    const PERIOD: u32 = SINGLE.period;

    /// Ways of so many messages where one by the kernel takes `kernel` and one in packets `packets`.
    fn ways(measured: &mut Measured, messages: usize, kernel: f32, packets: f32) -> Vec<Way> {
        let mut one = || {
            let way = measured.next();
            let took = if way == Way::Kernel { kernel } else { packets };
            measured.note(way, took);
            way
        };
        (0..messages).map(|_| one()).collect()
    }

    fn share_of_packets(ways: &[Way]) -> f64 {
        let packets = ways.iter().filter(|way| **way == Way::Packets).count();
        packets as f64 / ways.len() as f64
    }

    #[test]
    fn the_faster_way_is_taken_but_for_a_trial_now_and_then() {
        let mut measured = Measured::default();
        let first = FIRST_TRIALS as usize;
        ways(&mut measured, first, 0.05, 0.03);
        assert!(share_of_packets(&ways(&mut measured, 2560, 0.05, 0.03)) > 0.98);
        let mut measured = Measured::default();
        ways(&mut measured, first, 0.03, 0.05);
        let taken = share_of_packets(&ways(&mut measured, 2560, 0.03, 0.05));
        assert!(taken < 0.02 && taken > 0.0, "{taken}");
    }

    #[test]
    fn what_becomes_faster_is_found() {
        let mut measured = Measured::default();
        ways(&mut measured, 500, 0.05, 0.03);
        // The processors are far apart now.
        ways(&mut measured, 3 * PERIOD as usize, 0.05, 0.08);
        assert!(share_of_packets(&ways(&mut measured, 640, 0.05, 0.08)) < 0.05);
        // And near again: only a trial can tell.
        ways(&mut measured, 8 * PERIOD as usize, 0.05, 0.03);
        assert!(share_of_packets(&ways(&mut measured, 640, 0.05, 0.03)) > 0.95);
    }

    #[test]
    fn memory_that_is_used_for_the_first_time_is_soon_forgotten() {
        let mut measured = Measured::default();
        // Each of these goes round a quarter of the lane.
        let mut fresh = 4;
        for _ in 0..FIRST_TRIALS {
            let way = measured.next();
            let took = match way {
                Way::Kernel => 0.05,
                Way::Packets if fresh == 0 => 0.03,
                Way::Packets => {
                    fresh -= 1;
                    10.0
                }
            };
            measured.note(way, took);
        }
        assert!(share_of_packets(&ways(&mut measured, 640, 0.05, 0.03)) > 0.98);
    }

    #[test]
    fn trials_begin_at_once_where_another_length_has_had_its_own() {
        let mut origin = [Measured::default(); CLASSES];
        for turn in 0..ALTERNATING_TURNS {
            let way = next_of(&mut origin, 1);
            assert!(turn >= FIRST_TURNS || way == Way::Kernel);
            origin[1].note(way, 0.05);
        }
        assert_eq!(next_of(&mut origin, 4), Way::Packets);
        let mut fresh = [Measured::default(); CLASSES];
        assert_eq!(next_of(&mut fresh, 4), Way::Kernel);
    }

    #[test]
    fn one_slow_message_changes_nothing() {
        let mut measured = Measured::default();
        ways(&mut measured, 100, 0.05, 0.03);
        measured.note(Way::Packets, 0.1);
        assert_eq!(measured.next(), Way::Packets);
    }

    #[test]
    fn lengths_have_classes() {
        assert_eq!([0, 1 << 16, (1 << 17) - 1].map(class), [0; 3]);
        assert_eq!(
            [1 << 17, 1 << 20, 1 << 22, usize::MAX].map(class),
            [1, 4, 6, 6]
        );
    }
}
