//! Which way large data takes between two tasks: through the kernel, copied by both ends or by the target alone, or
//! in packets.
//!
//! Before: [`crate::tagged::arrival`] has matched a message whose data lies in one piece at both
//! ends, and whose origin waits. After: the data comes that way, and if its run is timed, that is noted.
//!
//! | way | copies | where it is the fastest |
//! |---|---|---|
//! | together | one, half of it by each end | between far processors, of data that is long, or that nobody reads |
//! | packets | two, in turn | between near processors (1 MiB in 34 us instead of 42 to 50); between far ones what was just written, up to 256 KiB |
//! | alone | one, by the target | between far processors, of data that is read when it has come and was not written anew (128 KiB: 9 us with reading it; together 18) |
//!
//! Where the processors are may change while the program runs, and the rest is different for each program and length. So
//! a target finds out which way is the fastest ([`crate::cycles`]), for each origin and length.
//!
//! Packets go round the whole lane, whose memory comes as it is first used, which takes longer than
//! the messages that it carries. So who sends but a few large messages is left alone with that,
//! and some more trials follow, until some have met memory that is there. Where messages of
//! another length from the same origin have been through that, trials begin at once.
//!
//! Only one message is timed at once, the last one that has begun: of several under way none
//! would say how soon they follow each other.

use std::cell::{Cell, RefCell};

use crate::cycles::{Cycles, Plan, RUN};
use crate::tagged::request::RequestId;
use crate::turns;

/// A way of a message's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The kernel copies it, asked by both ends.
    Together,
    /// Packets.
    Packets,
    /// The kernel copies it, asked by the target.
    Alone,
}

/// The usual one first.
const WAYS: [Way; 3] = [Way::Together, Way::Packets, Way::Alone];

/// Classes of lengths: those of the same number of binary digits, between these.
const LENGTHS: [u32; 2] = [17, 23];

const CLASSES: usize = (LENGTHS[1] - LENGTHS[0] + 1) as usize;

/// From this class on (1 MiB), both ends together are always faster than the target alone.
const NEVER_ALONE: usize = 4;

/// What is known of messages from one origin, of about the same length.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    plan: Plan,
    cycles: Cycles<{ WAYS.len() }>,
}

/// A message that is timed.
#[derive(Clone, Copy, Debug)]
struct Timed {
    id: RequestId,
    origin: usize,
    bytes: usize,
    way: Way,
    /// The number of its run.
    run: u8,
}

/// What one context has measured, of all origins.
#[derive(Debug, Default)]
pub(crate) struct MeasuredWays {
    /// For each origin; made with the first large message.
    origins: RefCell<Vec<[Measured; CLASSES]>>,
    timed: Cell<Option<Timed>>,
}

/// The next message of that class from an origin of which this is known: its way, and the number of its run if it
/// is timed.
fn next_of(origin: &mut [Measured; CLASSES], class: usize) -> (Way, Option<u8>) {
    let tried = origin.iter().any(|other| other.plan.has_tried());
    let plan = &mut origin[class].plan;
    if tried {
        plan.skip_first();
    }
    let ways = WAYS.len() - usize::from(class >= NEVER_ALONE);
    let next = plan.next(ways, RUN);
    (WAYS[next.way], next.timed)
}

fn class(bytes: usize) -> usize {
    turns::class(bytes, LENGTHS)
}

impl MeasuredWays {
    /// The way for a message of `bytes` bytes from one of so many origins, which begins now.
    pub(crate) fn begin(
        &self,
        id: RequestId,
        (origin, origins): (usize, usize),
        bytes: usize,
    ) -> Way {
        let mut measured = self.origins.borrow_mut();
        measured.resize_with(origins, Default::default);
        let (way, timed) = next_of(&mut measured[origin], class(bytes));
        let timed = timed.map(|run| Timed {
            id,
            origin,
            bytes,
            way,
            run,
        });
        self.timed.set(timed);
        way
    }

    /// All data of a message has come.
    #[inline]
    pub(crate) fn end(&self, id: RequestId) {
        if let Some(timed) = self.timed.get().filter(|timed| timed.id == id) {
            self.timed.set(None);
            self.note(timed);
        }
    }

    fn note(&self, timed: Timed) {
        let mut origins = self.origins.borrow_mut();
        let measured = &mut origins[timed.origin][class(timed.bytes)];
        let (way, run) = (timed.way as usize, timed.run);
        if let Some(told) = measured.cycles.end(way, run, RUN, timed.bytes) {
            measured.plan.follow(told);
        }
    }
}

#[cfg(test)]
impl MeasuredWays {
    /// Whether messages of `bytes` bytes from `origin` have been timed by each way.
    pub(crate) fn have_timed(&self, origin: usize, bytes: usize) -> [bool; 3] {
        let origins = self.origins.borrow();
        let measured = origins.get(origin).map(|of| of[class(bytes)]);
        measured.unwrap_or_default().cycles.have_timed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_begin_at_once_where_another_length_has_had_its_own() {
        let mut origin = [Measured::default(); CLASSES];
        for turn in 0..16 {
            let (way, _) = next_of(&mut origin, 1);
            let expected = [Way::Together, Way::Together, Way::Packets, Way::Alone][turn / 4];
            assert_eq!(way, expected);
        }
        assert_eq!(next_of(&mut origin, 4), (Way::Packets, Some(0)));
        let mut fresh = [Measured::default(); CLASSES];
        assert_eq!(next_of(&mut fresh, 4), (Way::Together, Some(0)));
    }

    #[test]
    fn long_data_is_never_copied_by_the_target_alone() {
        let mut origin = [Measured::default(); CLASSES];
        let ways: Vec<Way> = (0..64)
            .map(|_| next_of(&mut origin, NEVER_ALONE).0)
            .collect();
        assert!(ways.contains(&Way::Packets) && !ways.contains(&Way::Alone));
        assert_eq!(
            [(1 << 20) - 1, 1 << 20].map(class),
            [NEVER_ALONE - 1, NEVER_ALONE]
        );
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
