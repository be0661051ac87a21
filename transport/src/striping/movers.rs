//! Who moves stripes, how fast each was, and how long its next stripe is therefore.
//!
//! Before: a message is matched at its target, which knows how long the stripes of earlier messages took. After: the
//! target has divided the message so that all who move it end at once; the lengths go to the origin with
//! `STRIPES_CLEAR`. Mover 0 is the master, mover w + 1 is worker w.
//!
//! | known of the movers | stripes are |
//! |---|---|
//! | nothing of one of them, one mover alone, or stripes shorter than [`LEAST_BYTES`] | equal to the byte |
//! | the speed of each | as long as their movers are fast, in whole lines; none under an eighth of the fastest's |
//!
//! Each end counts the stripes that begin and those that are complete, whoever moves them; `PAMIR_SELECTION_REPORT`
//! prints both, what each mover moved, and why other messages went in one piece.
//!
//! Source: striping (submessages of different lengths; counters of begin and completion at both ends).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{MOST_STRIPES, Offered};
use crate::gather_scatter::stripes::{Submessage, equal, unequal};

/// The shortest stripe for which unequal lengths pay, in bytes.
const LEAST_BYTES: usize = 4096;

/// Stripes begin at multiples of this many bytes of the message, where their lengths are unequal.
const LINE: usize = 64;

/// The slowest mover gets at least this part of what the fastest gets, so that it can show that it is faster by now.
const LEAST_SHARE: f64 = 1.0 / 8.0;

/// What one mover has moved, at this end.
#[derive(Debug, Default)]
struct Mover {
    begun: AtomicU64,
    complete: AtomicU64,
    bytes: AtomicU64,
    /// Bytes a millisecond, of late; 0 if nothing is known.
    speed: AtomicU64,
}

/// The movers of a context's messages, at this end of them.
#[derive(Debug)]
pub(super) struct Movers {
    movers: [Mover; MOST_STRIPES],
    unequal: AtomicU64,
}

impl Default for Movers {
    fn default() -> Self {
        Self {
            movers: std::array::from_fn(|_| Mover::default()),
            unequal: AtomicU64::new(0),
        }
    }
}

impl Movers {
    /// A mover begins a stripe.
    pub(super) fn begin(&self, mover: usize) {
        // Relaxed, as everywhere here: figures, by which nothing else is ordered.
        self.movers[mover].begun.fetch_add(1, Ordering::Relaxed);
    }

    /// A mover is done with a stripe of so many bytes.
    pub(super) fn complete(&self, mover: usize, bytes: usize, took: Duration) {
        let of = &self.movers[mover];
        of.complete.fetch_add(1, Ordering::Relaxed);
        of.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let now = bytes as u128 * 1_000_000 / took.as_nanos().max(1);
        let now = u64::try_from(now)
            .unwrap_or(u64::MAX / 4)
            .clamp(1, u64::MAX / 4);
        let before = of.speed.load(Ordering::Relaxed);
        let speed = if before == 0 {
            now
        } else {
            (3 * before).saturating_add(now) / 4
        };
        of.speed.store(speed, Ordering::Relaxed);
    }

    /// How long the stripes of a message of `bytes` bytes are.
    pub(super) fn divide(&self, bytes: usize, division: Offered) -> Vec<Submessage> {
        let Some(speeds) = self.speeds(bytes, division) else {
            return equal(bytes, division.stripes).collect();
        };
        self.unequal.fetch_add(1, Ordering::Relaxed);
        divide_by(bytes, &speeds)
    }

    /// What each stripe counts, if its length is to follow from that.
    fn speeds(&self, bytes: usize, division: Offered) -> Option<Vec<f64>> {
        if division.workers == 0 || bytes / division.stripes < LEAST_BYTES {
            return None;
        }
        let movers = 0..division.stripes.min(division.workers + 1);
        let speeds = movers.map(|mover| self.movers[mover].speed.load(Ordering::Relaxed));
        let speeds: Vec<u64> = speeds.collect();
        if speeds.contains(&0) {
            return None;
        }
        let stripes = (0..division.stripes).map(|stripe| {
            let mover = division.mover(stripe);
            let shares = (0..division.stripes).filter(|other| division.mover(*other) == mover);
            speeds[mover] as f64 / shares.count() as f64
        });
        let stripes: Vec<f64> = stripes.collect();
        let least = stripes.iter().copied().fold(0.0, f64::max) * LEAST_SHARE;
        Some(stripes.into_iter().map(|speed| speed.max(least)).collect())
    }

    /// A line of what this end has moved; nothing if nothing.
    pub(super) fn line(&self) -> Option<String> {
        let of = |figure: fn(&Mover) -> &AtomicU64| -> Vec<u64> {
            let figures = self
                .movers
                .iter()
                .map(|mover| figure(mover).load(Ordering::Relaxed));
            figures.collect()
        };
        let (begun, bytes) = (of(|mover| &mover.begun), of(|mover| &mover.bytes));
        let complete: u64 = of(|mover| &mover.complete).iter().sum();
        let last = begun.iter().rposition(|begun| *begun != 0)?;
        let unequal = self.unequal.load(Ordering::Relaxed);
        let names = (0..=last).map(|mover| match mover {
            0 => "master".to_string(),
            worker => format!("worker {worker}"),
        });
        let shares: Vec<String> = names
            .zip(&bytes)
            .map(|(name, bytes)| format!("{name} {bytes}"))
            .collect();
        Some(format!(
            "{} begun, {complete} complete, {unequal} messages divided by speed; bytes: {}",
            begun.iter().sum::<u64>(),
            shares.join(", ")
        ))
    }
}

/// The bytes of a message, divided in the ratio of `speeds`.
fn divide_by(bytes: usize, speeds: &[f64]) -> Vec<Submessage> {
    let total: f64 = speeds.iter().sum();
    let (mut done, mut start) = (0.0, 0);
    let lengths = speeds.iter().map(|speed| {
        done += speed;
        let end = (bytes as f64 * (done / total)) as usize / LINE * LINE;
        let length = end.saturating_sub(start);
        start = end;
        length
    });
    let mut lengths: Vec<usize> = lengths.collect();
    // What rounding has left is the last one's.
    lengths.pop();
    unequal(bytes, &lengths)
}

/// The submessages that a peer says, if they are all of the message's `bytes` bytes.
pub(super) fn from_lengths(bytes: usize, lengths: &[usize]) -> Option<Vec<Submessage>> {
    let sum = lengths
        .iter()
        .try_fold(0_usize, |sum, length| sum.checked_add(*length));
    let good = sum == Some(bytes) && !lengths.contains(&0);
    good.then(|| unequal(bytes, lengths))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(parts: &[Submessage]) -> Vec<usize> {
        parts.iter().map(|part| part.bytes).collect()
    }

    fn division(workers: usize, stripes: usize) -> Offered {
        Offered {
            series: 0,
            workers,
            stripes,
        }
    }

    #[test]
    fn lengths_follow_what_each_moved_before() {
        let movers = Movers::default();
        let milliseconds = Duration::from_millis;
        assert_eq!(
            lengths(&movers.divide(4 << 20, division(1, 2))),
            [2 << 20, 2 << 20]
        );
        movers.complete(0, 3 << 20, milliseconds(1));
        // Of the worker nothing is known yet.
        assert_eq!(
            lengths(&movers.divide(4 << 20, division(1, 2))),
            [2 << 20, 2 << 20]
        );
        movers.complete(1, 1 << 20, milliseconds(1));
        assert_eq!(
            lengths(&movers.divide(4 << 20, division(1, 2))),
            [3 << 20, 1 << 20]
        );
        // Two of three stripes are the master's, and share its speed.
        let three = lengths(&movers.divide(4 << 20, division(1, 3)));
        assert_eq!(three, [3 << 19, 1 << 20, 3 << 19]);
        // Masters alone, and short messages, are divided to the byte.
        assert_eq!(
            lengths(&movers.divide(4 << 20, division(0, 2))),
            [2 << 20, 2 << 20]
        );
        assert_eq!(lengths(&movers.divide(7001, division(1, 2))), [3500, 3501]);
    }

    #[test]
    fn the_slowest_gets_enough_to_show_that_it_is_faster_by_now() {
        let movers = Movers::default();
        movers.complete(0, 1 << 30, Duration::from_millis(1));
        movers.complete(1, 1, Duration::from_secs(1));
        let [master, worker] = lengths(&movers.divide(9 << 20, division(1, 2)))[..] else {
            panic!("two stripes");
        };
        assert_eq!((master, worker), (8 << 20, 1 << 20));
        for _ in 0..40 {
            movers.complete(1, 1 << 30, Duration::from_millis(1));
        }
        let now = lengths(&movers.divide(8 << 20, division(1, 2)));
        assert!(now[1] > 3 << 20, "{now:?}");
    }

    #[test]
    fn only_lengths_that_make_the_message_are_taken() {
        assert!(from_lengths(100, &[60, 40]).is_some());
        for wrong in [&[60, 41][..], &[100, 0], &[usize::MAX, 101], &[]] {
            assert!(from_lengths(100, wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn the_line_counts_begun_and_complete() {
        let movers = Movers::default();
        assert_eq!(movers.line(), None);
        movers.begin(0);
        movers.begin(1);
        movers.complete(0, 10, Duration::from_micros(1));
        let line = "2 begun, 1 complete, 0 messages divided by speed; bytes: master 10, worker 1 0";
        assert_eq!(movers.line().unwrap(), line);
    }
}
