//! Whether data of middle length goes at once, or its target is asked first.
//!
//! Before: a send whose caller waits, of data in one piece that would be eager, but is not short. After: it goes
//! in packets at once, or as a request to send, and both ends copy it through the kernel.
//!
//! In packets each byte is copied twice, and passes through the ring. Between near processors that is the faster:
//! 64 KiB in 2.9 us. Between far ones it takes 6, and the kernel's copy 2.5 to 4.3. It also depends on
//! the data: what its owner has just written must come from there, once by the kernel, twice in packets (16
//! KiB in 2.3 us in packets, 3.8 by the kernel; what was not written since it was sent last 2.3 and 1.5).
//! Who comes late to its receive finds packets there already, and lets its sender go on.
//!
//! So the target measures, from the first packet to the last byte, or from the match, and tells the origin
//! when the other way has become the faster; the origin tries the slower one now and then.
//!
//! ```text
//! origin                                        target
//!   EAGER_LONG (timed), CONTINUATION ... ─────▶ times it
//!   REQUEST_TO_SEND (timed) ──────────────────▶ times it
//!   keeps that        ◀──────── PREFERENCE ──── which is the faster, if that has changed
//! ```
//!
//! Invariant: what is told is a hint; either way is right at any time.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use pamir_driver::packet::Packet;
use pamir_driver::unit::UnitError;

use crate::context::Context;
use crate::protocol::kind;
use crate::tagged::request::RequestId;
use crate::turns::{self, SINGLE, Turns, note, takes_other};

/// In an `EAGER_LONG` or a `REQUEST_TO_SEND`: the target shall time it.
pub(crate) const TIMED: u16 = 64;

/// In a `PREFERENCE`, beside the class: asking is the faster.
const ASKING: u16 = 256;

/// Classes of lengths: those of the same number of binary digits, between these.
const LENGTHS: [u32; 2] = [14, 17];

const CLASSES: usize = (LENGTHS[1] - LENGTHS[0] + 1) as usize;

/// Messages up to which all are timed.
const ALL_TIMED: u32 = 64;

/// After that, messages from one that is timed to the next.
const TIMED_PERIOD: u32 = 8;

/// How a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Whether the target is asked first.
    pub(crate) asks: bool,
    /// [`TIMED`], or nothing.
    pub(crate) timed: u16,
}

/// What an origin knows of messages to one target, of about the same length.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    turns: Turns,
    asking_is_faster: bool,
}

impl Plan {
    fn next(&mut self) -> Asked {
        let turn = self.turns.count();
        let asks = self.turns.next_is_other(SINGLE, self.asking_is_faster);
        let is_trial = asks != self.asking_is_faster;
        let timed = turn < ALL_TIMED || is_trial || turn.is_multiple_of(TIMED_PERIOD);
        Asked {
            asks,
            timed: if timed { TIMED } else { 0 },
        }
    }
}

/// What a target knows of messages from one origin, of about the same length.
#[derive(Clone, Copy, Debug, Default)]
struct Speeds {
    /// Nanoseconds a byte; 0: not measured.
    at_once: f32,
    asked: f32,
    told: bool,
}

impl Speeds {
    /// A message took so long; what the origin is to be told, if anything.
    fn note(&mut self, asked: bool, took: f32) -> Option<bool> {
        note(
            if asked {
                &mut self.asked
            } else {
                &mut self.at_once
            },
            took,
        );
        if self.at_once == 0.0 || self.asked == 0.0 {
            return None;
        }
        let told = takes_other(self.told, self.at_once, self.asked);
        (std::mem::replace(&mut self.told, told) != told).then_some(told)
    }
}

/// A message that is timed.
#[derive(Clone, Copy, Debug)]
struct Timed {
    id: RequestId,
    origin: usize,
    bytes: usize,
    asked: bool,
    /// By how much what is seen is longer in truth: the first packet is not seen to come.
    factor: f32,
    begin: Instant,
}

/// What one context knows of its targets and its origins.
#[derive(Debug, Default)]
pub(crate) struct AskedWays {
    /// For each target; made with the first message.
    plans: RefCell<Vec<[Plan; CLASSES]>>,
    /// For each origin; made with the first message.
    speeds: RefCell<Vec<[Speeds; CLASSES]>>,
    timed: Cell<Option<Timed>>,
}

fn class(bytes: usize) -> usize {
    turns::class(bytes, LENGTHS)
}

impl Context {
    /// How the next message of `bytes` bytes to `target` goes, whose sender waits.
    pub(crate) fn asked_way(&self, target: usize, bytes: usize) -> Asked {
        let mut plans = self.asked_ways.plans.borrow_mut();
        plans.resize(self.tasks(), Default::default());
        plans[target][class(bytes)].next()
    }

    /// At the target: the first packet, or the request, of a message that is to be timed has been matched.
    #[inline]
    pub(crate) fn time_asked_way(
        &self,
        (id, origin): (RequestId, u32),
        (bytes, first_bytes): (usize, usize),
        asked: bool,
    ) {
        let packets = bytes as f32 / first_bytes.max(1) as f32;
        self.asked_ways.timed.set(Some(Timed {
            id,
            origin: origin as usize,
            bytes: bytes.max(1),
            asked,
            factor: if asked {
                1.0
            } else {
                (packets + 1.0) / packets
            },
            begin: Instant::now(),
        }));
    }

    /// At the target: all data of a message has come.
    #[inline]
    pub(crate) fn end_asked_way(&self, id: RequestId) -> Result<(), UnitError> {
        match self.asked_ways.timed.get() {
            Some(timed) if timed.id == id => self.note_asked_way(timed),
            _ => Ok(()),
        }
    }

    fn note_asked_way(&self, timed: Timed) -> Result<(), UnitError> {
        self.asked_ways.timed.set(None);
        let took = timed.begin.elapsed().as_nanos() as f32 * timed.factor / timed.bytes as f32;
        let class = class(timed.bytes);
        let told = {
            let mut speeds = self.asked_ways.speeds.borrow_mut();
            speeds.resize(self.tasks(), Default::default());
            speeds[timed.origin][class].note(timed.asked, took)
        };
        let Some(asking) = told else {
            return Ok(());
        };
        let word = class as u16 | if asking { ASKING } else { 0 };
        self.control(timed.origin, kind::PREFERENCE, word, 0, &[])
    }

    /// At the origin: the target has found out which way is the faster.
    pub(crate) fn preference(&self, target: u32, packet: Packet<'_>) -> Result<(), UnitError> {
        let word = packet.auxiliary();
        let mut plans = self.asked_ways.plans.borrow_mut();
        plans.resize(self.tasks(), Default::default());
        let class = usize::from(word & !ASKING);
        let plan = plans[target as usize].get_mut(class);
        let reason = "it prefers a way for no length";
        let rank = target;
        plan.ok_or(UnitError::Packet { rank, reason })?
            .asking_is_faster = word & ASKING != 0;
        Ok(())
    }
}

#[cfg(test)]
impl AskedWays {
    /// Whether messages of `bytes` bytes from `origin` have been timed, at once and asked for.
    pub(crate) fn have_timed(&self, origin: usize, bytes: usize) -> [bool; 2] {
        let speeds = self.speeds.borrow();
        let known = speeds
            .get(origin)
            .map_or(Speeds::default(), |of| of[class(bytes)]);
        [known.at_once, known.asked].map(|took| took != 0.0)
    }

    /// Whether messages of `bytes` bytes to `target` are to be asked for.
    pub(crate) fn is_asked_for(&self, target: usize, bytes: usize) -> bool {
        let plans = self.plans.borrow();
        plans
            .get(target)
            .is_some_and(|of| of[class(bytes)].asking_is_faster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_tries_both_and_keeps_to_what_it_was_told() {
        let mut plan = Plan::default();
        let first: Vec<Asked> = (0..16).map(|_| plan.next()).collect();
        assert!(first[..8].iter().all(|way| !way.asks));
        assert_eq!(first.iter().filter(|way| way.asks).count(), 4);
        assert!(first.iter().all(|way| way.timed == TIMED));
        for told in [true, false] {
            plan.asking_is_faster = told;
            let next: Vec<Asked> = (0..2048).map(|_| plan.next()).collect();
            let taken = next.iter().filter(|way| way.asks == told).count();
            assert!((2030..2048).contains(&taken), "{taken}");
            let timed = next.iter().filter(|way| way.timed == TIMED).count();
            assert!((256..400).contains(&timed), "{timed}");
            assert!(
                next.iter()
                    .all(|way| way.asks == told || way.timed == TIMED)
            );
        }
    }

    #[test]
    fn a_target_tells_what_has_changed_and_no_more() {
        let mut speeds = Speeds::default();
        assert_eq!(speeds.note(false, 0.10), None);
        assert_eq!(speeds.note(true, 0.098), None);
        assert_eq!(speeds.note(true, 0.05), Some(true));
        assert_eq!(speeds.note(true, 0.05), None);
        // The processors are near each other now, and the origin asks until it is told.
        assert_eq!(speeds.note(false, 0.049), None);
        assert_eq!(speeds.note(false, 0.02), Some(false));
        assert_eq!(speeds.note(false, 0.02), None);
    }

    #[test]
    fn lengths_have_classes() {
        let bytes = [1, 8193, 16383, 16384, 32768, 65535, 65536, 1 << 20];
        assert_eq!(bytes.map(class), [0, 0, 0, 1, 2, 2, 3, 3]);
    }
}
