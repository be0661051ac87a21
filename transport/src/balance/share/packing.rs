//! Which ranks sit together on a core, so that the fullest core has as little work as possible.
//!
//! Before: [`super::controller`] has the work of each rank. After: it compares the seating with the
//! one that is.
//!
//! | step | what it does |
//! |---|---|
//! | longest processing time first | the ranks in order of work, each to the core with the least so far (Graham 1969): at most 4/3 of the best |
//! | exchange | a rank of the fullest core goes elsewhere, or changes places, while that makes the pair's fuller core emptier |
//! | keep seats | cores are named again such that as much work as possible stays where it is |
//! | few moves | exchanging from the seats as they are is taken instead where it is as even, nearly |
//!
//! ```text
//! work 3 1 1 1 on two cores     dealt in turn: 3+1 │ 1+1      packed: 3 │ 1+1+1
//! ```
//!
//! Invariants: every rank has a seat on one of the cores; equal input gives an equal seating.

/// The core of each rank, by rank.
pub type Seats = Vec<usize>;

/// By how much fuller the fullest core may be where fewer ranks move.
const FEW_MOVES: f64 = 1.01;

/// Exchanges in one packing at most; each makes a core emptier, so few are ever needed.
const EXCHANGES: usize = 1000;

/// Work on each of `cores` cores.
pub fn loads(work: &[f64], seats: &[usize], cores: usize) -> Vec<f64> {
    let mut loads = vec![0.0; cores];
    for (work, seat) in work.iter().zip(seats) {
        loads[*seat] += work;
    }
    loads
}

/// Average over maximum; 1 where nothing is loaded.
pub fn balance(loads: &[f64]) -> f64 {
    let most = loads.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        loads.iter().sum::<f64>() / loads.len() as f64 / most
    } else {
        1.0
    }
}

/// Seats of ranks with `work` on `cores` cores, as even as this finds; a seat that need not change
/// is that of `before`.
pub fn pack(work: &[f64], before: &[usize], cores: usize) -> Seats {
    let mut seats = longest_first(work, cores);
    exchange(work, &mut seats, cores);
    let mut near = before.to_vec();
    exchange(work, &mut near, cores);
    if fullest(work, &near, cores) <= fullest(work, &seats, cores) * FEW_MOVES {
        near
    } else {
        keep_seats(work, before, &seats, cores)
    }
}

/// Work on the core that has most.
fn fullest(work: &[f64], seats: &[usize], cores: usize) -> f64 {
    loads(work, seats, cores).into_iter().fold(0.0, f64::max)
}

/// Longest processing time first.
fn longest_first(work: &[f64], cores: usize) -> Seats {
    let mut order: Vec<usize> = (0..work.len()).collect();
    order.sort_by(|&one, &other| work[other].total_cmp(&work[one]).then(one.cmp(&other)));
    let mut loads = vec![(0.0, 0); cores];
    let mut seats = vec![0; work.len()];
    for rank in order {
        // Of equally loaded cores the one with fewer ranks: work of 0 is spread as well.
        let least = |one: &&mut (f64, usize), other: &&mut (f64, usize)| {
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        };
        if let Some((core, load)) = loads
            .iter_mut()
            .enumerate()
            .min_by(|(_, one), (_, other)| least(one, other))
        {
            load.0 += work[rank];
            load.1 += 1;
            seats[rank] = core;
        }
    }
    seats
}

/// Moves a rank of the fullest core away, or exchanges it, while that helps.
fn exchange(work: &[f64], seats: &mut [usize], cores: usize) {
    for _ in 0..EXCHANGES {
        let loads = loads(work, seats, cores);
        let fullest = (0..cores).max_by(|&one, &other| loads[one].total_cmp(&loads[other]));
        let Some(fullest) = fullest else { return };
        let Some((rank, other, core)) = best_exchange(work, seats, &loads, fullest) else {
            return;
        };
        seats[rank] = core;
        if let Some(other) = other {
            seats[other] = fullest;
        }
    }
}

/// The rank of the `fullest` core to send away, whom to take for it, and to which core: the one
/// after which the fuller of both cores has least, if that is less than now.
fn best_exchange(
    work: &[f64],
    seats: &[usize],
    loads: &[f64],
    fullest: usize,
) -> Option<(usize, Option<usize>, usize)> {
    let mut best = None;
    // Less by a rounding error is no gain, and would be found again and again.
    let mut least = loads[fullest] * (1.0 - 1e-9);
    for rank in (0..work.len()).filter(|&rank| seats[rank] == fullest) {
        let mut offer = |core: usize, other: Option<usize>| {
            let given = work[rank] - other.map_or(0.0, |other| work[other]);
            let fuller = (loads[fullest] - given).max(loads[core] + given);
            if fuller < least {
                least = fuller;
                best = Some((rank, other, core));
            }
        };
        (0..loads.len())
            .filter(|&core| core != fullest)
            .for_each(|core| offer(core, None));
        let others = seats
            .iter()
            .enumerate()
            .filter(|(_, core)| **core != fullest);
        others.for_each(|(other, &core)| offer(core, Some(other)));
    }
    best
}

/// The same groups of ranks, named by cores so that much work stays on its core of `before`.
fn keep_seats(work: &[f64], before: &[usize], seats: &[usize], cores: usize) -> Seats {
    // Work that groups and cores have in common; a rank without work counts a little, too.
    let mut common = std::collections::BTreeMap::<(usize, usize), f64>::new();
    for ((work, &group), &core) in work.iter().zip(seats).zip(before) {
        *common.entry((group, core)).or_default() += work.max(f64::MIN_POSITIVE);
    }
    let mut pairs: Vec<_> = common.into_iter().collect();
    pairs.sort_by(|(one, most), (other, less)| less.total_cmp(most).then(one.cmp(other)));
    let mut name = vec![None; cores];
    let mut taken = vec![false; cores];
    for ((group, core), _) in pairs {
        if core < cores && name[group].is_none() && !taken[core] {
            name[group] = Some(core);
            taken[core] = true;
        }
    }
    let mut free = (0..cores).filter(|&core| !taken[core]);
    let name: Vec<usize> = name
        .into_iter()
        .map(|core| core.or_else(|| free.next()).unwrap_or(0))
        .collect();
    seats.iter().map(|&group| name[group]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least that the fullest of `cores` cores can have, by trying every seating.
    fn best(work: &[f64], cores: usize) -> f64 {
        let seatings = cores.pow(work.len() as u32);
        let fullest = |mut number: usize| {
            let mut seats = vec![0; work.len()];
            for seat in &mut seats {
                *seat = number % cores;
                number /= cores;
            }
            loads(work, &seats, cores).into_iter().fold(0.0, f64::max)
        };
        (0..seatings).map(fullest).fold(f64::MAX, f64::min)
    }

    #[test]
    fn the_heavy_rank_sits_alone() {
        let work = [3.0, 1.0, 1.0, 1.0];
        let seats = pack(&work, &[0, 1, 0, 1], 2);
        assert_eq!(seats, [0, 1, 1, 1]);
        assert_eq!(balance(&loads(&work, &seats, 2)), 1.0);
        // The heavy one keeps its core wherever it is.
        assert_eq!(pack(&work, &[1, 1, 0, 0], 2), [1, 0, 0, 0]);
    }

    #[test]
    fn exchanging_finds_what_longest_first_misses() {
        // Longest first: 5+3+3 | 5+3 | 4+4. Best: 5+4 | 5+4 | 3+3+3.
        let work = [5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 3.0];
        let greedy = loads(&work, &longest_first(&work, 3), 3);
        let packed = loads(&work, &pack(&work, &[0, 1, 2, 0, 1, 2, 0], 3), 3);
        assert!(balance(&packed) > balance(&greedy), "{packed:?} {greedy:?}");
        assert_eq!(balance(&packed), 1.0);
    }

    #[test]
    fn few_ranks_move_where_few_suffice() {
        let work = [4.0, 4.0, 1.0, 3.0, 3.0, 2.0];
        let before = [0, 0, 0, 1, 1, 1];
        let seats = pack(&work, &before, 2);
        let moved = seats.iter().zip(&before).filter(|(new, old)| new != old);
        assert!(moved.count() <= 2, "{seats:?}");
    }

    #[test]
    fn ranks_without_work_are_spread() {
        let seats = longest_first(&[0.0; 4], 2);
        assert_eq!(loads(&[1.0; 4], &seats, 2), [2.0, 2.0]);
    }

    proptest! {
        #[test]
        fn seatings_are_complete_and_near_the_best_and_never_get_worse(
            work in proptest::collection::vec(0u32..100, 1..8),
            before in proptest::collection::vec(0usize..3, 8),
            cores in 1usize..4,
        ) {
            let work: Vec<f64> = work.into_iter().map(f64::from).collect();
            let before: Vec<usize> = before[..work.len()].iter().map(|seat| seat % cores).collect();
            let seats = pack(&work, &before, cores);
            prop_assert_eq!(seats.len(), work.len());
            prop_assert!(seats.iter().all(|&seat| seat < cores));
            let now = fullest(&work, &seats, cores);
            prop_assert!(now <= best(&work, cores) * 4.0 / 3.0 * FEW_MOVES + 1e-9);
            prop_assert!(now <= fullest(&work, &before, cores) * FEW_MOVES + 1e-9);
            let again = fullest(&work, &pack(&work, &seats, cores), cores);
            prop_assert!(again <= now * FEW_MOVES + 1e-9);
        }
    }
}
