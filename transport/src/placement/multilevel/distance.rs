//! Costs between the places of a tree, as one look-up a pair.
//!
//! What: every place has a code, the numbers of the containers around it from the outermost in,
//! each within the one around it. Two places share as many levels as their codes have common
//! leading bits in whole fields, so the cost is read from a table by the number of these bits.
//! Also the neighbourhood of a place: the places of the smallest container that has others.
//!
//! ```text
//!  tree 2 x 3 x 4      place 17 = [1, 1, 1]   code 1 01 01
//!                      place 19 = [1, 1, 3]   code 1 01 11   3 common bits: 2 levels shared
//! ```
//!
//! Step before: [`super::super::topology::Tree`]. Step after: [`super::swaps`].
//! Invariant: the places of a container lie together, as they do in every tree that is built.

use std::ops::Range;

use super::super::topology::Tree;

/// Bits of a code, above one that is never used, so that codes always differ from that on. Enough
/// for any machine, and for whatever even tree fits memory.
const BITS: u32 = 63;

/// Costs between places.
pub(super) struct PlaceCosts {
    codes: Vec<u64>,
    /// By the number of common leading bits.
    costs: Vec<f64>,
    /// By place.
    neighbourhoods: Vec<Neighbourhood>,
}

/// The smallest container around a place that has others.
#[derive(Clone, Copy)]
pub(super) struct Neighbourhood {
    begin: u32,
    end: u32,
    /// Between places in it that share nothing smaller.
    pub(super) cost: f64,
}

impl Neighbourhood {
    /// Its places.
    pub(super) fn places(&self) -> Range<u32> {
        self.begin..self.end
    }
}

impl PlaceCosts {
    /// Of all places of a tree.
    pub(super) fn new(tree: &Tree, places: usize) -> PlaceCosts {
        let mut costs = PlaceCosts {
            codes: vec![0; places],
            costs: Vec::with_capacity(BITS as usize + 1),
            neighbourhoods: vec![
                Neighbourhood {
                    begin: 0,
                    end: places as u32,
                    cost: tree.costs()[0],
                };
                places
            ],
        };
        let mut free = BITS;
        for depth in 0..tree.depth() {
            let numbers = costs.enter(tree, depth);
            let width = numbers
                .iter()
                .max()
                .map_or(0, |last| u64::BITS - last.leading_zeros());
            if width == 0 || width > free {
                // Nothing to tell apart; or a tree far more uneven than any machine, of which
                // this level is left out.
                continue;
            }
            costs
                .costs
                .resize((BITS - free + width) as usize, tree.costs()[depth]);
            free -= width;
            for (code, number) in costs.codes.iter_mut().zip(numbers) {
                *code |= number << (free + 1);
            }
        }
        // What follows the last field is 0 in all codes: all bits are common.
        let innermost = tree.costs()[tree.depth()];
        costs.costs.resize(BITS as usize + 1, innermost);
        costs
    }

    /// The number of the container of a level that each place is in, within the one around it;
    /// containers with several places become their neighbourhoods.
    fn enter(&mut self, tree: &Tree, depth: usize) -> Vec<u64> {
        let places = self.codes.len();
        let container = |place: usize| tree.path(place)[depth];
        let around = |place: usize| &tree.path(place)[..depth];
        let mut numbers = Vec::with_capacity(places);
        let (mut begin, mut number) = (0, 0);
        while begin < places {
            let inside = (begin..places).take_while(|&place| container(place) == container(begin));
            let end = begin + inside.count();
            if end - begin > 1 {
                self.neighbourhoods[begin..end].fill(Neighbourhood {
                    begin: begin as u32,
                    end: end as u32,
                    cost: tree.costs()[depth + 1],
                });
            }
            numbers.resize(end, number);
            let continues = end < places && around(end) == around(begin);
            number = if continues { number + 1 } else { 0 };
            begin = end;
        }
        numbers
    }

    /// Between two places.
    #[inline(always)]
    pub(super) fn between(&self, one: u32, other: u32) -> f64 {
        let differing = (self.codes[one as usize] ^ self.codes[other as usize]) | 1;
        self.costs[differing.leading_zeros() as usize]
    }

    /// Around a place.
    pub(super) fn neighbourhood(&self, place: u32) -> Neighbourhood {
        self.neighbourhoods[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::TopologyGraph;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn costs_are_those_of_the_tree(fanouts in prop::collection::vec(1..6usize, 1..5), seed in 0..1000usize) {
            let costs: Vec<f64> = (0..=fanouts.len()).rev().map(|at| (at * 7 + 1) as f64).collect();
            let topology = TopologyGraph::uniform(&fanouts, &costs).unwrap();
            // Some of the entities, some of them several times: trees that are not even.
            let places = topology.len() + seed % 7;
            let chosen: Vec<usize> = (0..places).map(|at| at * topology.len() / places).collect();
            let topology = topology.selected(&chosen);
            let tree = topology.tree().unwrap();
            let place_costs = PlaceCosts::new(tree, places);
            for one in 0..places {
                let near = place_costs.neighbourhood(one as u32);
                prop_assert!(near.places().contains(&(one as u32)));
                prop_assert!(near.places().len() > 1 || places == 1);
                for other in 0..places {
                    let cost = tree.costs()[tree.shared(one, other)];
                    prop_assert_eq!(place_costs.between(one as u32, other as u32), cost);
                    let is_near = near.places().contains(&(other as u32));
                    prop_assert!(is_near == (cost <= near.cost) || one == other);
                }
            }
        }
    }
}
