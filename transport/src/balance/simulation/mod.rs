//! A simulator of balancing: thousands of ranks in virtual time, each policy on the same costs.
//!
//! Before: `pamir simulate-balance` chose a job. After: it prints what each policy achieved.
//!
//! ```text
//!        ┌──────────── each cycle ─────────────┐
//! loads ─▶ work (cost shape, slope, noise) ─▶ calls in order of time ─▶ policy ─▶ loads
//! ```
//!
//! The work of a rank with `load` items takes cost x mean x (load / mean)^slope x 1000 ns: with a
//! slope of 1 each item costs the same, otherwise larger portions cost more or less than in
//! proportion (caches, interaction of all pairs). Items may have weights that go up and down over
//! the whole, of which the policies know nothing. Costs are those of a shape, or of a recorded run.
//!
//! Invariants: time is virtual and random numbers are seeded, so a run repeats exactly; the caller
//! passes a clock for the cost of decisions, which changes nothing else; no item is lost.

pub mod job;
pub mod policy;
pub mod shape;
pub mod trace;

use super::history::Arrival;
use super::partition::PartitionError;
use crate::placement::random::Random;
pub use job::{Costs, Job};
use policy::Maker;

/// What a policy achieved.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Load balance of each cycle: average over maximum of the busy times.
    pub load_balance: Vec<f64>,
    /// How long the cycles took together, in nanoseconds of virtual time.
    pub time_ns: u64,
    /// How long all ranks waited together, in nanoseconds of virtual time.
    pub wait_ns: u64,
    /// Set-up that could be hidden behind others' computing, in nanoseconds of virtual time.
    pub hidden_ns: u64,
    /// How many items changed their owner.
    pub moved_items: u64,
    /// What a decision cost on average, in nanoseconds of the clock that was passed.
    pub decision_ns: u64,
}

impl Outcome {
    /// The load balance of the last cycle.
    pub fn last(&self) -> f64 {
        self.load_balance.last().copied().unwrap_or(1.0)
    }

    /// The first cycle, counted from 1, whose load balance is at least `target`.
    pub fn reached(&self, target: f64) -> Option<usize> {
        let reached = self.load_balance.iter().position(|lb| *lb >= target);
        reached.map(|position| position + 1)
    }
}

/// Runs `job` under the policy that `maker` makes. `clock_ns` is read around each decision.
///
/// # Errors
///
/// [`PartitionError`] if the items cannot be divided over the ranks.
pub fn simulate(
    job: &Job,
    maker: Maker,
    clock_ns: &mut dyn FnMut() -> u64,
) -> Result<Outcome, PartitionError> {
    let mut policy = maker(job)?;
    let mut random = Random::new(job.seed);
    let mut outcome = Outcome {
        load_balance: Vec::new(),
        time_ns: 0,
        wait_ns: 0,
        hidden_ns: 0,
        moved_items: 0,
        decision_ns: 0,
    };
    for number in 1..=job.cycles {
        let costs = job.costs(number);
        let loads = policy.loads();
        let work_ns = job.work_ns(&loads, &costs, &mut random);
        outcome.add(&policy.busy_ns(&work_ns));
        let calls = calls_in_order(&loads, &work_ns);
        let before_ns = clock_ns();
        let effect = policy.learn(number, &calls)?;
        outcome.decision_ns += clock_ns().saturating_sub(before_ns);
        outcome.moved_items += effect.moved_items;
        outcome.hidden_ns += effect.hidden_ns;
    }
    outcome.decision_ns /= job.cycles.max(1);
    Ok(outcome)
}

impl Outcome {
    /// Adds a cycle in which the processors were busy for `busy_ns`.
    fn add(&mut self, busy_ns: &[u64]) {
        let longest_ns = busy_ns.iter().copied().max().unwrap_or(0);
        let sum_ns: u64 = busy_ns.iter().sum();
        let capacity_ns = longest_ns * busy_ns.len() as u64;
        self.time_ns += longest_ns;
        self.wait_ns += capacity_ns - sum_ns;
        let load_balance = if capacity_ns > 0 {
            sum_ns as f64 / capacity_ns as f64
        } else {
            1.0
        };
        self.load_balance.push(load_balance);
    }
}

/// The calls of a cycle as they are heard.
fn calls_in_order(loads: &[u64], work_ns: &[u64]) -> Vec<Arrival> {
    let call = |(member, (load, work_ns)): (usize, (&u64, &u64))| Arrival {
        member,
        started_ns: 0,
        arrived_ns: *work_ns,
        load: *load,
    };
    let mut calls: Vec<_> = loads.iter().zip(work_ns).enumerate().map(call).collect();
    calls.sort_unstable_by_key(|call| (call.arrived_ns, call.member));
    calls
}

#[cfg(test)]
mod tests {
    use super::policy::POLICIES;
    use super::shape::Shape;
    use super::trace::Trace;
    use super::*;
    use crate::balance::decision::controller::Settings;
    use crate::balance::decision::receivers::Number;

    fn job(shape: Shape, slope: f64) -> Job {
        Job {
            ranks: 64,
            items_each: 1000,
            cycles: 20,
            costs: Costs::Shape(shape),
            weights: 0.0,
            slope,
            noise: 0.0,
            seed: 1,
            ranks_per_node: 8,
            settings: Settings::default(),
        }
    }

    fn outcome(job: &Job, name: &str) -> Outcome {
        let maker = POLICIES.iter().find(|policy| policy.name == name).unwrap();
        simulate(job, maker.maker, &mut || 0).unwrap()
    }

    #[test]
    fn balancing_evens_out_every_shape_that_stays() {
        for shape in [Shape::Step, Shape::Linear, Shape::Random] {
            for slope in [0.3, 1.0, 3.0] {
                let job = job(shape, slope);
                let (fixed, balanced) = (outcome(&job, "static"), outcome(&job, "balanced"));
                assert!(balanced.last() >= 0.95, "{shape:?} {slope}: {balanced:?}");
                assert!(balanced.wait_ns < fixed.wait_ns && balanced.moved_items > 0);
                assert!(balanced.hidden_ns > 0);
                assert_eq!(balanced, outcome(&job, "balanced"));
            }
        }
    }

    #[test]
    fn a_hot_spot_that_wanders_is_followed() {
        let mut job = job(Shape::MovingHotspot, 1.0);
        (job.ranks, job.cycles) = (1000, 40);
        let forecast = outcome(&job, "balanced");
        job.settings = Settings::pairs();
        let pairs = outcome(&job, "balanced");
        let mean = |outcome: &Outcome| outcome.load_balance[10..].iter().sum::<f64>() / 30.0;
        let means = [&pairs, &forecast].map(mean);
        assert!(means[0] < 0.9 && means[1] >= 0.95, "{means:?}");
        assert!(forecast.time_ns < pairs.time_ns);
    }

    /// But for the noise, of which the slowest of all ranks has as much as there can be.
    #[test]
    fn the_ideal_loses_what_is_lost_to_noise_and_nothing_else() {
        for shape in Shape::ALL {
            for (slope, weights) in [(0.5, 0.5), (1.0, 0.0), (2.0, 0.3)] {
                let mut job = job(shape, slope);
                job.weights = weights;
                // An item more or less counts.
                job.items_each = 100_000;
                let ideal = outcome(&job, "ideal");
                let least = ideal.load_balance.iter().copied().fold(1.0, f64::min);
                assert!(least > 0.999, "{shape:?} {slope} {weights}: {least}");
                job.noise = 0.05;
                let (noisy, balanced) = (outcome(&job, "ideal"), outcome(&job, "balanced"));
                assert!((0.95..0.97).contains(&noisy.last()), "{noisy:?}");
                assert!(balanced.time_ns >= noisy.time_ns, "{shape:?} {slope}");
            }
        }
    }

    /// A division by few noisy cycles is wrong by their noise; by more of them, less so. In twenty
    /// cycles there are few, and each time twice as many are known load is divided by them.
    #[test]
    fn what_noise_did_to_the_first_division_is_mended_by_longer_averages() {
        let (long, short) = ((100, 0.005), (20, 0.009));
        for (shape, (cycles, most)) in [
            (Shape::Step, long),
            (Shape::Linear, long),
            (Shape::Random, long),
            (Shape::Step, short),
            (Shape::Random, short),
        ] {
            let mut job = job(shape, 1.0);
            (job.items_each, job.cycles, job.noise) = (10_000, cycles, 0.05);
            job.settings.number = Number::Needed;
            job.settings.forecast = true;
            let half = |name| {
                let balances = &outcome(&job, name).load_balance[cycles as usize / 2..];
                balances.iter().sum::<f64>() / balances.len() as f64
            };
            let missed = half("ideal") - half("balanced");
            assert!(missed < most, "{shape:?}, {cycles} cycles: {missed}");
        }
    }

    #[test]
    fn items_of_different_weight_are_evened_out() {
        let mut job = job(Shape::Even, 1.0);
        job.weights = 0.5;
        let (fixed, balanced) = (outcome(&job, "static"), outcome(&job, "balanced"));
        assert!(fixed.last() < 0.75, "{fixed:?}");
        assert!(balanced.last() >= 0.95, "{balanced:?}");
    }

    #[test]
    fn a_recorded_run_is_run_again() {
        let mut job = job(Shape::Even, 1.0);
        let step = Shape::Step.costs(4, 1, 1);
        let calls = |number: u64| super::super::record::RecordedCycle {
            number,
            calls: (0..4)
                .map(|member| trace::tests::call(member, step[member]))
                .collect(),
        };
        let record = super::super::record::Record {
            ranks: 4,
            cycles: (1..=3).map(calls).collect(),
            deeds: Vec::new(),
        };
        job.ranks = 4;
        job.costs = Costs::Trace(Trace::of(&record).unwrap());
        let (fixed, balanced) = (outcome(&job, "static"), outcome(&job, "balanced"));
        assert!((fixed.last() - 0.75).abs() < 1e-5, "{fixed:?}");
        assert!(balanced.last() >= 0.95, "{balanced:?}");
    }

    #[test]
    fn nothing_moves_where_there_is_nothing_to_balance() {
        let job = job(Shape::Even, 1.0);
        for policy in &POLICIES {
            let outcome = simulate(&job, policy.maker, &mut || 0).unwrap();
            assert_eq!(
                (outcome.wait_ns, outcome.moved_items),
                (0, 0),
                "{}",
                policy.name
            );
            assert_eq!(outcome.reached(1.0), Some(1));
        }
    }

    #[test]
    fn every_policy_does_all_the_work() {
        for policy in &POLICIES {
            let job = job(Shape::MovingHotspot, 1.0);
            let mut made = (policy.maker)(&job).unwrap();
            let mut random = Random::new(1);
            for number in 1..=10 {
                let loads = made.loads();
                assert_eq!(loads.iter().sum::<u64>(), job.items(), "{}", policy.name);
                let costs = job.costs(number);
                let work_ns = job.work_ns(&loads, &costs, &mut random);
                made.learn(number, &calls_in_order(&loads, &work_ns))
                    .unwrap();
            }
        }
    }
}
