//! How data of middle length goes: at once, or asked for, and then copied by its target alone or by both ends.
//!
//! Before: a send whose caller waits, of data in one piece that would be eager, but is not short. After: it goes
//! in packets at once, or as a request to send, and the kernel copies it; the target may take it before a
//! receive asks for it ([`crate::tagged::early_offer`]).
//!
//! | way | copies | where it is the fastest |
//! |---|---|---|
//! | at once | two, through the ring | between near processors (64 KiB in 2.9 us; far 5.9); for who comes late to its receive: the packets are there, and have let the sender go on |
//! | alone | one, by the target | between far processors, of what was not written since it was sent last (16 KiB in 1.4 us) |
//! | together | one, half of it by each end | the same of longer data that nobody reads (64 KiB in 2.6 us) |
//!
//! Packets are sent without asking, so it is the origin that must know. The target finds out which way is the fastest
//! ([`crate::cycles`]), and tells it.
//!
//! ```text
//! origin                                        target
//!   EAGER_LONG, CONTINUATION ... (timed) ─────▶ times the run that it is part of
//!   REQUEST_TO_SEND (timed) ──────────────────▶ times it
//!   keeps that        ◀──────── PREFERENCE ──── which is the fastest, if that has changed
//! ```
//!
//! Invariant: what is told is a hint; each way is right at any time.

use std::cell::{Cell, RefCell};

use pamir_driver::packet::Packet;
use pamir_driver::unit::UnitError;

use crate::context::Context;
use crate::cycles::{Cycles, Plan, Told};
use crate::protocol::kind;
use crate::tagged::request::RequestId;
use crate::turns;

/// In an `EAGER_LONG` or a `REQUEST_TO_SEND`: the target shall time the run that it is part of.
const TIMED: u16 = 64;

/// The same, and the run begins with it.
const BEGINS: u16 = 128;

/// In a `PREFERENCE`, above the class: the number of the way.
const WAY_SHIFT: u32 = 8;

/// In a `PREFERENCE`: all ways are to be tried anew.
const AGAIN: u16 = 1 << 15;

/// Classes of lengths: those of the same number of binary digits, between these.
const LENGTHS: [u32; 2] = [14, 17];

const CLASSES: usize = (LENGTHS[1] - LENGTHS[0] + 1) as usize;

/// How a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// In packets, without asking.
    AtOnce,
    /// Asked for, and copied by the target.
    Alone,
    /// Asked for, and copied by both ends.
    Together,
}

/// The usual one first.
const WAYS: [Way; 3] = [Way::AtOnce, Way::Alone, Way::Together];

/// A message that is timed, as part of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    origin: u32,
    class: u8,
    begins: bool,
    way: Way,
    bytes: u32,
}

impl Timed {
    /// What the `auxiliary` number of a message's first packet, or its request, says.
    #[inline(always)]
    pub(crate) fn new(origin: u32, bytes: usize, way: Way, auxiliary: u16) -> Option<Self> {
        (auxiliary & TIMED != 0).then(|| Self {
            origin,
            class: class(bytes) as u8,
            begins: auxiliary & BEGINS != 0,
            way,
            bytes: bytes as u32,
        })
    }
}

/// What one context knows of its targets and its origins.
#[derive(Debug, Default)]
pub(crate) struct AskedWays {
    /// For each target, of messages of about the same length; made with the first message.
    plans: RefCell<Vec<[Plan; CLASSES]>>,
    /// For each origin; made with the first message.
    cycles: RefCell<Vec<[Cycles<{ WAYS.len() }>; CLASSES]>>,
    /// The one whose packets are coming.
    at_once: Cell<Option<(RequestId, Timed)>>,
}

fn class(bytes: usize) -> usize {
    turns::class(bytes, LENGTHS)
}

impl Context {
    /// How the next message of `bytes` bytes to `target` goes, whose sender waits, and what the target
    /// is told of timing it.
    pub(crate) fn asked_way(&self, target: usize, bytes: usize) -> (Way, u16) {
        let mut plans = self.asked_ways.plans.borrow_mut();
        plans.resize(self.tasks(), Default::default());
        let next = plans[target][class(bytes)].next(WAYS.len());
        if !next.timed {
            return (WAYS[next.way], 0);
        }
        let begins = if next.begins { BEGINS } else { 0 };
        (WAYS[next.way], TIMED | begins)
    }

    /// At the target: the first packet of a message that came at once has been matched.
    #[inline(always)]
    pub(crate) fn time_at_once(
        &self,
        (id, origin): (RequestId, u32),
        bytes: usize,
        auxiliary: u16,
    ) {
        if let Some(timed) = Timed::new(origin, bytes, Way::AtOnce, auxiliary) {
            self.asked_ways.at_once.set(Some((id, timed)));
        }
    }

    /// At the target: all packets of a message have come.
    #[inline]
    pub(crate) fn end_at_once(&self, id: RequestId) -> Result<(), UnitError> {
        match self.asked_ways.at_once.get() {
            Some((timed_id, timed)) if timed_id == id => {
                self.asked_ways.at_once.set(None);
                self.end_asked_way(timed)
            }
            _ => Ok(()),
        }
    }

    /// At the target: all data of a message that is timed has come.
    pub(crate) fn end_asked_way(&self, timed: Timed) -> Result<(), UnitError> {
        let (origin, class) = (timed.origin as usize, usize::from(timed.class));
        let told = {
            let mut cycles = self.asked_ways.cycles.borrow_mut();
            cycles.resize(self.tasks(), Default::default());
            let bytes = timed.bytes as usize;
            cycles[origin][class].end(timed.way as usize, timed.begins, bytes)
        };
        let Some(told) = told else {
            return Ok(());
        };
        let again = if told.again { AGAIN } else { 0 };
        let word = class as u16 | u16::from(told.way) << WAY_SHIFT | again;
        self.control(origin, kind::PREFERENCE, word, 0, &[])
    }

    /// At the origin: the target has found out which way is the fastest.
    pub(crate) fn preference(&self, target: u32, packet: Packet<'_>) -> Result<(), UnitError> {
        let word = packet.auxiliary();
        let mut plans = self.asked_ways.plans.borrow_mut();
        plans.resize(self.tasks(), Default::default());
        let (class, way) = (word & ((1 << WAY_SHIFT) - 1), (word & !AGAIN) >> WAY_SHIFT);
        let plan = plans[target as usize].get_mut(usize::from(class));
        let plan = plan.filter(|_| usize::from(way) < WAYS.len());
        let reason = "it prefers a way that there is not";
        let rank = target;
        plan.ok_or(UnitError::Packet { rank, reason })?
            .follow(Told {
                way: way as u8,
                again: word & AGAIN != 0,
            });
        Ok(())
    }
}

#[cfg(test)]
impl AskedWays {
    /// Whether messages of `bytes` bytes from `origin` have been timed by each way.
    pub(crate) fn have_timed(&self, origin: usize, bytes: usize) -> [bool; 3] {
        let cycles = self.cycles.borrow();
        let known = cycles.get(origin).map(|of| of[class(bytes)]);
        known.unwrap_or_default().have_timed()
    }

    /// The way that messages of `bytes` bytes to `target` are to go.
    pub(crate) fn preferred(&self, target: usize, bytes: usize) -> Way {
        let plans = self.plans.borrow();
        let plan = plans.get(target).map(|of| of[class(bytes)]);
        WAYS[plan.unwrap_or_default().preferred()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_classes() {
        let bytes = [1, 8193, 16383, 16384, 32768, 65535, 65536, 1 << 20];
        assert_eq!(bytes.map(class), [0, 0, 0, 1, 2, 2, 3, 3]);
    }
}
