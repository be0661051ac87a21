//! A binary tree whose members are numbered breadth first.
//!
//! Before: an algorithm asks who is above and below a member. After: messages along the edges.
//!
//! ```text
//!                 0
//!         1               2
//!     3       4       5       6
//!   7   8   9  10  11  12  13  14   ...
//! ```
//!
//! Invariant: a parent's number is below those of its children, and each member but 0 has one parent.

use std::ops::Range;

/// The parent of the member at `place`, which is not 0.
pub fn parent(place: usize) -> usize {
    (place - 1) / 2
}

/// The children of the member at `place` in a tree of `size` members: none, one or two.
pub fn children(place: usize, size: usize) -> Range<usize> {
    let first = 2 * place + 1;
    first.min(size)..(first + 2).min(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_numbered_breadth_first() {
        assert_eq!(children(0, 31), 1..3);
        assert_eq!((children(1, 31), children(2, 31)), (3..5, 5..7));
        assert_eq!(children(14, 31), 29..31);
        assert!((15..31).all(|leaf| children(leaf, 31).is_empty()));
        for size in 1..70 {
            let mut reached = 1;
            for place in 0..size {
                for child in children(place, size) {
                    assert_eq!((child, parent(child)), (reached, place), "{size} members");
                    reached += 1;
                }
            }
            assert_eq!(reached, size);
        }
    }
}
