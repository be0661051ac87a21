//! As many receivers as it takes: everything above the common time goes to those below it.
//!
//! Before: [`super::controller`] has a cycle in order of completion, and the number of receivers is
//! "needed". After: [`crate::balance::partition`] moves the amounts.
//!
//! ```text
//! slowest ▇▇▇▇▇▇▇▇│▒▒▒▒        │: when all would end together
//!         ▇▇▇▇▇▇▇▇│▒▒          ▒: given, to the fastest until it is full, then to the next
//!         ▇▇▇▇    │  ◀──
//! fastest ▇▇      │  ◀──
//! ```
//!
//! One receiver a giver evens out pairs, and takes as many cycles as the slowest has more than its
//! pair can share; a hot spot that wanders is elsewhere by then. Here each amount is what its
//! member's own cost says, and they are matched by the northwest corner rule.
//!
//! Invariants: nobody gives and receives; nobody gives more than half of what it has.

use crate::balance::history::Arrival;
use crate::balance::partition::Transfer;

/// The moves after which all members of a cycle end together, where time answers to load with
/// `slope`; what would be less than a unit stays.
pub fn even_out(order: &[Arrival], slope: f64) -> Vec<Transfer> {
    let changes = changes(order, slope);
    let mut receivers: Vec<(usize, u64)> = changes
        .iter()
        .map(|(member, change)| (*member, whole(*change)))
        .filter(|(_, room)| *room > 0)
        .collect();
    // Of the order of completion: the fastest is served by the slowest.
    receivers.reverse();
    let mut transfers = Vec::new();
    for (call, (giver, change)) in order.iter().zip(&changes).rev() {
        let mut left = whole(-change).min(call.load / 2);
        while left > 0
            && let Some((receiver, room)) = receivers.last_mut()
        {
            let amount = left.min(*room);
            transfers.push(Transfer {
                giver: *giver,
                receiver: *receiver,
                amount,
            });
            left -= amount;
            *room -= amount;
            if *room == 0 {
                receivers.pop();
            }
        }
    }
    transfers
}

/// The whole units of an amount; what rounding took from a whole one counts.
fn whole(amount: f64) -> u64 {
    (amount + 1e-6).max(0.0) as u64
}

/// By how much the load of each member should change, in the order that was given.
fn changes(order: &[Arrival], slope: f64) -> Vec<(usize, f64)> {
    let (load, busy) = order.iter().fold((0.0, 0.0), |(load, busy), call| {
        (load + call.load as f64, busy + call.busy_ns() as f64)
    });
    // Who had nothing to do, or took no time for it, is taken for as fast as the average.
    let average = busy / load;
    let unit = |call: &Arrival| {
        let own = call.busy_ns() as f64 / call.load as f64;
        if own.is_finite() && own > 0.0 {
            own
        } else {
            average
        }
    };
    let speed: f64 = order.iter().map(|call| 1.0 / unit(call)).sum();
    let common_ns = load / speed;
    let change = |call: &Arrival| {
        let unit = unit(call);
        let now_ns = unit * call.load as f64;
        (call.member, (common_ns - now_ns) / (slope * unit))
    };
    if load > 0.0 && busy > 0.0 {
        order.iter().map(change).collect()
    } else {
        order.iter().map(|call| (call.member, 0.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(times_and_loads: &[(u64, u64)]) -> Vec<Arrival> {
        let call = |(member, &(arrived_ns, load)): (usize, &(u64, u64))| Arrival {
            member,
            started_ns: 0,
            arrived_ns,
            load,
        };
        let mut order: Vec<_> = times_and_loads.iter().enumerate().map(call).collect();
        order.sort_by_key(|call| (call.arrived_ns, call.member));
        order
    }

    #[test]
    fn one_slow_member_gives_to_all_others() {
        let order = order(&[(1000, 100), (1000, 100), (1000, 100), (3000, 100)]);
        let transfers = even_out(&order, 1.0);
        // 400 units at 1/10, 1/10, 1/10 and 1/30 a ns: 1200 ns for all.
        let ends: Vec<_> = transfers
            .iter()
            .map(|t| (t.giver, t.receiver, t.amount))
            .collect();
        assert_eq!(ends, [(3, 0, 20), (3, 1, 20), (3, 2, 10)]);
        assert!(even_out(&[], 1.0).is_empty());
    }

    proptest! {
        #[test]
        fn moves_are_possible_and_make_the_longest_shorter(
            members in proptest::collection::vec((0u64..100_000, 0u64..10_000), 1..40),
            slope in 1.0f64..3.0,
        ) {
            let order = order(&members);
            let transfers = even_out(&order, slope);
            let mut loads: Vec<i128> = members.iter().map(|one| i128::from(one.1)).collect();
            let gives = |member: usize| transfers.iter().any(|one| one.giver == member);
            for one in &transfers {
                prop_assert!(one.amount > 0 && !gives(one.receiver));
                loads[one.giver] -= i128::from(one.amount);
                loads[one.receiver] += i128::from(one.amount);
            }
            for (load, (_, before)) in loads.iter().zip(&members) {
                prop_assert!(*load >= i128::from(*before) / 2);
            }
            let sum: i128 = loads.iter().sum();
            prop_assert_eq!(sum, members.iter().map(|one| i128::from(one.1)).sum::<i128>());
        }
    }
}
