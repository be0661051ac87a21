//! How data of middle length goes: at once, or asked for, and then copied by its target alone or by both ends.
//!
//! Before: a send of data in one piece that would be eager, but is not short, or that is asked for, but is not
//! very long, and whose caller does not wait. After: it goes in packets at once, or as a request to send, and the
//! kernel copies it; the target may take it before a receive asks for it ([`crate::tagged::early_offer`]).
//!
//! | way | copies | where it is the fastest |
//! |---|---|---|
//! | at once | two, through the ring | between near processors (64 KiB in 2.9 us; far 5.0); of what was written anew since it was sent last; for who comes late to its receive: the packets are there, and have let the sender go on |
//! | alone | one, by the target | between far processors, of what was not written since it was sent last (16 KiB in 1.4 us) |
//! | together | one, half of it by each end | the same of longer data that nobody reads (64 KiB in 2.6 us); many messages under way that were written anew |
//!
//! What is the fastest for a caller that waits is not what is the fastest where many messages are under way: 64 KiB
//! that were not written anew stream at 17 GB/s at once, and at 25 by the target alone, which copies four of them
//! by one call. So both are measured apart ([`Pace`]).
//!
//! Where it is known which way is the fastest, nothing is measured ([`pamir_driver::unit::MessagingUnit::prefers_packets`]).
//!
//! Packets are sent without asking, so it is the origin that must know. The target finds out which way is the fastest
//! ([`crate::cycles`]), and tells it.
//!
//! ```text
//! origin                                        target
//!   EAGER, or EAGER_LONG ... (timed) ─────────▶ times the run that it is part of
//!   REQUEST_TO_SEND (timed) ──────────────────▶ times it
//!   keeps that        ◀──────── PREFERENCE ──── which is the fastest, if that has changed
//! ```
//!
//! Invariant: what is told is a hint; each way is right at any time.

use std::cell::RefCell;

use pamir_driver::unit::UnitError;
use pamir_driver::unit::packet::Packet;

use crate::context::Context;
use crate::cycles::{Cycles, Plan, RUN, Told, WINDOWED_RUN};
use crate::protocol::flags::{AGAIN, PACE_SHIFT, RUN_NUMBERS, RUN_SHIFT, TIMED, WAY_SHIFT};
use crate::protocol::kind;
use crate::tagged::request::RequestId;
use crate::turns;

/// Classes of lengths: those of the same number of binary digits, between these.
const LENGTHS: [u32; 2] = [14, 20];

const CLASSES_OF_PACE: usize = (LENGTHS[1] - LENGTHS[0] + 1) as usize;

const CLASSES: usize = PACES.len() * CLASSES_OF_PACE;

/// From so many bytes on, both ends together are always faster than the target alone.
pub(crate) const NEVER_ALONE_BYTES: usize = 1 << 20;

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

/// How messages follow each other, and whether they could come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// One at a time: the sender waits for each, at once or before it sends the next one.
    Awaited,
    /// Many may be under way.
    Windowed,
    /// The same, of longer data, which is asked for in any case.
    LongWindowed,
}

const PACES: [Pace; 3] = [Pace::Awaited, Pace::Windowed, Pace::LongWindowed];

impl Pace {
    /// The ways of its messages, the usual one first.
    fn ways(self) -> &'static [Way] {
        match self {
            Self::Awaited => &[Way::AtOnce, Way::Alone, Way::Together],
            // Few have as many messages under way as it takes to find out.
            Self::Windowed => &[Way::Alone, Way::AtOnce, Way::Together],
            Self::LongWindowed => &[Way::Together, Way::Alone],
        }
    }

    /// Messages of a run.
    fn run_messages(self) -> u32 {
        match self {
            Self::Awaited => RUN,
            Self::Windowed | Self::LongWindowed => WINDOWED_RUN,
        }
    }

    /// The number of the class of messages of so many bytes.
    pub(super) fn class(self, bytes: usize) -> usize {
        self as usize * CLASSES_OF_PACE + turns::class(bytes, LENGTHS)
    }

    /// That of a class.
    fn of_class(class: usize) -> Option<Self> {
        PACES.get(class / CLASSES_OF_PACE).copied()
    }
}

/// The most ways that there are.
const WAYS: usize = 3;

/// A message that is timed, as part of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    origin: u32,
    pace: Pace,
    /// The number of the run.
    run: u8,
    way: Way,
    bytes: u32,
}

impl Timed {
    /// What the `auxiliary` number of a message's first packet, or its request, says.
    #[inline(always)]
    pub(crate) fn new(origin: u32, bytes: usize, way: Way, auxiliary: u16) -> Option<Self> {
        if auxiliary & TIMED == 0 {
            return None;
        }
        let pace = PACES.get(usize::from(auxiliary >> PACE_SHIFT))?;
        Some(Self {
            origin,
            pace: *pace,
            run: (auxiliary >> RUN_SHIFT) as u8 % RUN_NUMBERS,
            way,
            bytes: bytes as u32,
        })
    }
}

/// What one context knows of its targets and its origins.
#[derive(Debug, Default)]
pub(crate) struct AskedWays {
    /// For each target; made with the first message.
    targets: RefCell<Vec<Target>>,
    /// For each origin; made with the first message.
    origins: RefCell<Vec<Origin>>,
}

/// What is known of one target.
#[derive(Clone, Debug, Default)]
struct Target {
    /// Of messages of about the same length.
    plans: [Plan; CLASSES],
    /// The last message whose sender did not wait for it at once,
    last: Option<RequestId>,
    /// and whether another one was under way when that began.
    in_row: bool,
}

/// What is known of one origin.
#[derive(Clone, Debug, Default)]
struct Origin {
    cycles: [Cycles<WAYS>; CLASSES],
    /// The one whose packets are coming.
    at_once: Option<(RequestId, Timed)>,
}

impl Context {
    /// How the next message of `bytes` bytes to `target` goes, and what the target is told of timing it.
    pub(crate) fn asked_way(&self, target: usize, pace: Pace, bytes: usize) -> (Way, u16) {
        let ways = pace.ways();
        let next = self.with_target(target, |target| {
            target.plans[pace.class(bytes)].next(ways.len(), pace.run_messages())
        });
        let timed = next.timed.map_or(0, |run| {
            TIMED | u16::from(run) << RUN_SHIFT | (pace as u16) << PACE_SHIFT
        });
        (ways[next.way], timed)
    }

    /// The pace of the next message to `target`, for which nobody waits at once. If its sender has waited for each
    /// of those before, they come one at a time.
    pub(crate) fn pace_of_unawaited(&self, target: usize) -> Pace {
        self.with_target(target, |known| {
            let under_way = known.last.is_some_and(|id| self.requests.get(id).is_some());
            if std::mem::replace(&mut known.in_row, under_way) || under_way {
                Pace::Windowed
            } else {
                Pace::Awaited
            }
        })
    }

    /// A message has begun for which nobody waits at once.
    pub(crate) fn begin_unawaited(&self, target: usize, id: RequestId) {
        if let Some(target) = self.asked_ways.targets.borrow_mut().get_mut(target) {
            target.last = Some(id);
        }
    }

    fn with_target<R>(&self, target: usize, act: impl FnOnce(&mut Target) -> R) -> R {
        let mut targets = self.asked_ways.targets.borrow_mut();
        targets.resize_with(self.tasks(), Default::default);
        act(&mut targets[target])
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
            let at_once = Some((id, timed));
            self.with_origin(origin, |origin| origin.at_once = at_once);
        }
    }

    fn with_origin<R>(&self, origin: u32, act: impl FnOnce(&mut Origin) -> R) -> R {
        let mut origins = self.asked_ways.origins.borrow_mut();
        origins.resize_with(self.tasks(), Default::default);
        act(&mut origins[origin as usize])
    }

    /// At the target: all packets of a message have come.
    #[inline]
    pub(crate) fn end_at_once(&self, id: RequestId, origin: u32) -> Result<(), UnitError> {
        if self.asked_ways.origins.borrow().is_empty() {
            return Ok(());
        }
        let is_it = |(timed_id, _): &mut (RequestId, Timed)| *timed_id == id;
        match self.with_origin(origin, |origin| origin.at_once.take_if(is_it)) {
            Some((_, timed)) => self.end_asked_way(timed),
            None => Ok(()),
        }
    }

    /// At the target: a message that came at once, as one packet, has come.
    #[cold]
    pub(crate) fn end_one_packet(
        &self,
        origin: u32,
        bytes: usize,
        auxiliary: u16,
    ) -> Result<(), UnitError> {
        match Timed::new(origin, bytes, Way::AtOnce, auxiliary) {
            Some(timed) => self.end_asked_way(timed),
            None => Ok(()),
        }
    }

    /// At the target: all data of a message that is timed has come.
    pub(crate) fn end_asked_way(&self, timed: Timed) -> Result<(), UnitError> {
        let (pace, bytes) = (timed.pace, timed.bytes as usize);
        let Some(way) = pace.ways().iter().position(|way| *way == timed.way) else {
            return Ok(());
        };
        let class = pace.class(bytes);
        let told = self.with_origin(timed.origin, |origin| {
            origin.cycles[class].end(way, timed.run, pace.run_messages(), bytes)
        });
        let Some(told) = told else {
            return Ok(());
        };
        let again = if told.again { AGAIN } else { 0 };
        let word = class as u16 | u16::from(told.way) << WAY_SHIFT | again;
        self.control(timed.origin as usize, kind::PREFERENCE, word, 0, &[])
    }

    /// At the origin: the target has found out which way is the fastest.
    pub(crate) fn preference(&self, target: u32, packet: Packet<'_>) -> Result<(), UnitError> {
        let word = packet.auxiliary();
        let (class, way) = (word & ((1 << WAY_SHIFT) - 1), (word & !AGAIN) >> WAY_SHIFT);
        let ways = Pace::of_class(class.into()).map_or(0, |pace| pace.ways().len());
        self.with_target(target as usize, |known| {
            let plan = known.plans.get_mut(usize::from(class));
            let plan = plan.filter(|_| usize::from(way) < ways);
            let reason = "it prefers a way that there is not";
            let rank = target;
            plan.ok_or(UnitError::Packet { rank, reason })?
                .follow(Told {
                    way: way as u8,
                    again: word & AGAIN != 0,
                });
            Ok(())
        })
    }
}

#[cfg(test)]
impl AskedWays {
    /// Whether messages of `bytes` bytes from `origin` have been timed by each way.
    pub(crate) fn have_timed(&self, origin: usize, pace: Pace, bytes: usize) -> [bool; WAYS] {
        let origins = self.origins.borrow();
        let known = origins.get(origin).map(|of| of.cycles[pace.class(bytes)]);
        known.unwrap_or_default().have_timed()
    }

    /// The way that messages of `bytes` bytes to `target` are to go.
    pub(crate) fn preferred(&self, target: usize, pace: Pace, bytes: usize) -> Way {
        let targets = self.targets.borrow();
        let plan = targets.get(target).map(|of| of.plans[pace.class(bytes)]);
        pace.ways()[plan.unwrap_or_default().preferred()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_classes() {
        let bytes = [1, 8193, 16383, 16384, 32768, 65535, 65536, 1 << 20];
        let classes = bytes.map(|bytes| Pace::Awaited.class(bytes));
        assert_eq!(classes, [0, 0, 0, 1, 2, 2, 3, 6]);
        let first = PACES.map(|pace| pace.class(1));
        assert_eq!(first.map(Pace::of_class), PACES.map(Some));
        assert_eq!(Pace::of_class(CLASSES), None);
    }

    #[test]
    fn a_message_says_of_which_run_it_is() {
        for pace in PACES {
            for run in 0..RUN_NUMBERS {
                let word = TIMED | u16::from(run) << RUN_SHIFT | (pace as u16) << PACE_SHIFT;
                let timed = Timed::new(3, 50_000, Way::Alone, word | 0b11_1111);
                assert!(timed.is_some_and(|timed| (timed.pace, timed.run) == (pace, run)));
            }
        }
        assert!(Timed::new(3, 50_000, Way::Alone, !TIMED).is_none());
        assert!(Timed::new(3, 50_000, Way::Alone, u16::MAX).is_none());
    }
}
