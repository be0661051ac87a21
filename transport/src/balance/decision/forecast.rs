//! What a unit of load will cost each member in the next cycle, where the costs move.
//!
//! Before: [`super::controller`] has a complete cycle. After: it divides the load by the costs that
//! are expected instead of those that were.
//!
//! | forecast | what it expects | right for |
//! |---|---|---|
//! | persistence | the last costs again | whatever stays |
//! | trend | the last costs and their last change again | what grows or shrinks steadily |
//! | drift | the last costs, shifted over the members as far as they shifted last | a hot spot that wanders over neighbours |
//!
//! A forecast is believed only if it would have foretold the last cycle, from the two before it,
//! much better than persistence; in a small group, where chance does that now and then, only if
//! forecasts would have done so for some cycles one after another (`needed`). Costs that jump about
//! at random are so left alone.
//!
//! Invariants: what is forecast follows from the noted cycles alone; no expected cost is less than
//! a third of the last, so nobody is given everything.

use std::collections::VecDeque;

use crate::balance::history::Arrival;

/// Cycles that are kept: two to forecast the third from.
const DEPTH: usize = 3;

/// By which share the error of a forecast must be less than that of persistence.
const MUCH_BETTER: f64 = 0.7;

/// The least part of its last cost that a member is expected to have.
const LEAST_PART: f64 = 1.0 / 3.0;

/// From so many members on one cycle is evidence enough.
const MANY: usize = 64;

/// Groups of members in which the drift is looked for first, and samples that settle it.
const COARSE: usize = 256;
const FINE: usize = 1024;

/// The costs of the last cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    units: VecDeque<Vec<f64>>,
    /// For how many cycles one after another a forecast would have been much better.
    foretold: u32,
}

/// For how many cycles a forecast has to be much better in a group of `members`: the costs of many do
/// not follow one rule by chance.
fn needed(members: usize) -> u32 {
    if members < MANY { 3 } else { 1 }
}

impl Forecast {
    /// Notes a cycle, its calls by member.
    pub fn note(&mut self, calls: &[Arrival]) {
        let last = self.units.back();
        let unit = |call: &Arrival| match (call.load, last.and_then(|last| last.get(call.member))) {
            // Who had nothing to do is taken for as fast as it was.
            (0, known) => known.copied().unwrap_or(0.0),
            (load, _) => call.busy_ns() as f64 / load as f64,
        };
        let units = calls.iter().map(unit).collect();
        self.units.push_back(units);
        if self.units.len() > DEPTH {
            self.units.pop_front();
        }
        self.foretold = match self.much_better() {
            Some(_) => self.foretold.saturating_add(1),
            None => 0,
        };
    }

    /// What a unit of load will cost each member, if anything but the last cost is to be expected.
    pub fn next(&self) -> Option<Vec<f64>> {
        let members = self.units.back().map_or(0, Vec::len);
        let believed = self.foretold >= needed(members);
        self.much_better().filter(|_| believed)
    }

    /// What the forecast expects that would have foretold the last cycle much better than persistence.
    fn much_better(&self) -> Option<Vec<f64>> {
        let [first, second, third] = [0, 1, 2].map(|at| self.units.get(at));
        let (first, second, third) = (first?, second?, third?);
        if first.len() != third.len() || second.len() != third.len() {
            return None;
        }
        let least = error(second, third) * MUCH_BETTER;
        let shift = drift(first, second);
        let trend_error = error(&trend(first, second), third);
        let drift_error = error(&shifted(second, shift), third);
        if drift_error.min(trend_error) >= least {
            return None;
        }
        let expected = if drift_error <= trend_error {
            shifted(third, drift(second, third))
        } else {
            trend(second, third)
        };
        let bounded = expected.iter().zip(third);
        Some(
            bounded
                .map(|(new, old)| new.max(old * LEAST_PART))
                .collect(),
        )
    }
}

/// By how much a forecast missed, over all members.
fn error(expected: &[f64], found: &[f64]) -> f64 {
    let pairs = expected.iter().zip(found);
    pairs
        .map(|(expected, found)| (expected - found).abs())
        .sum()
}

/// The second, and its change from the first again.
fn trend(first: &[f64], second: &[f64]) -> Vec<f64> {
    let pairs = first.iter().zip(second);
    pairs.map(|(first, second)| 2.0 * second - first).collect()
}

/// Each cost `shift` members further on; what leaves at one end comes in at the other.
fn shifted(costs: &[f64], shift: i64) -> Vec<f64> {
    let from = |member: usize| source(member, shift, costs.len());
    (0..costs.len()).map(|member| costs[from(member)]).collect()
}

fn source(member: usize, shift: i64, members: usize) -> usize {
    (member as i64 - shift).rem_euclid(members as i64) as usize
}

/// By how many members the costs went on from the first to the second: searched among averages of
/// groups, then between the two neighbours of the best.
fn drift(first: &[f64], second: &[f64]) -> i64 {
    let members = first.len();
    let group = members.div_ceil(COARSE).max(1);
    let average = |costs: &[f64]| -> Vec<f64> {
        let groups = costs.chunks(group);
        groups
            .map(|group| group.iter().sum::<f64>() / group.len() as f64)
            .collect()
    };
    let (coarse_first, coarse_second) = (average(first), average(second));
    let quarter = coarse_first.len() as i64 / 4;
    let coarse = best(-quarter..=quarter, &coarse_first, &coarse_second, 1);
    if group == 1 {
        return coarse;
    }
    let (middle, group) = (coarse * group as i64, group as i64);
    let stride = members.div_ceil(FINE).max(1);
    best(middle - group..=middle + group, first, second, stride)
}

/// The shift of the first that is nearest to the second, by every `stride`-th member; of equally
/// near ones the shortest.
fn best(shifts: impl Iterator<Item = i64>, first: &[f64], second: &[f64], stride: usize) -> i64 {
    let miss = |shift: i64| -> f64 {
        let members = (0..second.len()).step_by(stride);
        members
            .map(|member| (first[source(member, shift, first.len())] - second[member]).abs())
            .sum()
    };
    let missed = shifts.map(|shift| (miss(shift), shift.abs(), shift));
    let least = missed.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    least.map_or(0, |(_, _, shift)| shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::simulation::shape::Shape;
    use crate::placement::random::Random;

    fn note(forecast: &mut Forecast, units: &[f64]) {
        let call = |(member, unit): (usize, &f64)| Arrival {
            member,
            started_ns: 0,
            arrived_ns: (unit * 1e6) as u64,
            load: 1000,
        };
        let calls: Vec<_> = units.iter().enumerate().map(call).collect();
        forecast.note(&calls);
    }

    /// How far from the truth, as a share of it.
    fn missed(expected: &[f64], units: &[f64]) -> f64 {
        let truth: Vec<f64> = units.iter().map(|unit| unit * 1e3).collect();
        error(expected, &truth) / truth.iter().sum::<f64>()
    }

    #[test]
    fn a_hot_spot_that_wanders_is_met_where_it_will_be() {
        for members in [64, 1000, 5000] {
            let mut forecast = Forecast::default();
            let costs = |number| Shape::MovingHotspot.costs(members, number, 1);
            (10..13).for_each(|number| note(&mut forecast, &costs(number)));
            let next = forecast.next().unwrap();
            assert!(missed(&next, &costs(13)) < 0.01, "{members}");
        }
    }

    #[test]
    fn a_trend_goes_on() {
        let mut forecast = Forecast::default();
        // Neighbours differ, so that nothing looks like a drift.
        let costs = |cycle: f64| [5.0, 5.0 + cycle, 9.0 - cycle, 2.0, 4.0 + 2.0 * cycle];
        for cycle in [0.0, 0.5, 1.0, 1.5] {
            note(&mut forecast, &costs(cycle));
            assert_eq!(forecast.next(), None, "few members prove little");
        }
        note(&mut forecast, &costs(2.0));
        let next = forecast.next().unwrap();
        assert!(missed(&next, &costs(2.5)) < 0.001, "{next:?}");
    }

    #[test]
    fn what_stays_or_jumps_about_is_not_forecast() {
        let mut forecast = Forecast::default();
        for _ in 0..4 {
            note(&mut forecast, &[1.0, 2.0, 3.0]);
            assert_eq!(forecast.next(), None);
        }
        let mut random = Random::new(3);
        let mut told = 0;
        let mut forecast = Forecast::default();
        for _ in 0..100 {
            let costs: Vec<f64> = (0..500).map(|_| 1.0 + random.fraction()).collect();
            note(&mut forecast, &costs);
            told += usize::from(forecast.next().is_some());
        }
        assert_eq!(told, 0);
    }

    #[test]
    fn nobody_is_expected_to_cost_nothing() {
        let mut forecast = Forecast::default();
        for first in [17.0, 13.0, 9.0, 5.0, 1.0] {
            note(&mut forecast, &[first, 1.0, 5.0, 7.0]);
        }
        let next = forecast.next().unwrap();
        assert!(next[0] >= 1000.0 * LEAST_PART - 1e-6, "{next:?}");
    }
}
