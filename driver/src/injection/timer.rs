//! The timer of an injection FIFO, and what it learns.
//!
//! Before: a FIFO with a timer criterion pends a descriptor, and starts the timer. After: whoever
//! steps the engine sees that it has expired.
//!
//! The learned period is a moving average of how long the engine took from one replenishment to
//! the end of what that put into the FIFO; so on average the timer expires when the FIFO runs
//! empty, neither before (nothing fits) nor after (the engine idles). A period that was too short
//! learns nothing and is doubled.

use std::time::{Duration, Instant};

use super::criterion::{Criterion, DEFAULT_PERIOD};

/// No period is longer: what is pending moves on at last.
const LONGEST_PERIOD: Duration = Duration::from_millis(10);

/// Part of a new observation in the average: 1 / 8.
const WEIGHT: u32 = 8;

/// When the FIFO is replenished next.
#[derive(Debug)]
pub struct Timer {
    period: Duration,
    learns: bool,
    deadline: Option<Instant>,
    filled: Option<Instant>,
}

impl Timer {
    /// The timer of a criterion; it never starts if that has none.
    pub fn new(criterion: Criterion) -> Self {
        let period = match criterion {
            Criterion::Timer(period) => period,
            _ => DEFAULT_PERIOD,
        };
        Self {
            period,
            learns: criterion == Criterion::LearnedTimer,
            deadline: None,
            filled: None,
        }
    }

    /// How long it waits now.
    pub fn period(&self) -> Duration {
        self.period
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
        } else if self.learns {
            self.period = (self.period * 2).min(LONGEST_PERIOD);
        }
    }

    /// The engine has processed everything in the FIFO.
    pub fn drained(&mut self, now: Instant) {
        let Some(filled) = self.filled.take() else {
            return;
        };
        if self.learns {
            let took = (now - filled).min(LONGEST_PERIOD);
            self.period = (self.period * (WEIGHT - 1) + took) / WEIGHT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learned_period_comes_near_to_the_time_of_draining() {
        let mut timer = Timer::new(Criterion::LearnedTimer);
        let mut now = Instant::now();
        for _ in 0..60 {
            timer.filled(now, 7);
            now += Duration::from_micros(100);
            timer.drained(now);
        }
        let period = timer.period().as_micros();
        assert!((95..=100).contains(&period), "{period} us");
        timer.filled(now, 0);
        assert_eq!(timer.period().as_micros() / 10, 19, "too short: doubled");
    }

    #[test]
    fn a_fixed_period_stays() {
        let mut timer = Timer::new(Criterion::Timer(Duration::from_micros(5)));
        let now = Instant::now();
        timer.start(now);
        assert!(!timer.take_expiry(now));
        assert!(timer.take_expiry(now + Duration::from_micros(5)));
        assert!(!timer.take_expiry(now + Duration::from_micros(9)), "off");
        timer.filled(now, 1);
        timer.drained(now + Duration::from_millis(1));
        assert_eq!(timer.period(), Duration::from_micros(5));
    }
}
