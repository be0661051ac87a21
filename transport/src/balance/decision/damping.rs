//! How strongly time answers to load, learnt from what moving did, so that moving does not swing.
//!
//! Before: two cycles between which load was moved. After: [`super::controller`] counts what a
//! unit of load costs with the slope.
//!
//! The slope is the relative change of time over the relative change of load: 1 where twice the
//! load takes twice the time, 3 where it takes eight times. It is fitted over all members whose
//! load changed. Before anything was learnt it counts as 1.5, which makes the first move two
//! thirds of what a slope of 1 would make it: a law that expects too little from a move moves too
//! much, and then load goes back and forth. Where times are noisy, small moves say little, and the
//! fit is drawn to 1 as if by a move of which that was learnt.
//!
//! Invariant: the slope lies between [`LEAST`] and [`MOST`], whatever clocks say.

use crate::balance::history::Arrival;

/// The least slope that is believed.
pub const LEAST: f64 = 0.25;

/// The greatest slope that is believed.
pub const MOST: f64 = 4.0;

/// What the first move is multiplied with.
pub const FIRST_MOVE: f64 = 2.0 / 3.0;

/// How far slopes are from 1, as far as anybody knows before: a standard deviation.
const USUAL: f64 = 0.5;

/// A change of load by less than this share tells nothing: noise is as large.
const LEAST_CHANGE: f64 = 0.005;

/// What is known of the slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    learnt: Option<f64>,
}

impl Damping {
    /// The slope to count with.
    pub fn slope(&self) -> f64 {
        self.learnt.unwrap_or(1.0 / FIRST_MOVE)
    }

    /// Learns from two cycles, each by member, whose times have this variance, as a share of their
    /// square. Where no load changed, what is known stays.
    pub fn learn(&mut self, before: &[Arrival], after: &[Arrival], variance: f64) {
        let (mut product, mut square) = (0.0, 0.0);
        for (load, time) in before.iter().zip(after).filter_map(changes) {
            product += load * time;
            square += load * load;
        }
        if square > 0.0 {
            // Both times are noisy.
            let drawn = 2.0 * variance / (USUAL * USUAL);
            let slope = (product + drawn) / (square + drawn);
            self.learnt = Some(slope.clamp(LEAST, MOST));
        }
    }
}

/// By which power of e the load and the time of a member changed, if its load did.
fn changes((before, after): (&Arrival, &Arrival)) -> Option<(f64, f64)> {
    let ratio = |after: u64, before: u64| (after as f64 / before as f64).ln();
    let load = ratio(after.load, before.load);
    let time = ratio(after.busy_ns(), before.busy_ns());
    let tells = load.is_finite() && time.is_finite() && load.abs() >= LEAST_CHANGE;
    tells.then_some((load, time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::tests::cycle;

    fn learnt(before: (&[u64], &[u64]), after: (&[u64], &[u64])) -> f64 {
        let by_member = |side: (&[u64], &[u64])| cycle(1, side.0, side.1).by_member().unwrap();
        let mut damping = Damping::default();
        damping.learn(&by_member(before), &by_member(after), 0.0);
        damping.slope()
    }

    #[test]
    fn noise_draws_the_slope_to_one_where_moves_are_small() {
        let learnt = |moved: u64, variance: f64| {
            let before = cycle(1, &[1000, 1000], &[1000, 1000]).by_member().unwrap();
            let loads = [1000 + moved, 1000 - moved];
            let after = cycle(1, &[1000, 1000], &loads).by_member().unwrap();
            let mut damping = Damping::default();
            damping.learn(&before, &after, variance);
            damping.slope()
        };
        assert_eq!(learnt(20, 0.0), LEAST);
        assert!(learnt(20, 0.01) > 0.98);
        assert!(learnt(500, 0.01) < 0.5);
    }

    #[test]
    fn the_slope_is_learnt_from_what_moving_did_and_is_bounded() {
        assert_eq!(Damping::default().slope(), 1.5);
        let equal: (&[u64], &[u64]) = (&[1000, 8000], &[100, 100]);
        assert_eq!(learnt(equal, equal), 1.5);
        let cubic = learnt(equal, (&[8000, 1000], &[200, 50]));
        assert!((cubic - 3.0).abs() < 1e-9);
        assert_eq!(learnt(equal, (&[1_000_000, 1], &[110, 90])), MOST);
        assert_eq!(learnt(equal, (&[1000, 8000], &[110, 90])), LEAST);
        assert_eq!(learnt(equal, (&[0, 0], &[110, 90])), 1.5);
    }
}
