//! The injection FIFO, the pending descriptor queue behind it, and how the one is replenished
//! from the other ("Replenishing descriptors in an injection FIFO").
//!
//! Before: a [`Descriptor`] that could not be processed where it stood. After: the engine takes
//! descriptors from the front, in order.
//!
//! A descriptor goes into the next free slot unless the number in the FIFO exceeds the threshold;
//! then it, and everything after it, goes into the pending descriptor queue, and an interrupt
//! [`criterion`] is established. When it is met, as many descriptors as there are free slots move
//! at once; while some are still pending, it is established again.
//!
//! ```text
//! inject ─▶ number > threshold or pending? ──no──▶ ┌slot┬slot┬slot┬replenish┐ ─▶ engine
//!                    │yes                           └────┴────┴────┴─────────┘      │
//!                    └──▶ pending ▷▷▷▷▷▷ replenish ◀───────── interrupt ◀───────────┘
//! ```
//!
//! | state | by | to |
//! |---|---|---|
//! | nothing pending | `inject` beyond the threshold | pending, armed |
//! | pending, armed | `replenish`, all fit | nothing pending |
//! | pending, armed | `replenish`, some fit | pending, armed |
//!
//! Forbidden: pending and not armed, as nothing would ever move; a later descriptor in a slot
//! while one is pending, as it would overtake. The threshold leaves a slot free for the replenish
//! descriptor: "exceeds" is strict, so threshold + 1 descriptors enter, and the threshold is at
//! most the number of slots less two.
//!
//! The pending queue takes 64 bytes a descriptor ([`PENDING_BYTES`]) and costs the same however
//! long it is: a million descriptors are 64 MB, 128 MB at most as it grows by doubling. A FIFO can be
//! made larger or smaller while it is in use ([`InjectionFifo::resize`]).

pub mod counter;
pub mod criterion;
pub mod descriptor;
mod resize;
pub mod timer;
pub mod touch_notification;

use std::ffi::OsString;

use pamir_settings::{INJECTION_SLOTS, INJECTION_THRESHOLD, REPLENISH};

use std::collections::VecDeque;
use std::time::Instant;

use criterion::{Criterion, UnknownCriterion};
use timer::Timer;

use crate::injection::descriptor::Descriptor;

/// Slots of an injection FIFO unless configured otherwise.
pub const DEFAULT_SLOTS: usize = 64;

/// Memory of a descriptor in the pending queue, in bytes. The queue grows by doubling, so it holds
/// at most twice as much, and keeps what it has.
pub const PENDING_BYTES: usize = size_of::<Descriptor>();

/// Why an injection FIFO was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InjectionError {
    /// With this threshold the slot for the replenish descriptor could be taken.
    #[error("PAMIR_INJECTION_THRESHOLD is {threshold}: in a FIFO of {slots} slots it may be at most {} (slots - 2), as the replenish descriptor needs a slot", slots.saturating_sub(2))]
    Threshold {
        /// Threshold asked for.
        threshold: usize,
        /// Slots asked for.
        slots: usize,
    },
    /// There is no such criterion.
    #[error("PAMIR_REPLENISH: {0}")]
    Criterion(#[from] UnknownCriterion),
}

/// How an injection FIFO is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    slots: usize,
    threshold: usize,
    criterion: Criterion,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            slots: DEFAULT_SLOTS,
            threshold: DEFAULT_SLOTS - 2,
            criterion: Criterion::default(),
        }
    }
}

impl Configuration {
    /// A FIFO of `slots` slots that fills until its number exceeds `threshold`.
    ///
    /// # Errors
    ///
    /// [`InjectionError::Threshold`] if that could fill the last slot.
    pub fn new(
        slots: usize,
        threshold: usize,
        criterion: Criterion,
    ) -> Result<Self, InjectionError> {
        if threshold.saturating_add(2) > slots {
            return Err(InjectionError::Threshold { threshold, slots });
        }
        Ok(Self {
            slots,
            threshold,
            criterion,
        })
    }

    /// Slots of the FIFO.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How many descriptors may be in it before the next one pends.
    pub fn threshold(&self) -> usize {
        self.threshold
    }

    /// When it is replenished.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// What `PAMIR_INJECTION_SLOTS`, `PAMIR_INJECTION_THRESHOLD` and `PAMIR_REPLENISH` ask for.
    ///
    /// # Errors
    ///
    /// [`InjectionError`] says which of them makes no sense.
    pub fn from_environment() -> Result<Self, InjectionError> {
        Self::of(|name| std::env::var_os(name))
    }

    /// What these variables of an environment ask for.
    ///
    /// # Errors
    ///
    /// As for [`Self::from_environment`].
    pub fn of(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, InjectionError> {
        let slots = INJECTION_SLOTS.value_of(variable(INJECTION_SLOTS.name()).as_deref());
        let threshold = variable(INJECTION_THRESHOLD.name());
        let threshold = INJECTION_THRESHOLD.value_of(threshold.as_deref());
        let threshold = threshold.unwrap_or(slots.saturating_sub(2));
        let criterion = match REPLENISH.value_of(variable(REPLENISH.name()).as_deref()) {
            Some(word) => word.to_string_lossy().parse()?,
            None => Criterion::default(),
        };
        Self::new(slots, threshold, criterion)
    }
}

/// What has happened in a FIFO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InjectionStatistics {
    /// Descriptors that went straight into a slot.
    pub direct: u64,
    /// Descriptors that went into the pending queue.
    pub pended: u64,
    /// Interrupts: how often the criterion was met.
    pub interrupts: u64,
    /// Interrupts that moved pending descriptors into slots.
    pub replenishments: u64,
    /// Descriptors that they moved.
    pub replenished: u64,
    /// Most descriptors in the pending queue at once; each takes [`PENDING_BYTES`].
    pub most_pending: u64,
}

/// Descriptors in the order in which they are to be processed.
///
/// Slots and pending queue are one row, which replenishing divides anew, so no descriptor is
/// copied from the one to the other:
///
/// ```text
/// │ slot │ slot │ slot │ pending │ pending │ pending │
///  ◀──── in_slots ────▶ ▲ the replenish descriptor, if there is one
/// ```
#[derive(Debug)]
pub struct InjectionFifo {
    configuration: Configuration,
    row: VecDeque<Descriptor>,
    /// How many of the row are in slots.
    in_slots: usize,
    /// The replenish descriptor, for criteria that have one.
    replenisher: Option<Descriptor>,
    /// Whether it is in a slot, behind all others there: whatever comes later pends.
    established: bool,
    timer: Timer,
    statistics: InjectionStatistics,
}

impl InjectionFifo {
    /// An empty FIFO towards `target`.
    pub fn new(configuration: Configuration, target: u32) -> Self {
        Self {
            configuration,
            row: VecDeque::new(),
            in_slots: 0,
            replenisher: (configuration.criterion.operation())
                .map(|operation| Descriptor::replenish(operation, target)),
            established: false,
            timer: Timer::new(configuration.criterion, configuration.slots),
            statistics: InjectionStatistics::default(),
        }
    }

    /// Takes a descriptor behind all that are already here.
    pub fn inject(&mut self, descriptor: Descriptor) {
        let direct = self.pending() == 0 && self.slots_taken() <= self.configuration.threshold;
        self.row.push_back(descriptor);
        if direct {
            self.in_slots += 1;
            self.statistics.direct += 1;
            return;
        }
        self.statistics.pended += 1;
        let pending = self.pending();
        self.statistics.most_pending = self.statistics.most_pending.max(pending as u64);
        if pending == 1 {
            self.establish(None);
        }
    }

    /// Establishes the interrupt criterion.
    fn establish(&mut self, now: Option<Instant>) {
        if self.replenisher.is_some() {
            debug_assert!(self.slots_taken() < self.configuration.slots);
            self.established = true;
        } else if self.is_timed() {
            self.timer.start(now.unwrap_or_else(Instant::now));
        }
    }

    /// Slots with a descriptor in them.
    fn slots_taken(&self) -> usize {
        self.in_slots + usize::from(self.established)
    }

    /// Descriptors that wait for a slot.
    fn pending(&self) -> usize {
        self.row.len() - self.in_slots
    }

    fn is_timed(&self) -> bool {
        matches!(
            self.configuration.criterion,
            Criterion::Timer(_) | Criterion::LearnedTimer
        )
    }

    /// How it is set up.
    pub fn configuration(&self) -> Configuration {
        self.configuration
    }

    /// When it is replenished.
    pub fn criterion(&self) -> Criterion {
        self.configuration.criterion
    }

    /// When its timer expires, if that is all it waits for: nothing is in its slots.
    pub fn waits_until(&self) -> Option<Instant> {
        let waits = self.slots_taken() == 0 && self.pending() != 0;
        self.timer.deadline().filter(|_| waits)
    }

    /// The descriptor that the engine works on.
    #[inline]
    pub fn front(&mut self) -> Option<&mut Descriptor> {
        if self.in_slots == 0 {
            return self.replenisher.as_mut().filter(|_| self.established);
        }
        self.row.front_mut()
    }

    /// The descriptor with a cookie, in a slot or pending.
    pub fn find(&mut self, cookie: u64) -> Option<&mut Descriptor> {
        self.row
            .iter_mut()
            .find(|descriptor| descriptor.cookie == cookie)
    }

    /// Frees the slot of the descriptor that is done. If it was the last one, that may be what
    /// the criterion waits for.
    #[inline]
    pub fn retire(&mut self) {
        if self.in_slots == 0 {
            self.established = false;
        } else {
            self.row.pop_front();
            self.in_slots -= 1;
        }
        if self.in_slots == 0 && !self.established {
            self.ran_empty();
        }
    }

    fn ran_empty(&mut self) {
        if self.is_timed() {
            let now = Instant::now();
            self.timer.drained(now);
            if self.pending() != 0 && self.timer.is_postponed() {
                self.replenish_at(Some(now));
            } else {
                self.look_at(now);
            }
        } else if self.criterion() == Criterion::Drained && self.pending() != 0 {
            self.replenish();
        }
    }

    /// Looks at the timer: if it has expired and there is room, that is an interrupt.
    pub fn look_at_timer(&mut self) {
        if self.is_timed() && self.pending() != 0 {
            self.look_at(Instant::now());
        }
    }

    fn look_at(&mut self, now: Instant) {
        if self.pending() == 0 || !self.timer.take_expiry(now) {
            return;
        }
        if self.room() == 0 {
            self.timer.postpone(now);
        } else {
            self.replenish_at(Some(now));
        }
    }

    /// The criterion is met: moves as many pending descriptors as there are free slots, and
    /// establishes it again while some are left.
    pub fn replenish(&mut self) {
        self.replenish_at(None);
    }

    fn replenish_at(&mut self, now: Option<Instant>) {
        self.statistics.interrupts += 1;
        let pending = self.pending();
        let batch = self.room().min(pending);
        self.in_slots += batch;
        self.statistics.replenishments += u64::from(batch > 0);
        self.statistics.replenished += batch as u64;
        if let Some(now) = now {
            self.timer.filled(now, self.slots_taken());
        }
        if batch < pending {
            self.establish(now);
        }
    }

    /// How many pending descriptors may go into slots.
    fn room(&self) -> usize {
        let free = self.configuration.slots - self.slots_taken();
        // The last slot is for the replenish descriptor, unless none is needed any more.
        if self.pending() <= free {
            free
        } else {
            free.saturating_sub(1)
        }
    }

    /// Descriptors in slots and pending.
    pub fn len(&self) -> usize {
        self.row.len() + usize::from(self.established)
    }

    /// Whether nothing is left to process.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What has happened so far.
    pub fn statistics(&self) -> InjectionStatistics {
        self.statistics
    }
}

#[cfg(test)]
mod tests;
