//! Items for shares of the load, where items are too heavy to be divided exactly.
//!
//! Before: [`crate::balance::partition`] says which load each member should have. After: whole items, or
//! blocks of them, such that nobody has much more than it should.
//!
//! ```text
//! weights     3    1 | 4 |  1    5         shares 5 5 4
//! by shares   0....4 |   |               ranges whose loads are 4, 4 and 6: the last has half as much again
//! ```
//!
//! This is the chains-on-chains problem with members of different capability: of all divisions into
//! consecutive ranges, one whose greatest load over share is least. It is searched by bisection, each
//! step a greedy probe that gives every member as many items as its share, enlarged, holds
//! (Pınar and Aykanat, "Fast optimal load balancing algorithms for 1D partitioning", 2004). Then each
//! boundary goes as near to where the shares have it as that bound, and `SLACK`, allow, so that
//! items do not move for nothing.
//!
//! Invariants: ranges are consecutive and cover all items; who should have nothing has nothing that
//! weighs; the same weights and shares give the same ranges at all members.

use super::items::Items;

/// By how much more than the least greatest load a member may have, if boundaries are nearer then.
const SLACK: f64 = 0.01;

/// Halvings of the interval in which the least greatest load is searched.
const HALVINGS: usize = 24;

/// Where each member's items end, for members that should have these loads.
pub fn ends(items: &Items, shares: &[u64]) -> Vec<u64> {
    let near = near_ends(items, shares);
    if items.is_exact() {
        return near;
    }
    let (mut least, mut most) = (1.0, worst(items, shares, &near));
    if most <= least + SLACK {
        return near;
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(least, most);
        if reaches_the_end(items, shares, middle) {
            most = middle;
        } else {
            least = middle;
        }
    }
    within(items, shares, &near, most + SLACK)
}

/// The boundaries nearest to where the shares have them.
fn near_ends(items: &Items, shares: &[u64]) -> Vec<u64> {
    let mut sum = 0;
    let mut ends: Vec<u64> = shares
        .iter()
        .map(|share| {
            sum += share;
            items.nearest(sum)
        })
        .collect();
    if let Some(last) = ends.last_mut() {
        *last = items.count();
    }
    ends
}

/// The greatest load of a member over its share.
fn worst(items: &Items, shares: &[u64], ends: &[u64]) -> f64 {
    let mut start = 0;
    let ratio = |(share, end): (&u64, &u64)| {
        let load = items.before(*end) - items.before(std::mem::replace(&mut start, *end));
        match load {
            0 => 0.0,
            load => load as f64 / (*share).max(1) as f64,
        }
    };
    shares.iter().zip(ends).map(ratio).fold(1.0, f64::max)
}

/// What a member may have at most.
fn room(share: u64, enlarged: f64) -> u64 {
    (share as f64 * enlarged) as u64
}

/// Whether all items find their place if shares are so much larger.
fn reaches_the_end(items: &Items, shares: &[u64], enlarged: f64) -> bool {
    let reach = |start, share: &u64| items.reach(start, room(*share, enlarged));
    shares.iter().fold(0, reach) == items.count()
}

/// Boundaries as near as can be, where no load is more than its share, enlarged.
fn within(items: &Items, shares: &[u64], near: &[u64], enlarged: f64) -> Vec<u64> {
    // Before these, the members behind could not have all that is left.
    let mut least = vec![items.count(); shares.len()];
    for member in (1..shares.len()).rev() {
        least[member - 1] = items.reach_back(least[member], room(shares[member], enlarged));
    }
    let mut start = 0;
    let end = |((share, near), least): ((&u64, &u64), &u64)| {
        let most = items.reach(start, room(*share, enlarged));
        start = (*near).max(*least).max(start).min(most.max(start));
        start
    };
    let mut ends: Vec<u64> = shares.iter().zip(near).zip(&least).map(end).collect();
    if let Some(last) = ends.last_mut() {
        *last = items.count();
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least greatest load over share, by trying everything.
    fn least_by_trial(items: &Items, shares: &[u64]) -> f64 {
        fn go(items: &Items, shares: &[u64], start: u64) -> f64 {
            let Some((share, others)) = shares.split_first() else {
                return if start == items.count() {
                    1.0
                } else {
                    f64::MAX
                };
            };
            (start..=items.count())
                .filter(|end| end.is_multiple_of(items.block()) || *end == items.count())
                .map(|end| {
                    let load = items.before(end) - items.before(start);
                    let own = if load == 0 {
                        0.0
                    } else {
                        load as f64 / *share as f64
                    };
                    go(items, others, end).max(own)
                })
                .fold(f64::MAX, f64::min)
        }
        go(items, shares, 0)
    }

    #[test]
    fn nobody_has_more_than_the_least_greatest_load() {
        // Boundaries nearest to 5 and 10 would be 4 and 8, and leave 6 to the last.
        let items = Items::weighted(&[3, 1, 4, 1, 5], 1).unwrap();
        assert_eq!(ends(&items, &[5, 5, 4]), [2, 4, 5]);
        let heavy = Items::weighted(&[9, 9, 9, 9, 9, 9, 9], 1).unwrap();
        assert_eq!(ends(&heavy, &[21, 21, 21]), [2, 5, 7]);
    }

    #[test]
    fn equal_items_are_divided_as_the_shares_say() {
        let items = Items::equal(1000, 1).unwrap();
        assert_eq!(ends(&items, &[100, 650, 250]), [100, 750, 1000]);
    }

    proptest! {
        #[test]
        fn ranges_cover_all_items_and_are_as_even_as_any(
            weights in proptest::collection::vec(0u64..50, 1..9),
            block in 1u64..4,
            parts in proptest::collection::vec(1u64..9, 1..5),
        ) {
            let items = Items::weighted(&weights, block).unwrap();
            let whole: u64 = parts.iter().sum();
            let (mut sum, mut last) = (0, 0);
            let share = |part: &u64| {
                sum += part;
                let end = items.load() * sum / whole;
                end - std::mem::replace(&mut last, end)
            };
            let shares: Vec<u64> = parts.iter().map(share).collect();
            let ends = ends(&items, &shares);
            prop_assert_eq!(ends.len(), shares.len());
            prop_assert_eq!(ends.last(), Some(&items.count()));
            prop_assert!(ends.is_sorted());
            for end in &ends {
                prop_assert!(end.is_multiple_of(block) || *end == items.count());
            }
            // Of tiny shares rounding is a part.
            if shares.iter().all(|share| *share >= 1) {
                let found = worst(&items, &shares, &ends);
                let least = least_by_trial(&items, &shares).max(1.0);
                prop_assert!(found <= least + 2.0 * SLACK, "{found} {least} {ends:?} {shares:?}");
            }
        }
    }
}
