//! What a quantity was in the last cycles, where one that was different must not count.
//!
//! Before: a cycle is over, and was measured. After: [`crate::balance::spare::dead_time`] expects the next one, and
//! [`crate::balance::spare::punctuality`] judges whether ranks went on late.

use std::collections::VecDeque;

/// So many cycles are remembered.
pub(in crate::balance) const REMEMBERED: usize = 5;

/// A quantity in the last [`REMEMBERED`] cycles.
#[derive(Clone, Debug, Default)]
pub(in crate::balance) struct Recent(VecDeque<u64>);

impl Recent {
    pub(in crate::balance) fn add(&mut self, value: u64) {
        self.0.push_back(value);
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    pub(in crate::balance) fn clear(&mut self) {
        self.0.clear();
    }

    /// How many cycles are known.
    pub(in crate::balance) fn len(&self) -> usize {
        self.0.len()
    }

    /// The greater one of two in the middle.
    pub(in crate::balance) fn median(&self) -> Option<u64> {
        let sorted = self.sorted();
        sorted.get(sorted.len() / 2).copied()
    }

    /// The only one where there is no second.
    pub(in crate::balance) fn second_greatest(&self) -> Option<u64> {
        let sorted = self.sorted();
        sorted.get(sorted.len().saturating_sub(2)).copied()
    }

    fn sorted(&self) -> Vec<u64> {
        let mut sorted: Vec<u64> = self.0.iter().copied().collect();
        sorted.sort_unstable();
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_count() {
        let mut recent = Recent::default();
        assert_eq!((recent.median(), recent.second_greatest()), (None, None));
        recent.add(9);
        assert_eq!(
            (recent.median(), recent.second_greatest()),
            (Some(9), Some(9))
        );
        for value in [4, 1, 3, 2, 100] {
            recent.add(value);
        }
        assert_eq!((recent.len(), recent.median()), (REMEMBERED, Some(3)));
        assert_eq!(recent.second_greatest(), Some(4));
        recent.clear();
        assert_eq!(recent.len(), 0);
    }
}
