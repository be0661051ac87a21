//! Times as they would be if items could be cut: what whole items add to a share, or leave of it,
//! is no matter of speed.
//!
//! Before: calls, each with the load of the items that the member had. After: [`crate::balance::decision::controller`]
//! compares members by their shares.
//!
//! ```text
//! share        100   100   100
//! items weigh   91   118    91      heavy items: nobody can have more nor less
//! busy          91   118    91      all are equally fast
//! counts as    100   100   100      nothing is to be moved
//! ```
//!
//! Invariants: where items weigh what the share says, nothing changes; calls that are missing, or
//! whose clock jumped, stay what they are.

use crate::balance::history::Arrival;

/// The calls, by member, of members that should have had `shares` and had what the calls say.
pub fn as_cut_exactly(calls: &[Arrival], shares: &[u64]) -> Vec<Arrival> {
    let known = calls.iter().filter(|call| call.is_sound() && call.load > 0);
    let (busy, load) = known.fold((0.0, 0.0), |(busy, load), call| {
        (busy + call.busy_ns() as f64, load + call.load as f64)
    });
    // Who had no item is taken for as fast as the average.
    let average = if load > 0.0 { busy / load } else { 0.0 };
    let cut = |(call, share): (&Arrival, &u64)| {
        if !call.is_sound() || call.load == *share {
            return *call;
        }
        let unit = match call.load {
            0 => average,
            load => call.busy_ns() as f64 / load as f64,
        };
        Arrival {
            arrived_ns: call
                .started_ns
                .saturating_add((unit * *share as f64) as u64),
            load: *share,
            ..*call
        }
    };
    calls.iter().zip(shares).map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::decision::controller::Controller;
    use crate::balance::partition::division::ends;
    use crate::balance::partition::items::Items;
    use proptest::prelude::*;

    fn call(member: usize, busy_ns: u64, load: u64) -> Arrival {
        Arrival {
            member,
            started_ns: 10,
            arrived_ns: 10 + busy_ns,
            load,
        }
    }

    #[test]
    fn times_follow_the_shares_and_unsound_calls_stay() {
        let unsound = Arrival {
            member: 3,
            started_ns: 9,
            arrived_ns: 0,
            load: 0,
        };
        let calls = [call(0, 910, 91), call(1, 2360, 118), call(2, 0, 0), unsound];
        let cut = as_cut_exactly(&calls, &[100, 100, 50, 50]);
        assert_eq!(cut[0], call(0, 1000, 100));
        assert_eq!(cut[1], call(1, 2000, 100));
        // The average of 3270 ns for 209 units.
        assert_eq!(cut[2], call(2, 782, 50));
        assert_eq!(cut[3], unsound);
    }

    proptest! {
        /// Members of equal speed, items as heavy as may be: shares stay as they are.
        #[test]
        fn equal_members_keep_equal_shares_however_heavy_items_are(
            weights in proptest::collection::vec(1_u64..5000, 4..40),
            members in 2_usize..6,
        ) {
            let items = Items::weighted(&weights, 1).unwrap();
            let mut controller =
                Controller::new(Default::default(), items.load(), members).unwrap();
            let shares = controller.partition().sizes();
            for number in 1..20 {
                let mut start = 0;
                let calls: Vec<Arrival> = ends(&items, &controller.partition().sizes())
                    .into_iter()
                    .enumerate()
                    .map(|(member, end)| {
                        let load = items.before(end) - items.before(start);
                        start = end;
                        call(member, load * 1000, load)
                    })
                    .collect();
                for call in as_cut_exactly(&calls, &controller.partition().sizes()) {
                    controller.note(number, call, 0);
                }
                controller.decide(number).unwrap();
            }
            prop_assert_eq!(controller.partition().sizes(), shares);
        }
    }
}
