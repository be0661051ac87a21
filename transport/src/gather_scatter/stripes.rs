//! The submessages of a message: how its length is divided.
//!
//! Submessage i of n, counted from 1, begins at packed offset (i - 1) * length / n, rounded
//! down, and ends where the next begins. So lengths differ by one byte at most, and their sum is
//! the message's length whatever n is: 34 bytes in four are 8, 9, 8 and 9. Nothing else
//! is computed; where that is in memory, the dummy machine of the thread that moves the submessage
//! finds out. Offsets are of packed bytes, so contiguous data is divided the same way.
//!
//! Step before: a sender decides how many. Step after: each submessage is moved by itself,
//! by a machine of its own that first seeks to `offset`.
//!
//! Invariants: submessages are in order, without gap or overlap; none is empty unless the
//! message has fewer bytes than submessages were asked for.
//!
//! Source: striping, the offsets of submessages.

/// A part of a message, moved as if it were a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submessage {
    /// Packed bytes of the message before it.
    pub offset: usize,
    /// Its packed bytes.
    pub bytes: usize,
}

/// Where submessage `index` of `count` (from 0; `count` itself for the end) begins.
#[inline]
pub fn offset(length: usize, index: usize, count: usize) -> usize {
    let product = index as u128 * length as u128;
    // At most the length, as the index is at most the count.
    (product / count.max(1) as u128) as usize
}

/// `length` bytes divided into `count` submessages of equal length, to the byte.
pub fn equal(length: usize, count: usize) -> impl ExactSizeIterator<Item = Submessage> {
    (0..count).map(move |index| {
        let start = offset(length, index, count);
        Submessage {
            offset: start,
            bytes: offset(length, index + 1, count) - start,
        }
    })
}

/// `length` bytes divided into parts of given lengths: the last is cut where they are too
/// long, and what they leave makes one more.
pub fn unequal(length: usize, lengths: &[usize]) -> Vec<Submessage> {
    let mut offset = 0;
    let mut parts = Vec::with_capacity(lengths.len() + 1);
    for &bytes in lengths.iter().chain([&length]) {
        let bytes = bytes.min(length - offset);
        if bytes != 0 {
            parts.push(Submessage { offset, bytes });
            offset += bytes;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lengths(parts: impl Iterator<Item = Submessage>) -> Vec<(usize, usize)> {
        parts.map(|part| (part.offset, part.bytes)).collect()
    }

    #[test]
    fn the_worked_numbers_are_rounded_down() {
        assert_eq!(lengths(equal(34, 2)), [(0, 17), (17, 17)]);
        assert_eq!(lengths(equal(34, 4)), [(0, 8), (8, 9), (17, 8), (25, 9)]);
        assert_eq!(lengths(equal(0, 2)), [(0, 0), (0, 0)]);
        assert_eq!(offset(usize::MAX, 3, 3), usize::MAX);
    }

    #[test]
    fn unequal_lengths_cover_the_message() {
        let of = |given: &[usize]| lengths(unequal(34, given).into_iter());
        assert_eq!(of(&[10, 20]), [(0, 10), (10, 20), (30, 4)]);
        assert_eq!(of(&[10, 0, 30]), [(0, 10), (10, 24)]);
        assert_eq!(of(&[]), [(0, 34)]);
    }

    proptest! {
        #[test]
        fn submessages_follow_each_other(length in 0usize..1 << 50, count in 1usize..100) {
            let mut end = 0;
            for part in equal(length, count) {
                prop_assert_eq!(part.offset, end);
                prop_assert!(part.bytes.abs_diff(length / count) <= 1);
                end += part.bytes;
            }
            prop_assert_eq!(end, length);
        }
    }
}
