//! Groups chosen by rank: `MPI_Group_incl`, `_excl`, `_range_incl` and `_range_excl`
//! (MPI-5.0 section 7.3.2).
//!
//! Every rank named must be in the group, and may be named once. A range names
//! `first, first + stride, ...` as far as `last`, which it need not hit.
//!
//! Including one range of a group that is itself a range costs nothing; the
//! rest is linear in the sizes of the group and the result.

use super::{Group, GroupError, Members};

/// Ranks `first, first + stride, ...` as far as `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    /// The first rank.
    pub first: i32,
    /// No rank lies beyond this one.
    pub last: i32,
    /// From each rank to the next; negative goes down.
    pub stride: i32,
}

impl RankRange {
    /// How many ranks the range has, at least one, all of them in a group of `size`;
    /// `index` tells which range it is where it is refused.
    fn count(self, index: usize, size: usize) -> Result<usize, GroupError> {
        let Self {
            first,
            last,
            stride,
        } = self;
        if stride == 0 {
            return Err(GroupError::ZeroStride { index });
        }
        let distance = i64::from(last) - i64::from(first);
        if distance.signum() * i64::from(stride.signum()) < 0 {
            return Err(GroupError::EmptyRange {
                index,
                first,
                last,
                stride,
            });
        }
        let steps = distance / i64::from(stride);
        for rank in [
            i64::from(first),
            i64::from(first) + steps * i64::from(stride),
        ] {
            if !(0..size as i64).contains(&rank) {
                return Err(GroupError::NoSuchRank { rank, size });
            }
        }
        Ok(steps as usize + 1)
    }

    /// The range's ranks; `count` is that of [`count`](Self::count).
    fn ranks(self, count: usize) -> impl Iterator<Item = usize> {
        (0..count as i64)
            .map(move |step| (i64::from(self.first) + step * i64::from(self.stride)) as usize)
    }
}

impl Group {
    /// The members at `ranks`, in that order (`MPI_Group_incl`).
    ///
    /// # Errors
    ///
    /// [`GroupError::NoSuchRank`], [`GroupError::RankTwice`].
    pub fn include(&self, ranks: &[i32]) -> Result<Self, GroupError> {
        self.mark(ranks)?;
        Ok(Self::from_distinct(
            ranks
                .iter()
                .map(|&rank| self.member(rank as usize))
                .collect(),
        ))
    }

    /// The members but those at `ranks`, in their order (`MPI_Group_excl`).
    ///
    /// # Errors
    ///
    /// [`GroupError::NoSuchRank`], [`GroupError::RankTwice`].
    pub fn exclude(&self, ranks: &[i32]) -> Result<Self, GroupError> {
        if ranks.is_empty() {
            return Ok(self.clone());
        }
        let named = self.mark(ranks)?;
        Ok(self.without(&named))
    }

    /// The members at the ranks of each range in turn (`MPI_Group_range_incl`).
    ///
    /// # Errors
    ///
    /// [`GroupError::ZeroStride`], [`GroupError::EmptyRange`],
    /// [`GroupError::NoSuchRank`], [`GroupError::RankTwice`].
    pub fn include_ranges(&self, ranges: &[RankRange]) -> Result<Self, GroupError> {
        if let ([range], Members::Range { first, stride, .. }) = (ranges, &self.members) {
            let count = range.count(0, self.size())?;
            return Ok(Self::range(
                (i64::from(*first) + i64::from(range.first) * stride) as u32,
                if count == 1 {
                    1
                } else {
                    stride * i64::from(range.stride)
                },
                count as u32,
            ));
        }
        let (_, ranks) = self.mark_ranges(ranges)?;
        Ok(Self::from_distinct(
            ranks.into_iter().map(|rank| self.member(rank)).collect(),
        ))
    }

    /// The members but those at the ranks of the ranges, in their order (`MPI_Group_range_excl`).
    ///
    /// # Errors
    ///
    /// Those of [`include_ranges`](Self::include_ranges).
    pub fn exclude_ranges(&self, ranges: &[RankRange]) -> Result<Self, GroupError> {
        if ranges.is_empty() {
            return Ok(self.clone());
        }
        let (named, _) = self.mark_ranges(ranges)?;
        Ok(self.without(&named))
    }

    /// The task at a rank that has been checked.
    fn member(&self, rank: usize) -> u32 {
        self.task(rank)
            .expect("the rank was found to be in the group")
    }

    /// The members whose rank is not named.
    fn without(&self, named: &[bool]) -> Self {
        let rest = self.tasks().zip(named).filter(|(_, named)| !**named);
        Self::from_distinct(rest.map(|(task, _)| task).collect())
    }

    /// Which ranks are named, each once.
    fn mark(&self, ranks: &[i32]) -> Result<Vec<bool>, GroupError> {
        let size = self.size();
        let mut named = vec![false; size];
        for &rank in ranks {
            let place = usize::try_from(rank)
                .ok()
                .and_then(|rank| named.get_mut(rank));
            let named = place.ok_or(GroupError::NoSuchRank {
                rank: rank.into(),
                size,
            })?;
            if std::mem::replace(named, true) {
                return Err(GroupError::RankTwice {
                    rank: rank as usize,
                });
            }
        }
        Ok(named)
    }

    /// Which ranks are named, each once, and the same as a list.
    fn mark_ranges(&self, ranges: &[RankRange]) -> Result<(Vec<bool>, Vec<usize>), GroupError> {
        let mut named = vec![false; self.size()];
        let mut ranks = Vec::new();
        for (index, range) in ranges.iter().enumerate() {
            let count = range.count(index, self.size())?;
            for rank in range.ranks(count) {
                if std::mem::replace(&mut named[rank], true) {
                    return Err(GroupError::RankTwice { rank });
                }
                ranks.push(rank);
            }
        }
        Ok((named, ranks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tasks(group: Result<Group, GroupError>) -> Vec<u32> {
        group.unwrap().tasks().collect()
    }

    fn range(first: i32, last: i32, stride: i32) -> RankRange {
        RankRange {
            first,
            last,
            stride,
        }
    }

    #[test]
    fn ranks_are_included_in_their_order_and_excluded_in_the_group_s() {
        let group = Group::from_tasks(&[10, 20, 21, 30, 5]).unwrap();
        assert_eq!(tasks(group.include(&[4, 0, 2])), [5, 10, 21]);
        assert_eq!(tasks(group.exclude(&[4, 0, 2])), [20, 30]);
        assert_eq!(tasks(group.include(&[])), []);
        assert_eq!(group.exclude(&[]).unwrap(), group);
    }

    #[test]
    fn wrong_ranks_are_refused() {
        let group = Group::world(4);
        let no_such_rank = |rank| GroupError::NoSuchRank { rank, size: 4 };
        for refuse in [Group::include, Group::exclude] {
            assert_eq!(refuse(&group, &[0, 4]).unwrap_err(), no_such_rank(4));
            assert_eq!(refuse(&group, &[-1]).unwrap_err(), no_such_rank(-1));
            assert_eq!(
                refuse(&group, &[1, 2, 1]).unwrap_err(),
                GroupError::RankTwice { rank: 1 }
            );
        }
    }

    #[test]
    fn ranges_go_up_and_down_and_need_not_hit_their_last_rank() {
        let group = Group::from_tasks(&[0, 11, 2, 13, 4, 15, 6, 17, 8, 19]).unwrap();
        let ranges = [range(6, 7, 1), range(1, 6, 2), range(0, 9, 4)];
        assert_eq!(
            tasks(group.include_ranges(&ranges)),
            [6, 17, 11, 13, 15, 0, 4, 8]
        );
        assert_eq!(tasks(group.exclude_ranges(&ranges)), [2, 19]);
        assert_eq!(
            tasks(group.include_ranges(&[range(9, 0, -4)])),
            [19, 15, 11]
        );
        assert_eq!(tasks(group.include_ranges(&[])), []);
    }

    #[test]
    fn wrong_ranges_are_refused() {
        for group in [Group::world(4), Group::from_tasks(&[1, 2, 0, 3]).unwrap()] {
            for refuse in [Group::include_ranges, Group::exclude_ranges] {
                let error = |ranges: &[RankRange]| refuse(&group, ranges).unwrap_err();
                assert_eq!(
                    error(&[range(0, 3, 0)]),
                    GroupError::ZeroStride { index: 0 }
                );
                assert_eq!(
                    error(&[range(3, 0, 1)]),
                    GroupError::EmptyRange {
                        index: 0,
                        first: 3,
                        last: 0,
                        stride: 1
                    }
                );
                assert_eq!(
                    error(&[range(0, 4, 2)]),
                    GroupError::NoSuchRank { rank: 4, size: 4 }
                );
                assert_eq!(
                    error(&[range(-1, 2, 1)]),
                    GroupError::NoSuchRank { rank: -1, size: 4 }
                );
                assert_eq!(
                    error(&[range(0, 1, 1), range(3, 1, -1)]),
                    GroupError::RankTwice { rank: 1 }
                );
            }
        }
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let group = Group::world(4);
        let far = group.include_ranges(&[range(i32::MIN, i32::MAX, 1)]);
        assert!(matches!(far, Err(GroupError::NoSuchRank { .. })));
        assert_eq!(
            tasks(group.include_ranges(&[range(3, i32::MAX, i32::MAX)])),
            [3]
        );
        assert_eq!(
            tasks(group.include_ranges(&[range(3, i32::MIN + 4, i32::MIN)])),
            [3]
        );
    }

    proptest! {
        #[test]
        fn one_range_of_a_range_is_what_its_ranks_are(
            first in 0i32..20, last in 0i32..20, stride in -5i32..6, descending: bool,
        ) {
            let mut list: Vec<u32> = (0..20).map(|i| 100 + 3 * i).collect();
            if descending { list.reverse(); }
            let group = Group::from_tasks(&list).unwrap();
            // A second, irregular group of the same length takes the general way.
            let mut other = list.clone();
            other.rotate_left(7);
            let other = Group::from_tasks(&other).unwrap();
            let range = range(first, last, stride);
            let (a, b) = (group.include_ranges(&[range]), other.include_ranges(&[range]));
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    let ranks: Vec<usize> = a.tasks().map(|t| group.rank_of(t).unwrap()).collect();
                    let expected: Vec<usize> =
                        b.tasks().map(|t| other.rank_of(t).unwrap()).collect();
                    prop_assert_eq!(&ranks, &expected);
                    prop_assert_eq!(ranks[0], first as usize);
                    prop_assert_eq!(&a, &Group::from_tasks(&a.tasks().collect::<Vec<_>>()).unwrap());
                }
                (a, b) => prop_assert_eq!(a.unwrap_err(), b.unwrap_err()),
            }
        }
    }
}
