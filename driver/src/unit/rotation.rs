//! Which lanes a poll looks at.
//!
//! Before: [`super::MessagingUnit::poll`]. After: the lanes, in this order.
//!
//! A unit has a lane from each unit of its job, and most of many never carry anything: a client
//! has room for more contexts than its program makes, and a code talks to its neighbours. Looking
//! at a lane costs a line of the cache. So a poll looks at each lane that has carried something,
//! and at one of the others in turn:
//!
//! ```text
//! order:  3  0  9 │ 1  2  4  5  6  7  8
//!         warm    │       ▲ cold, one a poll
//! ```
//!
//! Invariants: `order` is a permutation of the origins, the warm ones first; a lane that has
//! carried something stays warm. Whoever goes to sleep looks at all lanes before
//! ([`super::MessagingUnit::any_arrived`]).

use std::cell::Cell;

/// Up to so many lanes, each poll looks at all of them.
const ALWAYS_WARM: usize = 8;

/// The order in which a unit polls its lanes.
#[derive(Debug)]
pub(super) struct Rotation {
    order: Vec<Cell<u32>>,
    warm: Cell<usize>,
    /// The place in `order` of the cold lane whose turn is next.
    next: Cell<usize>,
    /// The lane that has carried the last packet: most likely the next one too.
    recent: Cell<usize>,
}

impl Rotation {
    /// The rotation over `lanes` lanes; where polls are rare, since the unit shares its
    /// processor, all lanes are looked at each time.
    pub(super) fn new(lanes: usize, crowded: bool) -> Self {
        let warm = if crowded || lanes <= ALWAYS_WARM {
            lanes
        } else {
            0
        };
        Self {
            order: (0..lanes as u32).map(Cell::new).collect(),
            warm: Cell::new(warm),
            next: Cell::new(warm),
            recent: Cell::new(0),
        }
    }

    /// The warm lanes.
    #[inline(always)]
    pub(super) fn warm(&self) -> impl Iterator<Item = usize> {
        let lanes = &self.order[..self.warm.get()];
        lanes.iter().map(|lane| lane.get() as usize)
    }

    /// The cold lane whose turn it is, if any lane is cold.
    #[inline(always)]
    pub(super) fn cold(&self) -> Option<usize> {
        let next = self.next.get();
        let lane = self.order.get(next)?.get() as usize;
        let after = next + 1;
        self.next.set(if after < self.order.len() {
            after
        } else {
            self.warm.get()
        });
        Some(lane)
    }

    /// The lane in which a poll has found something last.
    #[inline(always)]
    pub(super) fn recent(&self) -> usize {
        self.recent.get()
    }

    /// A poll has found something in `lane`.
    #[inline(always)]
    pub(super) fn found(&self, lane: usize) {
        self.recent.set(lane);
    }

    /// The lane that [`Self::cold`] gave last has carried something.
    #[cold]
    pub(super) fn warm_up(&self, lane: usize) {
        let warm = self.warm.get();
        let found = self.order[warm..]
            .iter()
            .position(|cold| cold.get() as usize == lane);
        if let Some(place) = found {
            self.order[warm].swap(&self.order[warm + place]);
            self.warm.set(warm + 1);
            self.next.set(self.next.get().max(warm + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polled(rotation: &Rotation) -> Vec<usize> {
        rotation.warm().chain(rotation.cold()).collect()
    }

    #[test]
    fn few_lanes_are_all_polled_each_time() {
        let rotation = Rotation::new(ALWAYS_WARM, false);
        let all: Vec<usize> = (0..ALWAYS_WARM).collect();
        assert_eq!(polled(&rotation), all);
        assert_eq!(polled(&rotation), all);
        assert_eq!(polled(&Rotation::new(20, true)).len(), 20);
    }

    #[test]
    fn cold_lanes_take_turns_and_warm_ones_stay() {
        let rotation = Rotation::new(10, false);
        assert_eq!(polled(&rotation), [0]);
        assert_eq!(polled(&rotation), [1]);
        assert_eq!(polled(&rotation), [2]);
        rotation.warm_up(2);
        for _ in 0..9 {
            let lanes = polled(&rotation);
            assert_eq!((lanes.len(), lanes[0]), (2, 2));
        }
    }

    #[test]
    fn every_lane_has_its_turn_whichever_warm_up() {
        let rotation = Rotation::new(12, false);
        for lane in [11, 0, 5, 4, 6] {
            let turns = (0..24).map(|_| polled(&rotation));
            let seen: std::collections::BTreeSet<usize> = turns.flatten().collect();
            assert_eq!(seen, (0..12).collect());
            rotation.warm_up(lane);
            assert!(rotation.warm().any(|warm| warm == lane));
        }
        for lane in 0..12 {
            rotation.warm_up(lane);
        }
        assert_eq!(polled(&rotation).len(), 12);
        assert_eq!(rotation.cold(), None);
    }
}
