//! Which items belong to whom: ranges given by their ending addresses, and offsets to these.
//!
//! Before: [`crate::balance::decision::controller`] decided who gives how much to whom. After: each member fetches the
//! range that is its own from now on.
//!
//! ```text
//! base ends      |250      |500      |750      |1000     equal portions
//! offsets        +40       +40       +40       0         the last gave 40 to the first
//! ranges   0..290    290..540  540..790  790..1000
//! ```
//!
//! A boundary moves by the net amount that flows across it, so starts follow ends, and a member
//! between giver and receiver keeps its size and shifts.
//!
//! Invariants: the ranges lie one after the other and cover the whole exactly; the last end is
//! fixed; none is negative; offsets stay until the next move changes them; a refused move changes
//! nothing.

pub mod division;
pub mod items;
pub mod rounding;

use std::ops::Range;

/// An amount that one member gives to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Who gives.
    pub giver: usize,
    /// Who receives.
    pub receiver: usize,
    /// How much, in units of load.
    pub amount: u64,
}

/// Why there is no such partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// Nobody is there to have a part.
    #[error("a partition needs at least one member")]
    NoMembers,
    /// Offsets are signed.
    #[error("{items} items are too many for a partition: at most {} fit", i64::MAX)]
    TooManyItems {
        /// How many were asked for.
        items: u64,
    },
    /// A transfer names a member that is not there.
    #[error("member {member} is not in this partition of {members} members")]
    Stranger {
        /// Who was named.
        member: usize,
        /// How many members there are.
        members: usize,
    },
    /// A member would give more than it has.
    #[error("member {member} has {size} items and cannot give {amount}")]
    TooMuch {
        /// Who would give.
        member: usize,
        /// What it would give, less what it would receive.
        amount: u64,
        /// What it has.
        size: u64,
    },
}

/// Ranges of items, one a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    base_ends: Vec<u64>,
    offsets: Vec<i64>,
}

impl Partition {
    /// Portions of `items` items as equal as they can be.
    ///
    /// # Errors
    ///
    /// [`PartitionError::NoMembers`] and [`PartitionError::TooManyItems`].
    pub fn equal(items: u64, members: usize) -> Result<Self, PartitionError> {
        if members == 0 {
            return Err(PartitionError::NoMembers);
        }
        if i64::try_from(items).is_err() {
            return Err(PartitionError::TooManyItems { items });
        }
        let end = |member: u128| (u128::from(items) * (member + 1) / members as u128) as u64;
        Ok(Self {
            base_ends: (0..members as u128).map(end).collect(),
            offsets: vec![0; members],
        })
    }

    /// Portions of these sizes.
    ///
    /// # Errors
    ///
    /// As for [`Self::equal`].
    pub fn of(sizes: &[u64]) -> Result<Self, PartitionError> {
        let items = sizes
            .iter()
            .fold(0, |sum: u64, size| sum.saturating_add(*size));
        let mut partition = Self::equal(items, sizes.len())?;
        let mut end = 0;
        for (place, size) in partition.base_ends.iter_mut().zip(sizes) {
            end += size;
            *place = end;
        }
        Ok(partition)
    }

    /// The partition of `items` items in which each member has the share that it has here; equal
    /// portions where there is nothing to have a share of.
    ///
    /// # Errors
    ///
    /// As for [`Self::equal`].
    pub fn scaled(&self, items: u64) -> Result<Self, PartitionError> {
        let mut scaled = Self::equal(items, self.members())?;
        let whole = self.end(self.members() - 1);
        if whole > 0 {
            for (member, end) in scaled.base_ends.iter_mut().enumerate() {
                let share = u128::from(self.end(member)) * u128::from(items);
                *end = (share / u128::from(whole)) as u64;
            }
        }
        Ok(scaled)
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.base_ends.len()
    }

    /// Where the range of `member` ends.
    fn end(&self, member: usize) -> u64 {
        self.base_ends[member].wrapping_add_signed(self.offsets[member])
    }

    /// The items of `member`; none for a member that is not there.
    pub fn range(&self, member: usize) -> Range<u64> {
        if member >= self.members() {
            return 0..0;
        }
        let start = member.checked_sub(1).map_or(0, |before| self.end(before));
        start..self.end(member)
    }

    /// How many items each member has.
    pub fn sizes(&self) -> Vec<u64> {
        let size = |member| self.range(member).end - self.range(member).start;
        (0..self.members()).map(size).collect()
    }

    /// Moves the boundaries by what flows across them.
    ///
    /// # Errors
    ///
    /// [`PartitionError::Stranger`] and [`PartitionError::TooMuch`]; then nothing has changed.
    pub fn apply(&mut self, transfers: &[Transfer]) -> Result<(), PartitionError> {
        let changes = self.changes(transfers)?;
        let mut flow = 0_i128;
        for (offset, change) in self.offsets.iter_mut().zip(changes) {
            flow += change;
            // Ranges stay within the whole, whose length an i64 holds.
            *offset += flow as i64;
        }
        Ok(())
    }

    /// By how much each size changes, checked.
    fn changes(&self, transfers: &[Transfer]) -> Result<Vec<i128>, PartitionError> {
        let members = self.members();
        let mut changes = vec![0_i128; members];
        for transfer in transfers {
            let (giver, receiver) = (transfer.giver, transfer.receiver);
            if let Some(member) = [giver, receiver].into_iter().find(|m| *m >= members) {
                return Err(PartitionError::Stranger { member, members });
            }
            changes[giver] -= i128::from(transfer.amount);
            changes[receiver] += i128::from(transfer.amount);
        }
        for (member, (change, size)) in changes.iter().zip(self.sizes()).enumerate() {
            if i128::from(size) + change < 0 {
                let amount = u64::try_from(-change).unwrap_or(u64::MAX);
                return Err(PartitionError::TooMuch {
                    member,
                    amount,
                    size,
                });
            }
        }
        Ok(changes)
    }

    /// How many items have another owner than in `before`: what has to be fetched.
    pub fn fetched_since(&self, before: &Self) -> u64 {
        let fetched = |member| {
            let (new, old) = (self.range(member), before.range(member));
            let kept = new
                .end
                .min(old.end)
                .saturating_sub(new.start.max(old.start));
            new.end - new.start - kept
        };
        (0..self.members()).map(fetched).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transfer(giver: usize, receiver: usize, amount: u64) -> Transfer {
        Transfer {
            giver,
            receiver,
            amount,
        }
    }

    #[test]
    fn ends_move_by_the_net_flow_across_them_and_offsets_persist() {
        let equal = Partition::equal(1000, 4).unwrap();
        let mut partition = equal.clone();
        partition.apply(&[transfer(3, 0, 40)]).unwrap();
        assert_eq!(partition.offsets, [40, 40, 40, 0]);
        assert_eq!(partition.sizes(), [290, 250, 250, 210]);
        assert_eq!(partition.range(1), 290..540);
        assert_eq!(partition.fetched_since(&equal), 120);
        partition
            .apply(&[transfer(1, 2, 10), transfer(0, 2, 5)])
            .unwrap();
        assert_eq!(partition.offsets, [35, 25, 40, 0]);
        partition.apply(&[]).unwrap();
        assert_eq!(partition.sizes(), [285, 240, 265, 210]);
        assert_eq!(partition.range(4), 0..0);
    }

    #[test]
    fn portions_of_given_sizes_lie_one_after_the_other() {
        let partition = Partition::of(&[3, 0, 5]).unwrap();
        assert_eq!(partition.sizes(), [3, 0, 5]);
        assert_eq!(partition.range(2), 3..8);
        assert_eq!(Partition::of(&[]), Err(PartitionError::NoMembers));
        let items = u64::MAX;
        let many = Err(PartitionError::TooManyItems { items });
        assert_eq!(Partition::of(&[items, 2]), many);
    }

    #[test]
    fn what_cannot_be_is_refused_and_changes_nothing() {
        assert_eq!(Partition::equal(1, 0), Err(PartitionError::NoMembers));
        let items = u64::MAX;
        let many = PartitionError::TooManyItems { items };
        assert_eq!(Partition::equal(items, 1), Err(many));
        let mut partition = Partition::equal(10, 2).unwrap();
        let (member, members) = (2, 2);
        let stranger = PartitionError::Stranger { member, members };
        assert_eq!(partition.apply(&[transfer(0, 2, 1)]), Err(stranger));
        let too_much = partition.apply(&[transfer(0, 1, 6)]).unwrap_err();
        assert_eq!(
            too_much.to_string(),
            "member 0 has 5 items and cannot give 6"
        );
        assert_eq!(partition, Partition::equal(10, 2).unwrap());
    }

    #[test]
    fn shares_are_kept_when_the_whole_changes() {
        let mut partition = Partition::equal(100, 4).unwrap();
        partition.apply(&[transfer(3, 0, 15)]).unwrap();
        let scaled = partition.scaled(1000).unwrap();
        assert_eq!(scaled.sizes(), [400, 250, 250, 100]);
        let none = scaled.scaled(0).unwrap();
        assert_eq!(none.sizes(), [0; 4]);
        assert_eq!(none.scaled(8).unwrap().sizes(), [2; 4]);
        let items = u64::MAX;
        let many = PartitionError::TooManyItems { items };
        assert_eq!(partition.scaled(items), Err(many));
    }

    proptest! {
        #[test]
        fn the_union_of_all_ranges_is_always_exactly_the_whole(
            items in 0u64..5000,
            members in 1usize..30,
            moves in proptest::collection::vec((0usize..32, 0usize..32, 0u64..400), 0..60),
        ) {
            let mut partition = Partition::equal(items, members).unwrap();
            for (giver, receiver, amount) in moves {
                let before = partition.clone();
                if partition.apply(&[transfer(giver, receiver, amount)]).is_err() {
                    prop_assert_eq!(&partition, &before);
                }
                let mut covered = 0;
                for member in 0..members {
                    let range = partition.range(member);
                    prop_assert!(range.start == covered && range.start <= range.end);
                    covered = range.end;
                }
                prop_assert_eq!(covered, items);
                prop_assert_eq!(partition.offsets[members - 1], 0);
            }
        }
    }
}
