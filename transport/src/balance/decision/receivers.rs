//! The receivers of the slowest one's work, and their parts.
//!
//! Before: [`super::law`] gave an amount. After: [`crate::balance::partition`] moves the parts.
//!
//! Invariants: the slowest never receives; the parts add up to the amount exactly.

use crate::balance::history::Arrival;

/// How many of the fastest receive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Number {
    /// Always so many, as far as there are.
    Fixed(usize),
    /// One, and one more for each of these differences (nanoseconds) that is met or exceeded.
    Thresholds(Vec<u64>),
    /// As many as it takes for all to end together ([`super::evening`]).
    Needed,
}

impl Number {
    /// The number for a difference between fastest and slowest.
    pub fn of(&self, difference_ns: u64) -> usize {
        match self {
            Self::Fixed(number) => (*number).max(1),
            Self::Needed => usize::MAX,
            Self::Thresholds(limits) => {
                1 + limits.iter().filter(|ns| difference_ns >= **ns).count()
            }
        }
    }
}

/// How the amount is divided over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// The same to each.
    Even,
    /// By rank: of three the fastest gets 3 parts, the next 2, the last 1.
    RankOrder,
    /// By how much earlier than the slowest each one was.
    RelativeTime,
}

impl Shares {
    /// Its name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::RankOrder => "rank-order",
            Self::RelativeTime => "relative-time",
        }
    }

    /// All there are.
    pub const ALL: [Self; 3] = [Self::Even, Self::RankOrder, Self::RelativeTime];
}

/// The receivers, fastest first, with their weights. `order` is a cycle in order of completion.
pub fn choose(order: &[Arrival], number: &Number, shares: Shares) -> Vec<(usize, u64)> {
    let Some((slowest, faster)) = order.split_last() else {
        return Vec::new();
    };
    let Some(fastest) = faster.first() else {
        return Vec::new();
    };
    let wanted = number.of(slowest.arrived_ns - fastest.arrived_ns);
    let receivers = &faster[..wanted.min(faster.len())];
    let weight = |(position, call): (usize, &Arrival)| {
        let weight = match shares {
            Shares::Even => 1,
            Shares::RankOrder => (receivers.len() - position) as u64,
            Shares::RelativeTime => slowest.arrived_ns - call.arrived_ns,
        };
        (call.member, weight)
    };
    receivers.iter().enumerate().map(weight).collect()
}

/// Divides `amount` by `weights` so that the parts add up to it: whole units first, what is left
/// over goes to the largest fractions, earlier ones first. All to the first where every weight is 0.
pub fn apportion(amount: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let mut parts = vec![0; weights.len()];
    if sum == 0 {
        parts.iter_mut().take(1).for_each(|part| *part = amount);
        return parts;
    }
    let exact = |weight: u64| u128::from(amount) * u128::from(weight);
    for (part, weight) in parts.iter_mut().zip(weights) {
        *part = (exact(*weight) / sum) as u64;
    }
    let left = (amount - parts.iter().sum::<u64>()) as usize;
    let mut by_fraction: Vec<usize> = (0..weights.len()).collect();
    by_fraction.sort_by_key(|&index| std::cmp::Reverse(exact(weights[index]) % sum));
    for &index in &by_fraction[..left] {
        parts[index] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::history::tests::cycle;
    use proptest::prelude::*;

    fn order() -> Vec<Arrival> {
        cycle(1, &[700, 1000, 900, 1500], &[1; 4]).order()
    }

    #[test]
    fn a_fixed_number_receives_or_one_more_for_each_threshold() {
        let members = |number: Number| -> Vec<usize> {
            let chosen = choose(&order(), &number, Shares::Even);
            chosen.into_iter().map(|(member, _)| member).collect()
        };
        assert_eq!(members(Number::Fixed(1)), [0]);
        assert_eq!(members(Number::Fixed(2)), [0, 2]);
        assert_eq!(members(Number::Fixed(9)), [0, 2, 1]);
        assert_eq!(members(Number::Thresholds(vec![801])), [0]);
        assert_eq!(members(Number::Thresholds(vec![400, 800])), [0, 2, 1]);
    }

    #[test]
    fn parts_are_even_or_by_rank_or_by_time() {
        let weights = |shares| choose(&order(), &Number::Fixed(3), shares);
        assert_eq!(weights(Shares::Even), [(0, 1), (2, 1), (1, 1)]);
        assert_eq!(weights(Shares::RankOrder), [(0, 3), (2, 2), (1, 1)]);
        assert_eq!(
            weights(Shares::RelativeTime),
            [(0, 800), (2, 600), (1, 500)]
        );
        assert!(choose(&order()[..1], &Number::Fixed(3), Shares::Even).is_empty());
    }

    proptest! {
        #[test]
        fn parts_add_up_and_are_fair(
            amount in any::<u64>(),
            weights in proptest::collection::vec(0u64..1 << 40, 1..40),
        ) {
            let parts = apportion(amount, &weights);
            prop_assert_eq!(parts.iter().map(|part| u128::from(*part)).sum::<u128>(), u128::from(amount));
            let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
            for (part, weight) in parts.iter().zip(&weights).filter(|_| sum > 0) {
                let exact = u128::from(amount) * u128::from(*weight);
                prop_assert!((u128::from(*part) * sum).abs_diff(exact) <= sum);
            }
        }
    }
}
