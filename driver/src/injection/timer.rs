//! The timer of an injection FIFO, and what it learns.
//!
//! Before: a FIFO with a timer criterion pends a descriptor, and starts the timer. After: the task that
//! steps the engine sees that it has expired.
//!
//! A period that nobody sets is the time that the engine takes for a FIFO of so many slots,
//! by what it takes for a short message. The learned one is made of how long it took from one
//! replenishment to the end of what that put into the FIFO: an average that follows shorter times
//! quickly and longer ones slowly, since a few batches that wait for a full lane say little about
//! the many that do not. Both are a little shorter than that time: a timer that expires early finds
//! some free slots and costs little, since the clock is only looked at where the engine begins a
//! step or runs out of descriptors; one that expires late lets the engine idle.

use std::time::{Duration, Instant};

use super::criterion::Criterion;

/// Time the engine may take for a slot, where no period is set.
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
    deadline: Option<Instant>,
    filled: Option<Instant>,
}

impl Timer {
    /// The timer of a FIFO of `slots` slots with `criterion`; it never starts if that has none.
    pub fn new(criterion: Criterion, slots: usize) -> Self {
        let slots = u32::try_from(slots).unwrap_or(u32::MAX);
        let predetermined = SLOT.saturating_mul(slots).min(LONGEST_LEARNED);
        let period = match criterion {
            Criterion::Timer(Some(period)) => period,
            _ => predetermined,
        };
        let learned = (criterion == Criterion::LearnedTimer).then_some(predetermined);
        Self {
            period,
            learned,
            deadline: None,
            filled: None,
        }
    }

    /// The FIFO has `to` slots now instead of `from`: what is not set takes as much longer.
    pub fn resize(&mut self, criterion: Criterion, from: usize, to: usize) {
        let scaled = |time: Duration| {
            let time = time.mul_f64(to as f64 / from.max(1) as f64);
            time.clamp(SLOT, LONGEST_LEARNED)
        };
        self.learned = self.learned.map(scaled);
        if !matches!(criterion, Criterion::Timer(Some(_))) {
            self.period = scaled(self.period);
        }
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

    /// It has expired, and `moved` descriptors found room in the FIFO.
    pub fn filled(&mut self, now: Instant, moved: usize) {
        if moved > 0 {
            self.filled = Some(now);
        }
    }

    /// The engine has processed everything in the FIFO.
    pub fn drained(&mut self, now: Instant) {
        let (Some(filled), Some(average)) = (self.filled.take(), self.learned) else {
            return;
        };
        let took = (now - filled).min(average * 2).min(LONGEST_LEARNED);
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
        timer.filled(now, 0);
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
    fn a_period_that_nobody_sets_is_longer_for_more_slots() {
        let [few, many] = [8, 800].map(|slots| Timer::new(Criterion::Timer(None), slots).period());
        assert_eq!(few * 100, many);
    }
}
