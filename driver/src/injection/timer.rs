//! The timer of an injection FIFO, and what it learns.
//!
//! Before: a FIFO with a timer criterion pends a descriptor, and starts the timer. After: the task that
//! steps the engine sees that it has expired.
//!
//! | period | is |
//! |---|---|
//! | set | as it was set |
//! | by itself | what draining all slots takes where no lane is full: by the fastest draining so far |
//! | learned | an average of what drainings took |
//!
//! A draining goes from one replenishment to the end of what is in the FIFO then. The average follows
//! shorter times quickly and longer ones slowly, since a few batches that wait for a full lane say
//! little about the many that do not. Both are a little shorter than that time: a timer that expires
//! early finds some free slots and costs little, since the clock is only looked at where the engine
//! begins a step or runs out of descriptors; one that expires late lets the engine idle.
//!
//! An expiry that finds no slot free is no interrupt: the timer starts again, for twice as long each
//! time unless the period is set, until something has moved; a FIFO that runs empty meanwhile is replenished at once. Invariant: what is pending has a
//! deadline, at most `LONGEST_LEARNED` ahead where nobody set the period.

use std::time::{Duration, Instant};

use super::criterion::Criterion;

/// Time the engine may take for a slot, where no period is set and nothing was drained yet.
const SLOT: Duration = Duration::from_nanos(20);

/// No learned period is longer: what is pending moves on at last.
const LONGEST_LEARNED: Duration = Duration::from_millis(10);

/// Part of an observation in the average, if it is shorter than that: 1 / 2.
const WEIGHT_OF_SHORTER: u32 = 2;

/// Part of a longer one: 1 / 16.
const WEIGHT_OF_LONGER: u32 = 16;

/// When the FIFO is replenished next.
#[derive(Debug)]
pub struct Timer {
    period: Duration,
    /// How long draining has taken on average, if that sets the period.
    learned: Option<Duration>,
    /// Whether somebody set the period.
    set: bool,
    slots: u32,
    /// How long the engine took for a slot in the fastest draining so far.
    slot: Option<Duration>,
    /// How long it waits for room after an expiry that found none.
    postponed: Option<Duration>,
    deadline: Option<Instant>,
    /// When the FIFO was replenished, and how many descriptors were in it then.
    filled: Option<(Instant, u32)>,
}

impl Timer {
    /// The timer of a FIFO of `slots` slots with `criterion`; it never starts if that has none.
    pub fn new(criterion: Criterion, slots: usize) -> Self {
        let slots = u32::try_from(slots).unwrap_or(u32::MAX);
        let predetermined = SLOT.saturating_mul(slots).min(LONGEST_LEARNED);
        let set = match criterion {
            Criterion::Timer(period) => period,
            _ => None,
        };
        let learned = (criterion == Criterion::LearnedTimer).then_some(predetermined);
        Self {
            period: set.unwrap_or(predetermined),
            learned,
            set: set.is_some(),
            slots,
            slot: None,
            postponed: None,
            deadline: None,
            filled: None,
        }
    }

    /// The FIFO has `to` slots now instead of `from`: what is not set takes as much longer.
    pub fn resize(&mut self, from: usize, to: usize) {
        let scaled = |time: Duration| {
            let time = time.mul_f64(to as f64 / from.max(1) as f64);
            time.clamp(SLOT, LONGEST_LEARNED)
        };
        self.learned = self.learned.map(scaled);
        if !self.set {
            self.period = scaled(self.period);
        }
        self.slots = u32::try_from(to).unwrap_or(u32::MAX);
    }

    /// How long it waits now.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// When it expires, if it has been started.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Starts, or starts again.
    pub fn start(&mut self, now: Instant) {
        self.deadline = Some(now + self.period);
    }

    /// Whether it has expired; then it is off until it is started again.
    pub fn take_expiry(&mut self, now: Instant) -> bool {
        let expired = self.deadline.is_some_and(|deadline| deadline <= now);
        if expired {
            self.deadline = None;
        }
        expired
    }

    /// It has expired and moved descriptors into the FIFO, which has `taken` now.
    pub fn filled(&mut self, now: Instant, taken: usize) {
        self.postponed = None;
        self.filled = Some((now, u32::try_from(taken).unwrap_or(u32::MAX)));
    }

    /// It has expired and found no slot free: it starts again.
    pub fn postpone(&mut self, now: Instant) {
        let wait = match self.postponed {
            Some(wait) if !self.set => (wait * 2).min(LONGEST_LEARNED),
            _ => self.period,
        };
        self.postponed = Some(wait);
        self.deadline = Some(now + wait);
    }

    /// Whether it has expired, found no room, and nothing has moved since.
    pub fn is_postponed(&self) -> bool {
        self.postponed.is_some()
    }

    /// The engine has processed everything in the FIFO.
    pub fn drained(&mut self, now: Instant) {
        let Some((filled, taken)) = self.filled.take().filter(|_| !self.set) else {
            return;
        };
        let took = now - filled;
        match self.learned {
            Some(average) => self.learn(average, took),
            None => self.note_slot(took / taken.max(1)),
        }
    }

    /// The engine took so long for a slot in one draining.
    fn note_slot(&mut self, took: Duration) {
        let fastest = self.slot.map_or(took, |slot| slot.min(took)).max(SLOT);
        self.slot = Some(fastest);
        let all = fastest.saturating_mul(self.slots).min(LONGEST_LEARNED);
        self.period = all * 3 / 4;
    }

    /// One draining took so long.
    fn learn(&mut self, average: Duration, took: Duration) {
        let took = took.min(average * 2).min(LONGEST_LEARNED);
        let weight = if took < average {
            WEIGHT_OF_SHORTER
        } else {
            WEIGHT_OF_LONGER
        };
        let average = (average * (weight - 1) + took) / weight;
        // From nothing it would never rise again.
        self.learned = Some(average.max(SLOT));
        self.period = average * 3 / 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learned_period_comes_near_to_the_time_of_draining() {
        let mut timer = Timer::new(Criterion::LearnedTimer, 8);
        let mut now = Instant::now();
        for micros in [100, 3] {
            for _ in 0..300 {
                timer.filled(now, 7);
                now += Duration::from_micros(micros);
                timer.drained(now);
            }
            let part = timer.period().as_nanos() * 100 / Duration::from_micros(micros).as_nanos();
            assert!((70..=76).contains(&part), "{part} % of {micros} us");
        }
        let period = timer.period();
        timer.drained(now + Duration::from_secs(1));
        assert_eq!(timer.period(), period, "nothing was drained");
        timer.filled(now, 7);
        timer.drained(now + Duration::from_secs(1));
        assert!(timer.period() < period * 5 / 4, "one stall counts little");
    }

    #[test]
    fn a_few_long_batches_do_not_make_the_others_wait() {
        let mut timer = Timer::new(Criterion::LearnedTimer, 8);
        let mut now = Instant::now();
        for batch in 0..1000 {
            timer.filled(now, 7);
            now += Duration::from_micros(if batch % 4 == 0 { 50 } else { 2 });
            timer.drained(now);
        }
        assert!(timer.period() < Duration::from_micros(2), "{timer:?}");
    }

    #[test]
    fn a_fixed_period_stays() {
        let period = Duration::from_micros(5);
        let mut timer = Timer::new(Criterion::Timer(Some(period)), 8);
        let now = Instant::now();
        timer.start(now);
        assert_eq!(timer.deadline(), Some(now + period));
        assert!(!timer.take_expiry(now));
        assert!(timer.take_expiry(now + period));
        assert!(!timer.take_expiry(now + Duration::from_micros(9)), "off");
        timer.filled(now, 1);
        timer.drained(now + Duration::from_millis(1));
        assert_eq!(timer.period(), period);
    }

    #[test]
    fn a_period_that_nobody_sets_is_what_the_fastest_draining_says() {
        let mut timer = Timer::new(Criterion::Timer(None), 64);
        let mut now = Instant::now();
        for (taken, micros) in [(64, 900), (8, 4), (64, 5000), (32, 20)] {
            timer.filled(now, taken);
            now += Duration::from_micros(micros);
            timer.drained(now);
        }
        assert_eq!(timer.period(), Duration::from_micros(32 * 3 / 4));
        timer.resize(64, 128);
        timer.filled(now, 128);
        timer.drained(now + Duration::from_secs(1));
        assert_eq!(timer.period(), Duration::from_micros(64 * 3 / 4));
    }

    #[test]
    fn a_timer_that_finds_no_room_waits_longer_until_it_does() {
        let mut timer = Timer::new(Criterion::Timer(None), 64);
        let mut now = Instant::now();
        timer.start(now);
        let mut waits = Vec::new();
        for _ in 0..30 {
            let deadline = timer.deadline().unwrap();
            waits.push(deadline - now);
            now = deadline;
            assert!(timer.take_expiry(now));
            timer.postpone(now);
        }
        assert_eq!(waits[3], waits[1] * 4);
        assert_eq!(waits[29], LONGEST_LEARNED);
        assert!(timer.is_postponed());
        timer.filled(now, 1);
        assert!(!timer.is_postponed());
        timer.postpone(now);
        assert_eq!(timer.deadline().unwrap() - now, timer.period());
    }

    #[test]
    fn a_period_that_nobody_sets_is_longer_for_more_slots() {
        let [few, many] = [8, 800].map(|slots| Timer::new(Criterion::Timer(None), slots).period());
        assert_eq!(few * 100, many);
    }
}
