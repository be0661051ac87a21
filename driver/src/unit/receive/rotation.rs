//! Which lanes a poll looks at.
//!
//! Before: [`crate::unit::MessagingUnit::poll`]. After: the lanes, in this order.
//!
//! A unit has a lane from each unit of its job, and most of many never carry anything: a client
//! has room for more contexts than its program makes, and a code talks to its neighbours. Looking
//! at a lane costs a line of the cache, and a page of memory that nobody else touches. So a poll looks
//! at the bells of those that have carried nothing yet (`pamir_shm::sleep::bells`), and at all others:
//!
//! ```text
//! bells   0 0 0 1 0 0 0 0 0 1 0 ...    a word for 64 lanes
//!               │           │
//! order   3  9  ◀───────────┘    in the order in which they were found open
//! ```
//!
//! Invariants: no lane stands in `order` twice; a lane that is open stays open; a lane stands there exactly
//! if its bit in `known` is set, but where all are open from the beginning. A task that goes to sleep looks
//! at all bells before ([`crate::unit::MessagingUnit::any_arrived`]).

use std::cell::Cell;

use pamir_shm::sleep::bells::{BELL_WORDS, Bells};

/// Up to so many lanes are open from the beginning: their bells would be one look more for each poll.
const ALWAYS_OPEN: usize = 8;

/// The order in which a unit polls its lanes.
#[derive(Debug)]
pub(in crate::unit) struct Rotation {
    /// Room for all lanes.
    order: Vec<Cell<u32>>,
    open: Cell<usize>,
    /// The bells that have been seen.
    known: [Cell<u64>; BELL_WORDS],
    /// The lane that has carried the last packet: most likely the next one too.
    recent: Cell<usize>,
}

impl Rotation {
    /// The rotation over `lanes` lanes.
    pub(in crate::unit) fn new(lanes: usize) -> Self {
        Self {
            order: (0..lanes as u32).map(Cell::new).collect(),
            open: Cell::new(if lanes <= ALWAYS_OPEN { lanes } else { 0 }),
            known: [const { Cell::new(0) }; BELL_WORDS],
            recent: Cell::new(0),
        }
    }

    /// The open lanes.
    #[inline(always)]
    pub(in crate::unit) fn open(&self) -> impl Iterator<Item = usize> {
        let lanes = &self.order[..self.open.get()];
        lanes.iter().map(|lane| lane.get() as usize)
    }

    /// Opens the lanes whose bells have rung since the last time.
    #[inline(always)]
    pub(in crate::unit) fn open_rung(&self, bells: &Bells) {
        if self.open.get() < self.order.len() {
            self.look(bells);
        }
    }

    #[inline]
    fn look(&self, bells: &Bells) {
        let words = self.order.len().div_ceil(u64::BITS as usize);
        for (index, known) in self.known[..words].iter().enumerate() {
            let rung = bells.word(index);
            if rung != known.get() {
                self.take_up(index, rung);
            }
        }
    }

    /// Opens the lanes of word `index` that have rung. Origins write there, so what they say is not believed: no
    /// lane is opened that there is not, nor one twice.
    #[cold]
    fn take_up(&self, index: usize, rung: u64) {
        let known = &self.known[index];
        for bit in 0..u64::BITS as usize {
            let lane = index * u64::BITS as usize + bit;
            let is_new = (rung & !known.get()) >> bit & 1 != 0;
            if is_new && lane < self.order.len() {
                self.order[self.open.get()].set(lane as u32);
                self.open.set(self.open.get() + 1);
                known.set(known.get() | 1 << bit);
            }
        }
    }

    /// The lane in which a poll has found something last.
    #[inline(always)]
    pub(in crate::unit) fn recent(&self) -> usize {
        self.recent.get()
    }

    /// A poll has found something in `lane`.
    #[inline(always)]
    pub(in crate::unit) fn found(&self, lane: usize) {
        self.recent.set(lane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polled(rotation: &Rotation, bells: &Bells) -> Vec<usize> {
        rotation.open_rung(bells);
        rotation.open().collect()
    }

    #[test]
    fn few_lanes_are_all_polled_though_no_bell_has_rung() {
        let rotation = Rotation::new(ALWAYS_OPEN);
        let all: Vec<usize> = (0..ALWAYS_OPEN).collect();
        assert_eq!(polled(&rotation, &Bells::default()), all);
    }

    #[test]
    fn of_many_lanes_those_are_polled_whose_bells_have_rung() {
        let (rotation, bells) = (Rotation::new(200), Bells::default());
        assert_eq!(polled(&rotation, &bells), []);
        bells.ring(199);
        assert_eq!(polled(&rotation, &bells), [199]);
        bells.ring(64);
        bells.ring(3);
        assert_eq!(polled(&rotation, &bells), [199, 3, 64]);
        bells.ring(3);
        assert_eq!(polled(&rotation, &bells), [199, 3, 64]);
    }

    #[test]
    fn once_all_are_open_bells_are_not_looked_at() {
        let (rotation, bells) = (Rotation::new(70), Bells::default());
        (0..70).rev().for_each(|lane| bells.ring(lane));
        assert_eq!(polled(&rotation, &bells).len(), 70);
        assert_eq!(polled(&rotation, &Bells::default()).len(), 70);
    }

    #[test]
    fn a_bell_of_no_lane_opens_nothing() {
        let (rotation, bells) = (Rotation::new(70), Bells::default());
        [70, 127, 128, 1023]
            .iter()
            .for_each(|&lane| bells.ring(lane));
        assert_eq!(polled(&rotation, &bells), []);
        bells.ring(69);
        assert_eq!(polled(&rotation, &bells), [69]);
    }
}
