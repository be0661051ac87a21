//! What is divided: items, which may cost different amounts, and may only be divided in blocks.
//!
//! Before: [`super::partition`] says which load each member has. After: the items that are that
//! load, by whose numbers a program finds its data.
//!
//! ```text
//! weights of items    3   1   4   1   5         prefix sums 0 3 4 8 9, total 14
//! loads of members    0..6        6..14
//! items of members    0..3        3..5          an item belongs to whose load holds its first unit
//! ```
//!
//! Invariants: consecutive loads give consecutive items, so the items of all members are the whole
//! exactly; boundaries are multiples of the block, but for the last.

use std::ops::Range;

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

    /// The items of a range of load.
    pub fn range(&self, load: Range<u64>) -> Range<u64> {
        let start = self.boundary(load.start);
        start..self.boundary(load.end).max(start)
    }

    /// The first item whose load begins at or behind `load`, at a boundary of blocks.
    fn boundary(&self, load: u64) -> u64 {
        if load >= self.load && load > 0 {
            return self.count;
        }
        let item = match &self.starts {
            None => load,
            Some(starts) => starts.partition_point(|start| *start < load) as u64,
        };
        item.next_multiple_of(self.block).min(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::partition::{Partition, Transfer};
    use proptest::prelude::*;

    #[test]
    fn an_item_belongs_to_whose_load_holds_its_first_unit() {
        let items = Items::weighted(&[3, 1, 4, 1, 5], 1).unwrap();
        assert_eq!(items.load(), 14);
        assert_eq!([items.range(0..6), items.range(6..14)], [0..3, 3..5]);
        assert_eq!(items.range(0..0), 0..0);
        let blocks = Items::equal(10, 4).unwrap();
        assert_eq!(
            [0..3, 3..9, 9..10].map(|load| blocks.range(load)),
            [0..4, 4..10, 10..10]
        );
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
                for member in 0..members {
                    let range = items.range(partition.range(member));
                    prop_assert!(range.start == covered && range.start <= range.end);
                    prop_assert!(range.end.is_multiple_of(block) || range.end == items.count());
                    covered = range.end;
                }
                prop_assert_eq!(covered, items.count());
            }
        }
    }
}
