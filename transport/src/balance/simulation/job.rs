//! A job to simulate: its ranks and items, and how long they compute.
//!
//! Before: `pamir simulate-balance` chose it. After: [`super::simulate`] runs it, and a policy of [`super::policy`] looks at it.

use super::shape::Shape;
use super::trace::Trace;
use crate::balance::decision::controller::Settings;
use crate::placement::random::Random;

/// How often the weights of items go up and down over the whole.
const WAVES: f64 = 5.0;

/// What an item costs where the shape says 1, in nanoseconds.
const ITEM_NS: f64 = 1000.0;

/// Where the costs of a simulated job come from.
#[derive(Clone, Debug)]
pub enum Costs {
    /// A shape.
    Shape(Shape),
    /// A recorded run.
    Trace(Trace),
}

impl Costs {
    /// What people call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Shape(shape) => shape.name(),
            Self::Trace(_) => "recorded",
        }
    }
}

/// A job to simulate.
#[derive(Clone, Debug)]
pub struct Job {
    /// How many ranks.
    pub ranks: usize,
    /// How many items for each of them at first.
    pub items_each: u64,
    /// How many cycles.
    pub cycles: u64,
    /// Which ranks are slow, and when.
    pub costs: Costs,
    /// By which share the weights of items differ from their average.
    pub weights: f64,
    /// By which power of its load a rank's time grows.
    pub slope: f64,
    /// By which share times vary at random, up or down.
    pub noise: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Ranks that share a node, between which processors can be lent.
    pub ranks_per_node: usize,
    /// How the controller decides.
    pub settings: Settings,
}

impl Job {
    /// What an item costs each rank in cycle `number`.
    pub(super) fn costs(&self, number: u64) -> Vec<f64> {
        match &self.costs {
            Costs::Shape(shape) => shape.costs(self.ranks, number, self.seed),
            Costs::Trace(trace) => trace.costs(number).to_vec(),
        }
    }

    /// All items.
    pub fn items(&self) -> u64 {
        self.items_each.saturating_mul(self.ranks as u64)
    }

    /// What all items before this one weigh: one wave after the other around 1 each.
    pub(super) fn weight_before(&self, item: u64) -> f64 {
        let items = self.items() as f64;
        let turn = std::f64::consts::TAU * WAVES / items;
        let item = item as f64;
        item + self.weights / turn * (1.0 - (turn * item).cos())
    }

    /// The item before which all others weigh so much.
    pub(super) fn item_behind(&self, weight: f64) -> u64 {
        let (mut low, mut high) = (0, self.items());
        while low < high {
            let middle = low.midpoint(high);
            if self.weight_before(middle) < weight {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// How long each rank computes in a cycle, in nanoseconds.
    pub(super) fn work_ns(&self, loads: &[u64], costs: &[f64], random: &mut Random) -> Vec<u64> {
        let mean = self.items_each as f64;
        let mut start = 0;
        let time = |(load, cost): (&u64, &f64)| {
            let noise = 1.0 + self.noise * (2.0 * random.fraction() - 1.0);
            let weight = self.weight_before(start + load) - self.weight_before(start);
            start += load;
            let work = cost * mean * (weight / mean).powf(self.slope);
            (work * noise * ITEM_NS) as u64
        };
        loads.iter().zip(costs).map(time).collect()
    }
}
