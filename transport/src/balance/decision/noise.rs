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
//! Averages of members whose load changed a little go on, by the learnt slope; they begin again where
//! it changed much. They are of up to 512 cycles as long as costs stay: what a cycle has more or less
//! than the average then says nothing of the next one, and the same of all members is nobody's. Costs
//! that drift make these deviations alike from cycle to cycle, and then a few cycles are all that
//! is averaged. Load that was divided by few cycles is divided again by twice as many, since it is
//! known how wrong the first division is. A time that is far from its average once, since somebody
//! else had the processor, does not count; if the next one is far, too, costs have changed.
//!
//! Invariants: the same cycles give the same noise at all members; without noise nothing is delayed
//! but what is small in the first cycle.

use crate::balance::history::{Arrival, Cycle};

/// So many cycles at most are averaged where costs drift: what changes slowly must show, too.
const LONGEST: u32 = 8;

/// The same where they stay.
const LONGEST_WHITE: u32 = 512;

/// From which change of a load on, as a power of e, its average begins anew.
const ANEW: f64 = 0.125;

/// What a cycle leaves of what was known of drift.
const DRIFT_MEMORY: f64 = 0.9;

/// From how many of its standard deviations on a time is no noise.
const STRAY: f64 = 4.0;

/// So many cycles must have shown whether costs drift.
const DRIFT_CYCLES: u32 = 4;

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
    /// How many they were of when load last moved.
    divided: u32,
    drift: Drift,
}

/// Whether deviations from the average are alike from cycle to cycle.
#[derive(Clone, Debug, Default, PartialEq)]
struct Drift {
    /// Each member's deviation in the last cycle, as a share of its average.
    last: Vec<f64>,
    /// Sums over members and cycles, of which the older ones fade: of the products of two
    /// deviations that follow each other, and of the squares.
    product: f64,
    square: f64,
    cycles: u32,
}

impl Drift {
    /// Notes the deviations of a cycle.
    fn note(&mut self, mut deviations: Vec<f64>) {
        let common = deviations.iter().sum::<f64>() / deviations.len().max(1) as f64;
        deviations.iter_mut().for_each(|one| *one -= common);
        if self.last.len() == deviations.len() {
            let products = self.last.iter().zip(&deviations).map(|(a, b)| a * b);
            let squares = deviations.iter().map(|one| one * one);
            self.product = self.product * DRIFT_MEMORY + products.sum::<f64>();
            self.square = self.square * DRIFT_MEMORY + squares.sum::<f64>();
            self.cycles = self.cycles.saturating_add(1);
        }
        self.last = deviations;
    }

    /// Whether costs stay: the correlation is no more than chance makes of so many members.
    fn is_white(&self) -> bool {
        let chance = 0.1 + 0.8 / (self.last.len().max(1) as f64).sqrt();
        self.cycles >= DRIFT_CYCLES && self.product <= chance * self.square
    }
}

impl Noise {
    /// Learns from a cycle, by member, and the one before, where it is known.
    pub fn learn(&mut self, before: Option<&[Arrival]>, calls: &[Arrival], slope: f64) {
        if let Some(share) = before.and_then(|before| variation(before, calls, slope)) {
            let known = self.share.unwrap_or(share);
            self.share = Some(known * MEMORY + share * (1.0 - MEMORY));
        }
        if !self.go_on(calls, slope) {
            self.means = calls.iter().map(|call| (call.load, 0.0)).collect();
            self.cycles = 0;
            self.drift.last.clear();
        }
        let deviations = self.deviations(calls);
        let strays = self.strays(&deviations);
        // One cycle is no average to deviate from.
        if self.cycles > 1 {
            self.drift.note(deviations);
        }
        let longest = if self.drift.is_white() {
            LONGEST_WHITE
        } else {
            LONGEST
        };
        self.cycles = (self.cycles + 1).min(longest);
        let means = self.means.iter_mut().zip(calls).zip(strays);
        for (((_, mean), call), _) in means.filter(|(_, is_stray)| !is_stray) {
            *mean += (call.busy_ns() as f64 - *mean) / f64::from(self.cycles);
        }
    }

    /// By which share of its average each member's time is more than that.
    fn deviations(&self, calls: &[Arrival]) -> Vec<f64> {
        let deviation = |(call, mean): (&Arrival, &(u64, f64))| {
            let deviation = call.busy_ns() as f64 / mean.1 - 1.0;
            if deviation.is_finite() {
                deviation
            } else {
                0.0
            }
        };
        calls.iter().zip(&self.means).map(deviation).collect()
    }

    /// Whose deviation is more than noise where the last one was not: somebody else had the processor
    /// for once. Where it lasts, costs have changed.
    fn strays(&self, deviations: &[f64]) -> Vec<bool> {
        let most = match self.share {
            Some(share) if self.drift.last.len() == deviations.len() => STRAY * share.max(USUAL),
            _ => f64::INFINITY,
        };
        let is_stray = |deviation: f64| deviation.abs() > most;
        let last = self.drift.last.iter().copied();
        let last = last.chain(std::iter::repeat(0.0));
        let both = deviations.iter().zip(last);
        both.map(|(now, last)| is_stray(*now) && !(is_stray(last) && now * last > 0.0))
            .collect()
    }

    /// Takes the averages over to other loads, where they changed a little; whether that can be.
    fn go_on(&mut self, calls: &[Arrival], slope: f64) -> bool {
        let change = |((load, _), call): (&(u64, f64), &Arrival)| {
            if *load == call.load {
                return 0.0;
            }
            (call.load as f64 / *load as f64).ln()
        };
        let changes: Vec<f64> = self.means.iter().zip(calls).map(change).collect();
        // What is infinite, or no number, is no little change.
        let little = |change: &f64| change.abs() < ANEW;
        if changes.len() != calls.len() || !changes.iter().all(little) {
            return false;
        }
        for (((load, mean), call), change) in self.means.iter_mut().zip(calls).zip(changes) {
            *load = call.load;
            *mean *= (slope * change).exp();
        }
        true
    }

    /// Load has moved, by the averages as they are now.
    pub fn moved(&mut self) {
        self.divided = self.cycles;
    }

    /// Whether load that was moved lies as it was known by half of the cycles at most that are known
    /// now: it is worth another move, however little it differs.
    pub fn refines(&self) -> bool {
        self.divided > 0 && self.cycles >= 2 * self.divided && self.drift.is_white()
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
        // A little: as if these loads had been there all the time, where time goes with load.
        let little = calls(&[180, 220], &[9, 11]);
        noise.learn(None, &little, 1.0);
        assert_eq!(means(&noise, &little), [180, 220]);
        let much = calls(&[50, 70], &[6, 14]);
        noise.learn(None, &much, 1.0);
        assert_eq!(means(&noise, &much), [50, 70]);
    }

    /// What is known after so many noisy cycles, where the cost of member 0 grows by such a share in
    /// each.
    fn after(cycles: u32, members: usize, grows: f64) -> Noise {
        let mut random = Random::new(3);
        let mut noise = Noise::default();
        let mut before: Option<Vec<Arrival>> = None;
        for number in 0..cycles {
            let mut time = |member: usize| {
                let own = if member == 0 {
                    1.0 + grows * f64::from(number)
                } else {
                    1.0
                };
                (1e6 * own * (0.95 + 0.1 * random.fraction())) as u64
            };
            let times: Vec<u64> = (0..members).map(&mut time).collect();
            let now = calls(&times, &vec![100; members]);
            noise.learn(before.as_deref(), &now, 1.0);
            before = Some(now);
        }
        noise
    }

    #[test]
    fn averages_are_long_where_costs_stay_and_short_where_they_drift() {
        for members in [2, 8, 64] {
            // Of two members chance alone may look like drift for a while.
            let stayed = after(100, members, 0.0).cycles;
            let enough = if members == 2 { 2 * LONGEST } else { 100 };
            assert!(stayed >= enough, "{members}: {stayed}");
            let drifting = after(100, members, 0.02).cycles;
            assert!(drifting < 2 * LONGEST, "{members}: {drifting}");
        }
    }

    #[test]
    fn a_stray_time_does_not_count_and_one_that_lasts_does() {
        let mean = |noise: &Noise| noise.means[0].1 / noise.means[1].1 - 1.0;
        let mut noise = after(40, 8, 0.0);
        let even = mean(&noise);
        let slow = calls(&[3_000_000, 1_000_000, 1_000_000], &[100; 3]);
        let slow: Vec<Arrival> = (0..8)
            .map(|member| Arrival {
                member,
                ..slow[member.min(1)]
            })
            .collect();
        noise.learn(None, &slow, 1.0);
        assert!((mean(&noise) - even).abs() < 0.01, "{}", mean(&noise));
        for _ in 0..6 {
            noise.learn(None, &slow, 1.0);
        }
        assert!(mean(&noise) > 0.5, "{}", mean(&noise));
        assert_eq!(noise.cycles, LONGEST);
    }

    #[test]
    fn a_division_is_worth_another_one_once_twice_as_much_is_known() {
        let refines = |noise: &Noise| noise.refines();
        let mut noise = after(20, 8, 0.0);
        assert!(!refines(&noise), "nothing was divided");
        noise.moved();
        assert!(!refines(&noise));
        noise.cycles = 39;
        assert!(!refines(&noise));
        noise.cycles = 40;
        assert!(refines(&noise));
        let mut drifting = after(20, 8, 0.05);
        drifting.divided = 1;
        assert!(!refines(&drifting), "averages would be of other costs");
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
