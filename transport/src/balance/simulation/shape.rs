//! Which ranks are slow in a simulated job: shapes of what an item costs.
//!
//! Before: [`super::Job`] names a shape. After: [`super::simulate`] computes times from the costs.
//!
//! ```text
//! even ────   step ──┐_    linear ／    random ∴∵    moving-hotspot  __╱╲__ ─▶
//! ```
//!
//! Invariant: costs lie between 0.5 and 3, and follow from shape, cycle and seed alone.

use crate::placement::random::Random;

/// A shape of costs over the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// All ranks are equally fast.
    Even,
    /// The last quarter takes half as long again: the document's 1000, 1000, 1000, 1500.
    Step,
    /// From 0.5 at the first rank to 1.5 at the last.
    Linear,
    /// From 0.5 to 1.5 at random, the same in every cycle.
    Random,
    /// An eighth of the ranks around a place that goes once around in 64 cycles, up to 3.
    MovingHotspot,
}

impl Shape {
    /// All there are.
    pub const ALL: [Self; 5] = [
        Self::Even,
        Self::Step,
        Self::Linear,
        Self::Random,
        Self::MovingHotspot,
    ];

    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::Step => "step",
            Self::Linear => "linear",
            Self::Random => "random",
            Self::MovingHotspot => "moving-hotspot",
        }
    }

    /// What an item costs each of `ranks` in cycle `number`.
    pub fn costs(self, ranks: usize, number: u64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let place = |rank: usize| rank as f64 / ranks as f64;
        let cost = |rank: usize| match self {
            Self::Even => 1.0,
            Self::Step => 1.0 + 0.5 * f64::from(place(rank) >= 0.75),
            Self::Linear => 0.5 + place(rank),
            Self::Random => 0.5 + random.fraction(),
            Self::MovingHotspot => {
                let apart = (place(rank) - number as f64 / 64.0).rem_euclid(1.0);
                let apart = apart.min(1.0 - apart) * 16.0;
                1.0 + 2.0 * (-apart * apart).exp()
            }
        };
        (0..ranks).map(cost).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_what_they_say() {
        assert_eq!(Shape::Step.costs(4, 1, 1), [1.0, 1.0, 1.0, 1.5]);
        assert_eq!(Shape::Linear.costs(2, 1, 1), [0.5, 1.0]);
        assert_eq!(Shape::Random.costs(9, 1, 7), Shape::Random.costs(9, 2, 7));
        assert_ne!(Shape::Random.costs(9, 1, 7), Shape::Random.costs(9, 1, 8));
        let hot = Shape::MovingHotspot.costs(64, 5, 1);
        assert_eq!(hot[5], 3.0);
        for shape in Shape::ALL {
            let costs = shape.costs(100, 3, 1);
            assert!(costs.iter().all(|cost| (0.5..=3.0).contains(cost)));
        }
    }
}
