//! Ranges of message sizes, and the algorithm of each.
//!
//! Bounds `b[0] < b[1] < ...` divide the sizes; the range of a size is the number of bounds that
//! it exceeds, added up without a branch ("Parallel active messages with algorithm selection by
//! message size", Expression 1: the sum over n of `(size > b[n])`):
//!
//! ```text
//!   bounds       100   1000   10000   (open)          size 500 exceeds 1 + 0 + 0 = range 1
//!   ranges   0 ... 100 ... 1000 ... 10000 ...
//! ```
//!
//! The document leaves two cases open. Here size 0 belongs to the first range, as the sum says;
//! and the last range has no end, so that every size has an algorithm.
//!
//! A table has a fixed length, so that the sum is unrolled, and is filled up with bounds that no
//! size exceeds. Comparisons are made in 32 bits, four or eight in a vector register; a size that
//! does not fit (2 GiB) takes the same sum in full width. Above 16 ranges the sum is taken in two
//! steps: over the last bounds of blocks of 16, which gives the block, and within the block. That
//! is the same sum, since bounds rise: blocks below are exceeded as wholes, blocks above not at
//! all.
//!
//! Before: [`super::table`] makes one. After: a caller that has a size.

/// Ranges of a block in tables of more.
const BLOCK: usize = 16;

/// The most blocks of a table.
const BLOCKS: usize = 8;

/// Stands for bounds that do not fit 32 bits; sizes below it do.
const WIDE: i32 = i32::MAX;

/// Which range of `bounds` a size belongs to: 0 to `bounds.len()`.
#[inline(always)]
pub fn range(bounds: &[usize], bytes: usize) -> usize {
    bounds.iter().map(|bound| usize::from(bytes > *bound)).sum()
}

/// The same sum over bounds in 32 bits.
#[inline(always)]
fn narrow_range(bounds: &[i32], bytes: i32) -> usize {
    let exceeded: i32 = bounds.iter().map(|bound| i32::from(bytes > *bound)).sum();
    exceeded as usize
}

/// A bound in 32 bits, or [`WIDE`].
fn narrow(bound: usize) -> i32 {
    i32::try_from(bound).unwrap_or(WIDE)
}

/// Why ranges do not make a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangesError {
    /// There is none.
    #[error("a table needs at least one range")]
    Empty,
    /// There are too many.
    #[error("there are {ranges} ranges and room for {room}: merge some of them")]
    TooMany {
        /// How many there are.
        ranges: usize,
        /// How many fit.
        room: usize,
    },
    /// A bound is not above the one before it.
    #[error(
        "range {range} ends at {bound} bytes and the one before it at {before}: bounds must rise"
    )]
    Falling {
        /// The range's index.
        range: usize,
        /// Where it ends.
        bound: usize,
        /// Where the range before it ends.
        before: usize,
    },
}

/// Up to `N` ranges of sizes, each with an algorithm; `N` is a power of two, 128 at most.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Ranges<A, const N: usize> {
    /// The last bound of each block.
    ends: [i32; BLOCKS],
    /// The bounds in 32 bits.
    narrow: [i32; N],
    algorithms: [A; N],
    count: usize,
    /// Invariant: rising up to the last range's, which is `usize::MAX` as all behind it are.
    bounds: [usize; N],
}

impl<A: Copy, const N: usize> Ranges<A, N> {
    /// The table of `ranges`: upper bound in bytes, and algorithm. The last one has no end,
    /// whatever its bound.
    pub fn new(ranges: &[(usize, A)]) -> Result<Self, RangesError> {
        const { assert!(N.is_power_of_two() && N <= BLOCK * BLOCKS) };
        let (_, last) = *ranges.last().ok_or(RangesError::Empty)?;
        let count = ranges.len();
        if count > N {
            return Err(RangesError::TooMany {
                ranges: count,
                room: N,
            });
        }
        let mut table = Self {
            ends: [WIDE; BLOCKS],
            narrow: [WIDE; N],
            algorithms: [last; N],
            count,
            bounds: [usize::MAX; N],
        };
        for (range, (bound, algorithm)) in ranges[..count - 1].iter().enumerate() {
            table.bounds[range] = *bound;
            table.narrow[range] = narrow(*bound);
            table.algorithms[range] = *algorithm;
        }
        let falling = (1..count).find(|range| table.bounds[*range] <= table.bounds[*range - 1]);
        if let Some(range) = falling {
            return Err(RangesError::Falling {
                range,
                bound: table.bounds[range],
                before: table.bounds[range - 1],
            });
        }
        let ends = table
            .narrow
            .chunks_exact(BLOCK)
            .map(|block| block[BLOCK - 1]);
        for (end, bound) in table.ends.iter_mut().zip(ends) {
            *end = bound;
        }
        Ok(table)
    }

    /// The range of a size.
    #[inline(always)]
    pub fn range(&self, bytes: usize) -> usize {
        if bytes >= WIDE as usize {
            return self.wide_range(bytes);
        }
        let bytes = bytes as i32;
        if const { N <= BLOCK } {
            return narrow_range(&self.narrow, bytes) & (N - 1);
        }
        // The last bound of all is exceeded by nothing, so that there is always such a block.
        let block = narrow_range(&self.ends[..N / BLOCK], bytes) & (N / BLOCK - 1);
        let first = block * BLOCK;
        (first + narrow_range(&self.narrow[first..first + BLOCK], bytes)) & (N - 1)
    }

    /// The range of a size of any width.
    #[cold]
    fn wide_range(&self, bytes: usize) -> usize {
        range(&self.bounds, bytes) & (N - 1)
    }

    /// The algorithm for a size.
    #[inline(always)]
    pub fn select(&self, bytes: usize) -> A {
        self.algorithms[self.range(bytes)]
    }

    /// The ranges' upper bounds and algorithms; the last bound is `usize::MAX`.
    pub fn iter(&self) -> impl Iterator<Item = (usize, A)> {
        let bounds = self.bounds[..self.count].iter().copied();
        bounds.zip(self.algorithms.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_documents_ranges() {
        let bounds = [100, 1000, 10_000];
        let table = Ranges::<_, 4>::new(&[(100, 0), (1000, 1), (10_000, 2), (usize::MAX, 3)]);
        let table = table.unwrap();
        for (sizes, expected) in [
            (vec![0, 1, 50, 100], 0),
            (vec![101, 500, 1000], 1),
            (vec![1001, 5000, 10_000], 2),
            (vec![10_001, usize::MAX], 3),
        ] {
            for bytes in sizes {
                assert_eq!(range(&bounds, bytes), expected, "{bytes}");
                assert_eq!(table.select(bytes), expected, "{bytes}");
            }
        }
    }

    #[test]
    fn the_last_range_has_no_end() {
        let table = Ranges::<_, 4>::new(&[(100, 'a'), (1000, 'b'), (10_000, 'c')]).unwrap();
        assert_eq!(table.select(10_001), 'c');
        assert_eq!(table.select(usize::MAX), 'c');
        assert_eq!(
            table.iter().collect::<Vec<_>>(),
            [(100, 'a'), (1000, 'b'), (usize::MAX, 'c')]
        );
    }

    #[test]
    fn what_makes_no_table_is_refused() {
        let made = |ranges: &[(usize, u8)]| Ranges::<_, 2>::new(ranges).unwrap_err();
        assert_eq!(made(&[]), RangesError::Empty);
        let three = [(1, 0), (2, 1), (3, 2)];
        assert_eq!(made(&three), RangesError::TooMany { ranges: 3, room: 2 });
        let falling = Ranges::<_, 4>::new(&[(5, 0), (5, 1), (9, 2)]).unwrap_err();
        let expected = "range 1 ends at 5 bytes and the one before it at 5: bounds must rise";
        assert_eq!(falling.to_string(), expected);
    }

    /// Small sizes, and sizes about where 32 bits end.
    fn any_size() -> impl Strategy<Value = usize> {
        let about_the_end = (WIDE as usize - 300)..(WIDE as usize + 300);
        prop_oneof![0usize..5000, about_the_end]
    }

    proptest! {
        #[test]
        fn two_steps_give_the_same_sum(
            bounds in prop::collection::btree_set(any_size(), 0..128),
            bytes in any_size(),
        ) {
            let mut bounds: Vec<usize> = bounds.into_iter().collect();
            let expected = bounds.iter().filter(|bound| bytes > **bound).count();
            bounds.push(usize::MAX);
            let ranges: Vec<(usize, usize)> =
                bounds.into_iter().enumerate().map(|(range, bound)| (bound, range)).collect();
            let table = Ranges::<_, 128>::new(&ranges).unwrap();
            prop_assert_eq!(table.range(bytes), expected);
            prop_assert_eq!(table.select(bytes), expected);
        }
    }
}
