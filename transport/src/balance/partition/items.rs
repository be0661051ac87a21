//! What is divided: items, which may cost different amounts, and may only be divided in blocks.
//!
//! Before: [`crate::balance::partition`] says which load each member should have. After:
//! [`super::division`] finds the items that are that load, by whose numbers a program finds its
//! data.
//!
//! ```text
//! weights of items    3   1   4   1   5         prefix sums 0 3 4 8 9, total 14
//! boundaries        |   |   |   |   |   |       of blocks of one item
//! ```
//!
//! Invariant: boundaries are multiples of the block, but for the last.

/// Why there are no such items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ItemsError {
    /// A block holds items.
    #[error("items are divided in blocks of at least one item")]
    EmptyBlock,
    /// The sum of weights is too large to count with.
    #[error("the weights of {items} items add up to more than {}", i64::MAX)]
    TooHeavy {
        /// How many items there are.
        items: u64,
    },
}

/// The items of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Items {
    count: u64,
    block: u64,
    /// For each item the sum of the weights before it; none if all weigh one.
    starts: Option<Vec<u64>>,
    load: u64,
}

impl Items {
    /// `count` items that cost the same, divided in blocks of `block`.
    ///
    /// # Errors
    ///
    /// [`ItemsError::EmptyBlock`].
    pub fn equal(count: u64, block: u64) -> Result<Self, ItemsError> {
        if block == 0 {
            return Err(ItemsError::EmptyBlock);
        }
        Ok(Self {
            count,
            block,
            starts: None,
            load: count,
        })
    }

    /// An item for each of `weights`, divided in blocks of `block`.
    ///
    /// # Errors
    ///
    /// [`ItemsError`].
    pub fn weighted(weights: &[u64], block: u64) -> Result<Self, ItemsError> {
        let count = weights.len() as u64;
        let mut load = 0_u64;
        let mut starts = Vec::with_capacity(weights.len());
        for weight in weights {
            starts.push(load);
            let sum = load.checked_add(*weight);
            load = sum
                .filter(|sum| i64::try_from(*sum).is_ok())
                .ok_or(ItemsError::TooHeavy { items: count })?;
        }
        if load == 0 {
            // Items that cost nothing are divided as any that cost the same.
            return Self::equal(count, block);
        }
        Ok(Self {
            starts: Some(starts),
            load,
            ..Self::equal(count, block)?
        })
    }

    /// How many items there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many items a block has.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// The load that all items are.
    pub fn load(&self) -> u64 {
        self.load
    }

    /// Whether any load can be divided off exactly.
    pub fn is_exact(&self) -> bool {
        self.starts.is_none() && self.block == 1
    }

    /// The load of all items before `item`.
    pub fn before(&self, item: u64) -> u64 {
        match &self.starts {
            None => item.min(self.count),
            Some(starts) => starts.get(item as usize).copied().unwrap_or(self.load),
        }
    }

    /// The boundary before which the load is nearest to `load`.
    pub fn nearest(&self, load: u64) -> u64 {
        let behind = self.first(|before| before >= load);
        let ahead = self.boundary(behind.saturating_sub(1));
        let behind = self.boundary(behind);
        let too_little = load.abs_diff(self.before(ahead));
        if too_little < load.abs_diff(self.before(behind)) {
            ahead
        } else {
            behind
        }
    }

    /// The last boundary up to which the items from `start` on, itself one, are no more load than
    /// `room`.
    pub fn reach(&self, start: u64, room: u64) -> u64 {
        let most = self.before(start).saturating_add(room);
        let beyond = self.first(|before| before > most);
        self.boundary(beyond.saturating_sub(1)).max(start)
    }

    /// The first boundary from which on the items before `end`, itself one, are no more load than
    /// `room`.
    pub fn reach_back(&self, end: u64, room: u64) -> u64 {
        let least = self.before(end).saturating_sub(room);
        self.boundary(self.first(|before| before >= least)).min(end)
    }

    /// How many blocks there are: as many boundaries lie behind the first.
    fn blocks(&self) -> u64 {
        self.count.div_ceil(self.block)
    }

    /// The boundary behind so many blocks.
    fn boundary(&self, blocks: u64) -> u64 {
        blocks.saturating_mul(self.block).min(self.count)
    }

    /// Behind how many blocks the load is first as `is_it` says, which holds for all behind that,
    /// too; one more than there are if it never is.
    fn first(&self, is_it: impl Fn(u64) -> bool) -> u64 {
        let (mut low, mut high) = (0, self.blocks() + 1);
        while low < high {
            let middle = low.midpoint(high);
            if is_it(self.before(self.boundary(middle))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::partition::division::ends;
    use crate::balance::partition::{Partition, Transfer};
    use proptest::prelude::*;

    #[test]
    fn boundaries_are_found_by_load() {
        let items = Items::weighted(&[3, 1, 4, 1, 5], 1).unwrap();
        assert_eq!(items.load(), 14);
        assert_eq!([0, 3, 5].map(|item| items.before(item)), [0, 8, 14]);
        assert_eq!(
            [0, 1, 2, 6, 7, 99].map(|load| items.nearest(load)),
            [0, 0, 1, 3, 3, 5]
        );
        assert_eq!(
            [0, 3, 4, 13, 14].map(|room| items.reach(0, room)),
            [0, 1, 2, 4, 5]
        );
        assert_eq!(
            [0, 5, 6, 14].map(|room| items.reach_back(5, room)),
            [5, 4, 3, 0]
        );
        let blocks = Items::equal(10, 4).unwrap();
        assert_eq!(
            [0, 2, 5, 9, 10].map(|load| blocks.nearest(load)),
            [0, 4, 4, 10, 10]
        );
        assert_eq!(
            [3, 4, 9, 10].map(|room| blocks.reach(0, room)),
            [0, 4, 8, 10]
        );
        assert_eq!(
            [1, 2, 6].map(|room| blocks.reach_back(10, room)),
            [10, 8, 4]
        );
        assert!(Items::equal(9, 1).unwrap().is_exact() && !blocks.is_exact());
    }

    #[test]
    fn what_cannot_be_divided_is_refused() {
        assert_eq!(Items::equal(4, 0), Err(ItemsError::EmptyBlock));
        let heavy = Items::weighted(&[1 << 62, 1 << 62], 1);
        assert_eq!(heavy, Err(ItemsError::TooHeavy { items: 2 }));
    }

    proptest! {
        #[test]
        fn the_union_of_all_item_ranges_is_always_the_whole(
            weights in proptest::collection::vec(0u64..50, 0..200),
            block in 1u64..9,
            members in 1usize..12,
            moves in proptest::collection::vec((0usize..12, 0usize..12, 0u64..90), 0..30),
        ) {
            let items = Items::weighted(&weights, block).unwrap();
            let mut partition = Partition::equal(items.load(), members).unwrap();
            for (giver, receiver, amount) in moves {
                // A refused move changes nothing, which the partition's own test shows.
                let _ = partition.apply(&[Transfer { giver, receiver, amount }]);
                let mut covered = 0;
                for end in ends(&items, &partition.sizes()) {
                    prop_assert!(end >= covered);
                    prop_assert!(end.is_multiple_of(block) || end == items.count());
                    covered = end;
                }
                prop_assert_eq!(covered, items.count());
            }
        }
    }
}
