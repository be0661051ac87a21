//! The plan: a binding for each rank, from the machine and the policies.
//!
//! How: the allowed cores (or hardware threads, where a policy speaks of them) are the *places*.
//! The mapping policy puts them in an order, ranks are dealt along it in rounds, so no place ever has
//! two ranks more than another. The binding policy then widens each place to the object around it.
//!
//! ```text
//!  package 0: cores 0 1 2 3, package 1: cores 4 5 6 7
//!  map by core      0 1 2 3 4 5 6 7 | 1 2 ...
//!  map by package   0 4 1 5 2 6 3 7 | 4 1 ...
//!  two cores        0 1 | 1 0 | 1 0 | 0 1
//! ```
//!
//! Each round but the first begins further along the order, by the sum of the digits of its number (the
//! base is the number of places; with two places that is the sequence of Thue and Morse). So ranks that
//! talk to each other seldom share a place: neither neighbours in a row, nor partners at half of the
//! ranks' distance or a power of two, nor those of a grid or hypercube. Two that share a processor cannot
//! run at the same time, and each message between them costs a turn of the scheduler.
//!
//! Step before: [`super::policy`]. Step after: the kernel, by [`super::processor`].
//! Invariant: pure; the same arguments give the same plan.

use std::collections::HashMap;

use super::{BindTo, BindingError, MapBy, list_of_units};
use crate::topology::{Level, Machine};

/// Where one rank runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankBinding {
    /// The units it may run on: operating-system indices, ascending, never empty.
    pub processing_units: Vec<u32>,
    /// The unit the plan has in mind for it: one of `processing_units`. Ranks that are bound to
    /// the same object have different ones as long as there are enough.
    pub primary: u32,
    /// The NUMA node of the primary unit, by the operating system's number.
    pub numa_node: u32,
}

/// The level of the machine that a rank is bound to.
pub(super) fn level_of(bind_to: &BindTo) -> Level {
    match bind_to {
        BindTo::None => Level::Machine,
        BindTo::HwThread => Level::ProcessingUnit,
        BindTo::L3Cache => Level::L3Cache,
        BindTo::Numa => Level::NumaNode,
        BindTo::Package => Level::Package,
        BindTo::Core | BindTo::List(_) => Level::Core,
    }
}

/// Places `ranks` ranks on the machine. With `oversubscribe` false, more ranks than places is an
/// error; with true, places are used again, evenly: those of a list in its order, others as the
/// module's text says.
pub fn plan(
    machine: &Machine,
    ranks: usize,
    map_by: MapBy,
    bind_to: &BindTo,
    oversubscribe: bool,
) -> Result<Vec<RankBinding>, BindingError> {
    let allowed = machine.allowed();
    if allowed.is_empty() {
        return Err(BindingError::NothingAllowed);
    }
    if let BindTo::List(sets) = bind_to {
        for &unit in sets.iter().flatten() {
            check_unit(machine, unit, &allowed)?;
        }
        let sets: Vec<Vec<u32>> = sets.iter().filter(|set| !set.is_empty()).cloned().collect();
        if sets.is_empty() {
            return Err(BindingError::List {
                text: bind_to.to_string(),
                reason: "it names no processor".to_string(),
            });
        }
        return deal(
            machine,
            ranks,
            &sets,
            "entries of the processor list",
            oversubscribe,
            |set| set.to_vec(),
            |_| 0,
        );
    }

    let by_thread = *bind_to == BindTo::HwThread || map_by == MapBy::HwThread;
    let places = ordered_places(machine, map_by, by_thread)?;
    let kind = if by_thread {
        "allowed hardware threads"
    } else {
        "allowed cores"
    };
    let level = level_of(bind_to);
    let groups = machine
        .groups(level)
        .ok_or(BindingError::NoSuchLevel { level })?;
    let group_of = group_of_unit(&groups);
    let widen = |place: &[u32]| groups[group_of[&place[0]]].clone();
    let begin = |round| digit_sum(round, places.len());
    deal(machine, ranks, &places, kind, oversubscribe, widen, begin)
}

/// For each rank, how many ranks (itself included) have the same primary unit: 1 means that it
/// may spin while it waits, more that it must give the processor away.
pub fn ranks_sharing_unit(bindings: &[RankBinding]) -> Vec<u32> {
    let mut ranks_on: HashMap<u32, u32> = HashMap::new();
    for binding in bindings {
        *ranks_on.entry(binding.primary).or_default() += 1;
    }
    bindings
        .iter()
        .map(|binding| ranks_on[&binding.primary])
        .collect()
}

/// The sum of the digits of `number` in base `base`; 0 where that is no base.
fn digit_sum(mut number: usize, base: usize) -> usize {
    let mut sum = 0;
    while base > 1 && number > 0 {
        sum += number % base;
        number /= base;
    }
    sum
}

/// Deals ranks to places in rounds, each of which begins `begin` places along; `widen` makes the binding
/// of a place. The units of a place take turns as the primary one, so that the second rank of a core
/// prefers its second thread.
pub(super) fn deal(
    machine: &Machine,
    ranks: usize,
    places: &[Vec<u32>],
    kind: &'static str,
    oversubscribe: bool,
    widen: impl Fn(&[u32]) -> Vec<u32>,
    begin: impl Fn(usize) -> usize,
) -> Result<Vec<RankBinding>, BindingError> {
    if ranks > places.len() && !oversubscribe {
        return Err(BindingError::TooManyRanks {
            ranks,
            places: places.len(),
            kind,
        });
    }
    Ok((0..ranks)
        .map(|rank| {
            let round = rank / places.len();
            let place = &places[(rank + begin(round)) % places.len()];
            let primary = place[round % place.len()];
            let mut processing_units = widen(place);
            processing_units.sort_unstable();
            let numa_node = machine
                .processing_unit(primary)
                .map_or(0, |unit| unit.numa_node);
            RankBinding {
                processing_units,
                primary,
                numa_node,
            }
        })
        .collect())
}

/// The places in the order that the mapping policy deals them; each is the units of a core, or a
/// single unit where `by_thread`.
pub(super) fn ordered_places(
    machine: &Machine,
    map_by: MapBy,
    by_thread: bool,
) -> Result<Vec<Vec<u32>>, BindingError> {
    let level = |level| {
        machine
            .groups(level)
            .ok_or(BindingError::NoSuchLevel { level })
    };
    let cores = level(Level::Core)?;
    let single = |unit| vec![unit];
    // Rounds are dealt one after the other, so that every core has a rank before any has two.
    let rounds: Vec<Vec<Vec<u32>>> = match (by_thread, map_by) {
        (false, _) => vec![cores],
        // A core is filled before the next one is begun.
        (true, MapBy::HwThread) => vec![cores.into_iter().flatten().map(single).collect()],
        (true, _) => {
            let most_threads = cores.iter().map(Vec::len).max().unwrap_or(0);
            let nth = |thread: usize| {
                cores
                    .iter()
                    .filter_map(move |core| core.get(thread).copied())
            };
            (0..most_threads)
                .map(|thread| nth(thread).map(single).collect())
                .collect()
        }
    };
    let groups = match map_by {
        MapBy::Slot | MapBy::Core | MapBy::HwThread | MapBy::Node => {
            return Ok(rounds.into_iter().flatten().collect());
        }
        MapBy::L3Cache => level(Level::L3Cache)?,
        MapBy::Numa => level(Level::NumaNode)?,
        MapBy::Package => level(Level::Package)?,
    };
    let group_of = group_of_unit(&groups);
    let mut order = Vec::new();
    for round in rounds {
        let mut by_group: Vec<Vec<Vec<u32>>> = vec![Vec::new(); groups.len()];
        for place in round {
            by_group[group_of[&place[0]]].push(place);
        }
        order.extend(take_turns(&by_group));
    }
    Ok(order)
}

/// The index of the group each unit is in.
pub(super) fn group_of_unit(groups: &[Vec<u32>]) -> HashMap<u32, usize> {
    let indexed = groups.iter().enumerate();
    indexed
        .flat_map(|(index, group)| group.iter().map(move |&unit| (unit, index)))
        .collect()
}

/// The first of each list, then the second of each, and so on; lists that are used up are passed.
fn take_turns<T: Clone>(lists: &[Vec<T>]) -> Vec<T> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .flat_map(|turn| lists.iter().filter_map(move |list| list.get(turn)))
        .cloned()
        .collect()
}

/// Fails, saying why, if the unit cannot be used.
pub(super) fn check_unit(
    machine: &Machine,
    unit: u32,
    allowed: &[u32],
) -> Result<(), BindingError> {
    let list = || list_of_units(allowed);
    match machine.processing_unit(unit) {
        Some(found) if found.allowed => Ok(()),
        Some(_) => Err(BindingError::Forbidden {
            processing_unit: unit,
            allowed: list(),
        }),
        None if machine.offline().contains(&unit) => Err(BindingError::Offline {
            processing_unit: unit,
            allowed: list(),
        }),
        None => Err(BindingError::NoSuchUnit {
            processing_unit: unit,
            allowed: list(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn primaries(text: &str, ranks: usize, map_by: MapBy, bind_to: &BindTo) -> Vec<u32> {
        let machine = Machine::from_description(text).unwrap();
        let bindings = plan(&machine, ranks, map_by, bind_to, true).unwrap();
        bindings.iter().map(|binding| binding.primary).collect()
    }

    #[test]
    fn partners_do_not_share_a_core() {
        let seats = primaries("core:2 pu:1", 64, MapBy::Core, &BindTo::Core);
        for distance in [1, 2, 4, 8, 16, 32] {
            let partners = (0..64).map(|rank| rank ^ distance);
            assert!(
                (0..64)
                    .zip(partners)
                    .all(|(one, other)| seats[one] != seats[other])
            );
        }
        let one = primaries("core:1 pu:1", 4, MapBy::Core, &BindTo::Core);
        assert_eq!(one, [0; 4]);
        // A list says itself who sits where.
        let list = BindTo::List(vec![vec![1], vec![0]]);
        assert_eq!(
            primaries("core:2 pu:1", 4, MapBy::Core, &list),
            [1, 0, 1, 0]
        );
    }

    #[test]
    fn mapping_policies_deal_in_their_order() {
        let text = "package:2 l3cache:2 core:2 pu:2";
        let core = &BindTo::Core;
        assert_eq!(primaries(text, 4, MapBy::Core, core), [0, 2, 4, 6]);
        assert_eq!(primaries(text, 4, MapBy::Slot, core), [0, 2, 4, 6]);
        assert_eq!(primaries(text, 4, MapBy::Node, core), [0, 2, 4, 6]);
        assert_eq!(primaries(text, 4, MapBy::HwThread, core), [0, 1, 2, 3]);
        assert_eq!(
            primaries(text, 6, MapBy::L3Cache, core),
            [0, 4, 8, 12, 2, 6]
        );
        assert_eq!(primaries(text, 4, MapBy::Package, core), [0, 8, 2, 10]);
        let thread = &BindTo::HwThread;
        assert_eq!(
            primaries(text, 10, MapBy::Core, thread),
            [0, 2, 4, 6, 8, 10, 12, 14, 1, 3]
        );
        assert_eq!(primaries(text, 4, MapBy::Package, thread), [0, 8, 2, 10]);
        assert_eq!(
            primaries("numa:2 core:4 pu:1", 3, MapBy::Numa, core),
            [0, 4, 1]
        );
        assert_eq!(
            primaries("core:2 pu:1", 8, MapBy::Core, core),
            [0, 1, 1, 0, 1, 0, 0, 1]
        );
        assert_eq!(
            primaries("core:3 pu:1", 12, MapBy::Core, core),
            [0, 1, 2, 1, 2, 0, 2, 0, 1, 1, 2, 0]
        );
    }

    #[test]
    fn binding_policies_widen_the_place() {
        let machine = Machine::from_description("package:2 numa:2 l3cache:2 core:2 pu:2").unwrap();
        let units = |bind_to: BindTo| {
            let bindings = plan(&machine, 2, MapBy::Package, &bind_to, true).unwrap();
            assert_eq!(bindings[1].numa_node, 2);
            bindings[1].processing_units.clone()
        };
        assert_eq!(units(BindTo::HwThread), [16]);
        assert_eq!(units(BindTo::Core), [16, 17]);
        assert_eq!(units(BindTo::L3Cache), [16, 17, 18, 19]);
        assert_eq!(units(BindTo::Numa), (16..24).collect::<Vec<u32>>());
        assert_eq!(units(BindTo::Package), (16..32).collect::<Vec<u32>>());
        assert_eq!(units(BindTo::None), (0..32).collect::<Vec<u32>>());
    }

    #[test]
    fn the_second_rank_of_a_core_prefers_its_second_thread() {
        let machine = Machine::from_description("core:2 pu:2").unwrap();
        let bindings = plan(&machine, 5, MapBy::Core, &BindTo::Core, true).unwrap();
        let primaries: Vec<u32> = bindings.iter().map(|binding| binding.primary).collect();
        assert_eq!(primaries, [0, 2, 3, 1, 2]);
        assert_eq!(bindings[2].processing_units, [2, 3]);
        assert_eq!(ranks_sharing_unit(&bindings), [1, 2, 1, 1, 2]);
    }

    #[test]
    fn a_list_names_units_and_starts_over() {
        let machine = Machine::from_description("core:8 pu:1").unwrap();
        let list: BindTo = "list:7,2+3".parse().unwrap();
        let bindings = plan(&machine, 4, MapBy::Core, &list, true).unwrap();
        let sets: Vec<_> = bindings
            .iter()
            .map(|b| (b.processing_units.clone(), b.primary))
            .collect();
        assert_eq!(
            sets,
            [(vec![7], 7), (vec![2, 3], 2), (vec![7], 7), (vec![2, 3], 3)]
        );
        let message = plan(&machine, 3, MapBy::Core, &list, false)
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("3 ranks do not fit on 2 entries of the processor list"));
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let machine = Machine::from_description("core:4 pu:2").unwrap();
        let error = |machine: &Machine, ranks, map_by: MapBy, bind_to: &str, oversubscribe| {
            let bind_to: BindTo = bind_to.parse().unwrap();
            plan(machine, ranks, map_by, &bind_to, oversubscribe)
                .unwrap_err()
                .to_string()
        };
        let message = error(&machine, 5, MapBy::Core, "core", false);
        assert!(
            message.starts_with("5 ranks do not fit on 4 allowed cores"),
            "{message}"
        );
        let message = error(&machine, 9, MapBy::Core, "hwthread", false);
        assert!(
            message.starts_with("9 ranks do not fit on 8 allowed hardware"),
            "{message}"
        );
        let message = error(&machine, 1, MapBy::L3Cache, "core", true);
        assert!(message.contains("reports no l3cache"), "{message}");
        let message = error(&machine, 1, MapBy::Core, "l3", true);
        assert!(message.contains("reports no l3cache"), "{message}");
        let message = error(&machine, 1, MapBy::Core, "list:8", true);
        assert!(
            message.contains("processor 8 does not exist; allowed here are 0-7"),
            "{message}"
        );
        let few = machine.restricted_to(&[0, 1, 4]);
        let message = error(&few, 1, MapBy::Core, "list:2", true);
        assert!(message.contains("processor 2 is forbidden"), "{message}");
        assert!(message.contains("allowed here are 0-1,4"), "{message}");
        let none = machine.restricted_to(&[]);
        let message = error(&none, 1, MapBy::Core, "core", true);
        assert!(message.contains("may not use any"), "{message}");
    }

    fn any_machine() -> impl Strategy<Value = Machine> {
        (
            1..3usize,
            1..3usize,
            1..4usize,
            1..5usize,
            1..3usize,
            any::<u64>(),
        )
            .prop_map(|(packages, nodes, caches, cores, threads, seed)| {
                let text = format!(
                    "package:{packages} numa:{nodes} l3cache:{caches} core:{cores} pu:{threads}"
                );
                let machine = Machine::from_description(&text).unwrap();
                // Some units are forbidden, as by a cgroup; the first one stays.
                let kept: Vec<u32> = machine
                    .allowed()
                    .into_iter()
                    .filter(|unit| *unit == 0 || seed.rotate_left(*unit) & 3 != 0)
                    .collect();
                machine.restricted_to(&kept)
            })
    }

    fn any_mapping() -> impl Strategy<Value = MapBy> {
        prop::sample::select(vec![
            MapBy::Slot,
            MapBy::Core,
            MapBy::HwThread,
            MapBy::L3Cache,
            MapBy::Numa,
            MapBy::Package,
            MapBy::Node,
        ])
    }

    fn any_binding() -> impl Strategy<Value = BindTo> {
        prop::sample::select(vec![
            BindTo::None,
            BindTo::HwThread,
            BindTo::Core,
            BindTo::L3Cache,
            BindTo::Numa,
            BindTo::Package,
        ])
    }

    /// How many ranks each object of a level has, by the ranks' primary units.
    fn ranks_by(machine: &Machine, level: Level, bindings: &[RankBinding]) -> Vec<usize> {
        machine
            .groups(level)
            .unwrap()
            .iter()
            .map(|group| {
                bindings
                    .iter()
                    .filter(|b| group.contains(&b.primary))
                    .count()
            })
            .collect()
    }

    fn spread(counts: &[usize]) -> usize {
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    }

    proptest! {
        #[test]
        fn every_rank_is_bound_to_allowed_units_only(
            machine in any_machine(),
            ranks in 0..200usize,
            map_by in any_mapping(),
            bind_to in any_binding(),
        ) {
            let bindings = plan(&machine, ranks, map_by, &bind_to, true).unwrap();
            prop_assert_eq!(bindings.len(), ranks);
            let allowed = machine.allowed();
            for binding in &bindings {
                prop_assert!(!binding.processing_units.is_empty());
                prop_assert!(binding.processing_units.contains(&binding.primary));
                prop_assert!(binding.processing_units.is_sorted());
                prop_assert!(binding.processing_units.iter().all(|unit| allowed.contains(unit)));
                let node = machine.processing_unit(binding.primary).unwrap().numa_node;
                prop_assert_eq!(binding.numa_node, node);
            }
        }

        #[test]
        fn ranks_are_spread_evenly_over_the_places(
            machine in any_machine(),
            ranks in 0..200usize,
            map_by in any_mapping(),
            bind_to in any_binding(),
        ) {
            let bindings = plan(&machine, ranks, map_by, &bind_to, true).unwrap();
            let by_thread = map_by == MapBy::HwThread || bind_to == BindTo::HwThread;
            let level = if by_thread { Level::ProcessingUnit } else { Level::Core };
            let counts = ranks_by(&machine, level, &bindings);
            prop_assert!(spread(&counts) <= 1, "{:?}", counts);
            // Refusing to share changes nothing while there is room, and fails without it.
            let refusing = plan(&machine, ranks, map_by, &bind_to, false);
            if ranks <= counts.len() {
                prop_assert_eq!(refusing.unwrap(), bindings);
            } else {
                prop_assert!(refusing.is_err());
            }
        }

        #[test]
        fn a_core_has_one_rank_while_there_are_enough(
            machine in any_machine(),
            fraction in 0.0..1.0f64,
            map_by in any_mapping().prop_filter("by core", |map_by| *map_by != MapBy::HwThread),
            bind_to in any_binding(),
        ) {
            let cores = machine.groups(Level::Core).unwrap().len();
            let ranks = (fraction * (cores + 1) as f64) as usize;
            let bindings = plan(&machine, ranks, map_by, &bind_to, true).unwrap();
            prop_assert!(ranks_by(&machine, Level::Core, &bindings).iter().all(|&n| n <= 1));
            // Dealt over objects in turn: each has one before any has two.
            let object = match map_by {
                MapBy::L3Cache => Level::L3Cache,
                MapBy::Numa => Level::NumaNode,
                MapBy::Package => Level::Package,
                _ => Level::ProcessingUnit,
            };
            let counts = ranks_by(&machine, object, &bindings);
            if ranks <= counts.len() {
                prop_assert!(counts.iter().all(|&count| count <= 1), "{:?}", counts);
            }
            prop_assert!(ranks_sharing_unit(&bindings).iter().all(|&sharing| sharing == 1));
        }
    }
}
