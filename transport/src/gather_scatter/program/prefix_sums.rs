//! Where each of many unequal parts ends in the packed bytes, and which part holds a byte.
//!
//! ```text
//!   ends      3   5   6      13   17      ascending, one a part
//!   buckets   0       2      3    4       first part that ends behind k << shift
//! ```
//!
//! Long lists have a table of buckets over the packed bytes, so that looking a byte up reads
//! one bucket and bisects the few parts that end in it: two lines of memory mostly,
//! and never more than a bisection of the whole list where all parts end in one bucket.
//!
//! Step before: [`super::node`] composes a list. Step after: the dummy machine
//! (`crate::gather_scatter::machine::dummy`) and the end of a burst ([`crate::gather_scatter::machine`]) look bytes up.
//!
//! Invariants: `ends` ascends strictly and is not empty; `buckets[k]` is the number of ends
//! that are at most `k << shift`.

/// Lists up to this length are bisected without buckets.
pub(crate) const SHORT_LIST: usize = 16;

/// The ends of unequal parts; see the module.
#[derive(Debug)]
pub struct PrefixSums {
    ends: Box<[usize]>,
    buckets: Box<[u32]>,
    shift: u32,
}

impl PrefixSums {
    /// Of parts with these lengths, none of which is 0 and whose sum does not overflow.
    pub(crate) fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let mut end = 0;
        let ends: Box<[usize]> = lengths
            .map(|length| {
                end += length;
                end
            })
            .collect();
        let shift = (end / ends.len().max(1)).max(1).ilog2() + 2;
        let buckets = if ends.len() <= SHORT_LIST || u32::try_from(ends.len()).is_err() {
            Box::default()
        } else {
            buckets(&ends, shift)
        };
        Self {
            ends,
            buckets,
            shift,
        }
    }

    /// The packed offsets at which the parts end.
    #[inline]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Packed bytes of all parts.
    #[inline]
    pub fn total(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Where part `index` begins.
    #[inline]
    pub fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] }
    }

    /// Which part holds packed byte `offset`: how many parts end at or before it.
    #[inline]
    pub fn part_at(&self, offset: usize) -> usize {
        let bucket = offset >> self.shift;
        let (low, high) = match self.buckets.get(bucket) {
            Some(&low) => {
                let high = self.buckets.get(bucket + 1);
                (
                    low as usize,
                    high.map_or(self.ends.len(), |&high| high as usize),
                )
            }
            None => (0, self.ends.len()),
        };
        low + self.ends[low..high].partition_point(|&end| end <= offset)
    }
}

/// How many ends are at most `k << shift`, for every bucket.
fn buckets(ends: &[usize], shift: u32) -> Box<[u32]> {
    let total = ends[ends.len() - 1];
    let mut below = 0;
    (0..=total >> shift)
        .map(|bucket| {
            while below < ends.len() && ends[below] <= bucket << shift {
                below += 1;
            }
            // The caller has checked that the number of ends fits.
            below as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::PrefixSums;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_find_what_bisection_finds(
            lengths in prop::collection::vec(prop_oneof![1usize..4, 1usize..5000], 1..200),
            offset in any::<prop::sample::Index>(),
        ) {
            let sums = PrefixSums::new(lengths.iter().copied());
            let end = sums.total();
            prop_assert_eq!(end, lengths.iter().sum::<usize>());
            let around = offset.index(end + 2);
            for offset in [0, around, end - 1, end, end + 1] {
                let expected = sums.ends().partition_point(|&e| e <= offset);
                prop_assert_eq!(sums.part_at(offset), expected);
            }
        }
    }

    #[test]
    fn a_skewed_list_is_still_bisected() {
        let lengths = std::iter::repeat_n(1, 100_000).chain([1 << 40]);
        let sums = PrefixSums::new(lengths);
        for offset in [0, 1, 77_777, 99_999, 100_000, (1 << 40) + 99_999] {
            assert_eq!(sums.part_at(offset), offset.min(100_000));
        }
    }
}
