//! The document's exchange of pairs, to the letter and in its sound form.
//!
//! What: a pass takes, again and again, the pair with the largest gain among processes that were
//! not swapped yet, swaps it for the time being and computes all gains again, until all were
//! swapped. Then
//!
//! - to the letter, the one swap whose saved gain was the largest is kept, all others are undone;
//! - in the sound form, the first swaps up to the point where the mapping was cheapest are kept.
//!
//! Why two: a gain that was saved after other swaps holds only together with them. Kept alone, such
//! a swap can make the mapping worse, so both forms compute the true cost before they accept
//! anything, and a pass that does not lower it ends the descent. A descent from the default order
//! comes first, then descents from random mappings, until the search is over, or until these only end at costs that
//! earlier ones have ended at: then there is nothing new to find.
//! Invariant: along a descent the true cost only falls (property test).

use std::collections::HashSet;

use super::super::gain::{GainTable, Numbers};
use super::super::search::{Algorithm, Search};
use super::super::{PlacementError, Problem};

/// Random starts when nothing limits them: each is a few passes of O(n³).
const STARTS: u64 = 20;

/// So many descents in a row that end nowhere new end the search, and more where more ends are known.
const FRUITLESS: usize = 20;

/// Where descents have ended, by cost.
#[derive(Debug, Default)]
struct Ends {
    /// Costs to seven digits: the same mapping turned round adds up in another order.
    known: HashSet<u32>,
    /// Descents since one has ended somewhere new.
    fruitless: usize,
}

impl Ends {
    fn note(&mut self, cost: f64) {
        self.fruitless += 1;
        if self.known.insert((cost as f32).to_bits()) {
            self.fruitless = 0;
        }
    }

    /// Whether another descent may well end somewhere new.
    fn may_grow(&self) -> bool {
        self.fruitless < FRUITLESS.max(self.known.len())
    }
}

/// What is kept of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    LargestGain,
    BestPrefix,
}

/// Descents by passes of swaps.
pub struct Exchange {
    keep: Keep,
}

/// A swap of a pass, with the gain that was saved for it.
#[derive(Debug, Clone, Copy)]
struct Saved {
    one: usize,
    other: usize,
    gain: f64,
}

impl Exchange {
    /// Keeps the swap with the largest saved gain.
    pub const LITERAL: Exchange = Exchange {
        keep: Keep::LargestGain,
    };
    /// Keeps the best prefix.
    pub const PREFIX: Exchange = Exchange {
        keep: Keep::BestPrefix,
    };

    /// Descends until a pass brings nothing; returns the true costs along the way.
    pub(super) fn descend(
        &self,
        problem: &Problem,
        table: &mut GainTable,
        search: &mut Search,
    ) -> Vec<f64> {
        let mut costs = vec![problem.cost_of(table.places())];
        loop {
            let before = table.places().to_vec();
            let Some(saved) = pass(table, search) else {
                // Interrupted: what was swapped for the time being is not kept.
                table.restart(&before);
                return costs;
            };
            let kept = self.kept(&saved);
            let mut places = before.clone();
            kept.iter()
                .for_each(|swap| places.swap(swap.one, swap.other));
            let cost = problem.cost_of(&places);
            let falls = !kept.is_empty() && costs.last().is_some_and(|last| cost < *last);
            table.restart(if falls { &places } else { &before });
            if !falls {
                return costs;
            }
            costs.push(cost);
            search.offer(&places, cost);
        }
    }

    /// The swaps that stay; none when no gain is positive.
    fn kept<'p>(&self, saved: &'p [Saved]) -> &'p [Saved] {
        match self.keep {
            Keep::LargestGain => {
                let largest = |best: Option<usize>, at: usize| match best {
                    Some(best) if saved[best].gain >= saved[at].gain => Some(best),
                    _ => Some(at),
                };
                let at = (0..saved.len()).fold(None, largest);
                at.filter(|&at| saved[at].gain > 0.0)
                    .map_or(&[], |at| &saved[at..=at])
            }
            Keep::BestPrefix => {
                let (mut sum, mut best, mut length) = (0.0, 0.0, 0);
                for (at, swap) in saved.iter().enumerate() {
                    sum += swap.gain;
                    if sum > best {
                        (best, length) = (sum, at + 1);
                    }
                }
                &saved[..length]
            }
        }
    }
}

/// One pass; none if the search is over before its end.
fn pass(table: &mut GainTable, search: &mut Search) -> Option<Vec<Saved>> {
    let mut swapped = vec![false; table.places().len()];
    let mut saved = Vec::new();
    while let Some(swap) = table.best(|swap| !swapped[swap.one] && !swapped[swap.other]) {
        if !search.step() {
            return None;
        }
        saved.push(Saved {
            one: swap.one,
            other: swap.other,
            gain: -swap.change,
        });
        (swapped[swap.one], swapped[swap.other]) = (true, true);
        table.swap(swap.one, swap.other);
    }
    Some(saved)
}

impl Algorithm for Exchange {
    fn name(&self) -> &'static str {
        match self.keep {
            Keep::LargestGain => "document",
            Keep::BestPrefix => "exchange",
        }
    }

    fn about(&self) -> &'static str {
        match self.keep {
            Keep::LargestGain => "exchange of pairs as the document has it, from random mappings",
            Keep::BestPrefix => "exchange of pairs keeping the best prefix, from random mappings",
        }
    }

    fn search(&self, problem: &Problem, search: &mut Search) -> Result<(), PlacementError> {
        let numbers = Numbers::new(problem)?;
        let mut table = GainTable::new(&numbers, search.best());
        let (mut starts, mut ends) = (0, Ends::default());
        while ends.may_grow() && search.start() && (search.is_limited() || starts < STARTS) {
            if starts > 0 {
                let places = search.random.permutation(problem.size());
                search.offer(&places, problem.cost_of(&places));
                table.restart(&places);
            }
            let costs = self.descend(problem, &mut table, search);
            costs.last().into_iter().for_each(|cost| ends.note(*cost));
            starts += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(gains: &[f64]) -> Vec<Saved> {
        let swaps = gains.iter().enumerate();
        swaps
            .map(|(at, &gain)| Saved {
                one: 2 * at,
                other: 2 * at + 1,
                gain,
            })
            .collect()
    }

    #[test]
    fn to_the_letter_the_largest_saved_gain_is_kept_alone() {
        let gains = saved(&[3.0, -1.0, 7.0, 7.0, 2.0]);
        let kept = Exchange::LITERAL.kept(&gains);
        assert_eq!(kept.iter().map(|swap| swap.one).collect::<Vec<_>>(), [4]);
        assert!(Exchange::LITERAL.kept(&saved(&[0.0, -4.0])).is_empty());
    }

    #[test]
    fn descents_end_when_they_end_nowhere_new() {
        let mut ends = Ends::default();
        (0..30).for_each(|end| ends.note(f64::from(end)));
        assert!(ends.may_grow());
        (0..29).for_each(|_| ends.note(3.0));
        assert!(ends.may_grow());
        ends.note(29.000_000_1);
        assert!(!ends.may_grow());
        ends.note(30.0);
        assert!(ends.may_grow());
    }

    #[test]
    fn soundly_the_prefix_with_the_largest_sum_is_kept() {
        let gains = saved(&[3.0, -1.0, 7.0, -7.0, 6.0]);
        assert_eq!(Exchange::PREFIX.kept(&gains).len(), 3);
        assert!(Exchange::PREFIX.kept(&saved(&[-1.0, 0.5])).is_empty());
    }
}
