//! What differences between members mean nothing, and how long to wait for those that do.
//!
//! Before: complete cycles. After: [`super::controller`] decides by averages over the cycles since
//! load last moved, and not before their difference is more than noise makes.
//!
//! ```text
//! cycle after a move     1       2       3       4
//! times         ▁▃▂▅▁   mean    mean    mean    mean of all since
//! noise of it     s     s/√2    s/√3    s/√4            a small difference shows at last
//! ```
//!
//! Times of members with equal work differ by chance: caches, interrupts, other programs. Load that
//! moves upon that costs its move and comes back. The noise is how much the times of members vary
//! whose load stayed, from one cycle to the next; of all members, the median, so that a few whose
//! costs really change do not count. Where everybody's load changed, it is what the learnt slope
//! does not explain.
//!
//! Invariants: the same cycles give the same noise at all members; without noise nothing is delayed
//! but what is small in the first cycle.

use super::history::{Arrival, Cycle};

/// So many cycles at most are averaged: what changes slowly must show, too.
const LONGEST: u32 = 8;

/// A change of load by less than this share is none.
const UNCHANGED: f64 = 0.005;

/// What a cycle leaves of what was known.
const MEMORY: f64 = 0.7;

/// The noise that is taken for usual before two cycles have shown it.
const USUAL: f64 = 0.03;

/// From the median of absolute deviations to the standard deviation, for normal noise.
const OF_MEDIAN: f64 = 1.4826;

/// By how many of its standard deviations a difference of two must be more than noise.
const CERTAINTY: f64 = 2.5;

/// What is known of noise, and the averages since load last moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noise {
    /// The standard deviation of a member's time in a cycle, as a share of it.
    share: Option<f64>,
    /// (load, mean busy time) of each member, in nanoseconds.
    means: Vec<(u64, f64)>,
    /// How many cycles they are of.
    cycles: u32,
}

impl Noise {
    /// Learns from a cycle, by member, and the one before, where it is known.
    pub fn learn(&mut self, before: Option<&[Arrival]>, calls: &[Arrival], slope: f64) {
        if let Some(share) = before.and_then(|before| variation(before, calls, slope)) {
            let known = self.share.unwrap_or(share);
            self.share = Some(known * MEMORY + share * (1.0 - MEMORY));
        }
        let loads = self.means.iter().map(|mean| mean.0);
        if !loads.eq(calls.iter().map(|call| call.load)) {
            self.means = calls.iter().map(|call| (call.load, 0.0)).collect();
            self.cycles = 0;
        }
        self.cycles = (self.cycles + 1).min(LONGEST);
        for ((_, mean), call) in self.means.iter_mut().zip(calls) {
            *mean += (call.busy_ns() as f64 - *mean) / f64::from(self.cycles);
        }
    }

    /// The cycle that `calls` belong to, with times that are averages.
    pub fn averaged(&self, number: u64, calls: &[Arrival]) -> Cycle {
        let mut cycle = Cycle::new(number, calls.len());
        for (call, (_, mean)) in calls.iter().zip(&self.means) {
            cycle.note(Arrival {
                arrived_ns: call.started_ns.saturating_add(mean.round() as u64),
                ..*call
            });
        }
        cycle
    }

    /// By how much the averages of two members must differ, where they are about `busy_ns`.
    pub fn pair_ns(&self, busy_ns: u64) -> u64 {
        self.of_mean_ns(busy_ns, CERTAINTY * std::f64::consts::SQRT_2)
    }

    /// By how much the least and the greatest average of so many members must differ.
    pub fn range_ns(&self, members: usize, busy_ns: u64) -> u64 {
        // The range of N normal values is about 2 sqrt(2 ln N) standard deviations, and varies by
        // less than one.
        let range = 2.0 * (2.0 * (members.max(2) as f64).ln()).sqrt();
        self.of_mean_ns(busy_ns, range + 1.0)
    }

    fn of_mean_ns(&self, busy_ns: u64, deviations: f64) -> u64 {
        let share = self.share.unwrap_or(USUAL) / f64::from(self.cycles.max(1)).sqrt();
        (busy_ns as f64 * share * deviations) as u64
    }

    /// How noisy the times are, where two such cycles were seen: the variance of a member's time,
    /// as a share of its square.
    pub fn variance(&self) -> f64 {
        self.share.unwrap_or(0.0).powi(2)
    }
}

/// The standard deviation of a member's time between two cycles, as a share of it.
fn variation(before: &[Arrival], after: &[Arrival], slope: f64) -> Option<f64> {
    let changes = before.iter().zip(after).filter_map(|(before, after)| {
        let ratio = |after: u64, before: u64| (after as f64 / before as f64).ln();
        let load = ratio(after.load, before.load);
        let time = ratio(after.busy_ns(), before.busy_ns());
        (load.is_finite() && time.is_finite()).then_some((load, time))
    });
    let (stayed, moved): (Vec<_>, Vec<_>) = changes.partition(|(load, _)| load.abs() < UNCHANGED);
    let left = if stayed.is_empty() { moved } else { stayed };
    let left = left.iter().map(|(load, time)| (time - slope * load).abs());
    let mut left: Vec<f64> = left.collect();
    left.sort_unstable_by(f64::total_cmp);
    let median = match left.len() {
        0 => return None,
        odd if odd % 2 == 1 => left[odd / 2],
        even => f64::midpoint(left[even / 2 - 1], left[even / 2]),
    };
    // Two cycles vary.
    Some(median * OF_MEDIAN / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::tests::cycle;
    use crate::placement::random::Random;

    fn calls(busy_ns: &[u64], loads: &[u64]) -> Vec<Arrival> {
        cycle(1, busy_ns, loads).by_member().unwrap()
    }

    #[test]
    fn noise_is_how_the_times_vary_of_those_whose_load_stayed() {
        let mut noise = Noise::default();
        let first = calls(&[1000, 1000, 1000, 1500], &[10; 4]);
        noise.learn(None, &first, 1.0);
        assert_eq!(noise.variance(), 0.0);
        // Nobody knows yet.
        assert!((100..110).contains(&noise.pair_ns(1000)));
        // Two whose load changed say nothing while others stay as they were.
        let second = calls(&[1200, 1000, 1000, 900], &[13, 10, 10, 7]);
        noise.learn(Some(&first), &second, 1.0);
        assert_eq!((noise.variance(), noise.pair_ns(1000)), (0.0, 0));
        let third = calls(&[1320, 1100, 900, 900], &[13, 10, 10, 7]);
        noise.learn(Some(&second), &third, 1.0);
        assert!(noise.pair_ns(1000) > 50 && noise.range_ns(4, 1000) > noise.pair_ns(1000));
    }

    #[test]
    fn averages_begin_anew_with_other_loads() {
        let mut noise = Noise::default();
        let even = [10; 2];
        noise.learn(None, &calls(&[100, 200], &even), 1.0);
        noise.learn(None, &calls(&[200, 200], &even), 1.0);
        let last = calls(&[300, 200], &even);
        noise.learn(None, &last, 1.0);
        let means = |noise: &Noise, calls: &[Arrival]| -> Vec<u64> {
            let averaged = noise.averaged(1, calls).by_member().unwrap();
            averaged.iter().map(Arrival::busy_ns).collect()
        };
        assert_eq!(means(&noise, &last), [200, 200]);
        let moved = calls(&[50, 70], &[9, 11]);
        noise.learn(None, &moved, 1.0);
        assert_eq!(means(&noise, &moved), [50, 70]);
    }

    #[test]
    fn a_small_difference_shows_after_some_cycles_and_none_never() {
        for (members, slower) in [(2, 0.0), (2, 0.1), (8, 0.0), (8, 0.15)] {
            let mut random = Random::new(7);
            let mut noise = Noise::default();
            let mut before: Option<Vec<Arrival>> = None;
            let mut told = Vec::new();
            for number in 0..60 {
                let mut time = |member: usize| {
                    // About normal, with a deviation of 5 parts in 100.
                    let sum: f64 = (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0;
                    let own = if member == 0 { 1.0 + slower } else { 1.0 };
                    (1e6 * own * (1.0 + 0.05 * sum)) as u64
                };
                let times: Vec<u64> = (0..members).map(&mut time).collect();
                let now = calls(&times, &vec![100; members]);
                noise.learn(before.as_deref(), &now, 1.0);
                let order = noise.averaged(1, &now).order();
                let (first, last) = (order[0].busy_ns(), order[members - 1].busy_ns());
                if number > 5 && last - first >= noise.range_ns(members, last) {
                    told.push(number);
                }
                before = Some(now);
            }
            if slower > 0.0 {
                assert!(told.len() > 20, "{members} {slower}: {told:?}");
            } else {
                assert!(told.len() <= 2, "{members}: {told:?}");
            }
        }
    }
}
