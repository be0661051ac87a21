//! Plans for ranks that compute with several threads: some neighbouring cores for each.
//!
//! What: [`plan_shares`] gives each rank as many places (cores, or hardware threads) as a [`Width`] says,
//! next to each other, and within one L3 cache or NUMA node wherever that is possible.
//! Why: an OpenMP program has as many threads as processors it may use, and threads that share a cache
//! and a memory cooperate best.
//!
//! ```text
//!  package 0: cores 0 1 2 3, package 1: cores 4 5 6 7
//!  2 ranks, a share each     0-3 4-7
//!  3 ranks, a share each     0-1 2-3 4-5
//!  3 ranks of 3 cores        do not fit: 3 of 8 cores would be across packages, so 2 are taken where
//!                            the width is open, and the boundary is crossed where it is asked for
//! ```
//!
//! Domains are tried from the inside out: L3 caches, NUMA nodes, packages, the machine; the first kind
//! whose members hold all ranks whole is taken. Shares that nobody asked a number for shrink before they
//! cross a NUMA node or a package.
//!
//! Step before: the launcher, which knows what a program asks for. Step after: as of [`super::plan`].
//! Invariants: pure; no place is given twice; each rank has at least one.

use super::plan::{group_of_unit, ordered_places};
use super::{BindingError, MapBy, RankBinding};
use crate::topology::{Level, Machine};

/// How many places a rank gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// An even share of what there is.
    Share,
    /// So many, or an even share where there are not as many.
    AtMost(usize),
    /// So many.
    Exactly(usize),
}

/// Which rank goes to which domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Rank after rank along the policy: see [`MapBy`].
    Policy(MapBy),
    /// So many ranks to each object of a level, in the order of objects.
    PerObject {
        /// Ranks an object.
        ranks: usize,
        /// The level.
        level: Level,
    },
}

impl Turn {
    /// The level whose objects take turns, or have a number of ranks each.
    fn level(self) -> Option<Level> {
        match self {
            Turn::PerObject { level, .. } => Some(level),
            Turn::Policy(MapBy::L3Cache) => Some(Level::L3Cache),
            Turn::Policy(MapBy::Numa) => Some(Level::NumaNode),
            Turn::Policy(MapBy::Package) => Some(Level::Package),
            Turn::Policy(_) => None,
        }
    }
}

/// The kinds of domains, from the inside out.
const DOMAINS: [Level; 5] = [
    Level::Core,
    Level::L3Cache,
    Level::NumaNode,
    Level::Package,
    Level::Machine,
];

/// Places a rank for each width; `by_thread` makes hardware threads the places, instead of cores.
///
/// # Errors
///
/// [`BindingError::TooWide`] where the widths do not fit, [`BindingError::NoSuchLevel`] and
/// [`BindingError::NothingAllowed`].
pub fn plan_shares(
    machine: &Machine,
    widths: &[Width],
    turn: Turn,
    by_thread: bool,
) -> Result<Vec<RankBinding>, BindingError> {
    let order = if by_thread {
        MapBy::HwThread
    } else {
        MapBy::Core
    };
    let places = ordered_places(machine, order, by_thread)?;
    if places.is_empty() {
        return Err(BindingError::NothingAllowed);
    }
    let room = Room::of(machine, places, turn, by_thread)?;
    let mut numbers = numbers(widths, room.places.len()).ok_or_else(|| room.too_wide(widths))?;
    loop {
        if let Some(seats) = room.seat(&numbers, can_shrink(widths, &numbers)) {
            return Ok(seats
                .iter()
                .map(|seat| room.binding(machine, seat))
                .collect());
        }
        if !can_shrink(widths, &numbers) {
            return Err(room.too_wide(widths));
        }
        let widest = widest_share(widths, &numbers);
        for (number, width) in numbers.iter_mut().zip(widths) {
            if *width == Width::Share {
                *number = (*number).min(widest - 1);
            }
        }
    }
}

/// The places of each rank, if there are enough: what is asked for where that leaves one for everybody,
/// else an even share.
fn numbers(widths: &[Width], places: usize) -> Option<Vec<usize>> {
    let asked = |width: &Width| match width {
        Width::Share => 0,
        Width::AtMost(number) | Width::Exactly(number) => (*number).max(1),
    };
    let sharing = widths
        .iter()
        .filter(|width| **width == Width::Share)
        .count();
    let total: usize = widths.iter().map(asked).sum();
    let even = places / widths.len().max(1);
    let fits = total + sharing <= places;
    let rest = if fits {
        (places - total).checked_div(sharing).unwrap_or(0)
    } else {
        even
    };
    let number = |width: &Width| match width {
        Width::Share => rest,
        Width::AtMost(_) if !fits => asked(width).min(even),
        _ => asked(width),
    };
    let numbers: Vec<usize> = widths.iter().map(number).collect();
    let enough = numbers.iter().sum::<usize>() <= places && !numbers.contains(&0);
    enough.then_some(numbers)
}

fn widest_share(widths: &[Width], numbers: &[usize]) -> usize {
    let shares = widths.iter().zip(numbers);
    let shares = shares.filter(|(width, _)| **width == Width::Share);
    shares.map(|(_, number)| *number).max().unwrap_or(0)
}

fn can_shrink(widths: &[Width], numbers: &[usize]) -> bool {
    widest_share(widths, numbers) > 1
}

/// The places, and the domain of each at every level that the machine has.
struct Room {
    places: Vec<Vec<u32>>,
    kind: &'static str,
    domains: Vec<(Level, Vec<usize>)>,
    turn: Turn,
    /// The object of each place that the turn speaks of.
    objects: Option<Vec<usize>>,
}

impl Room {
    fn of(
        machine: &Machine,
        places: Vec<Vec<u32>>,
        turn: Turn,
        by_thread: bool,
    ) -> Result<Self, BindingError> {
        let members = |level| -> Option<Vec<usize>> {
            let of = group_of_unit(&machine.groups(level)?);
            Some(places.iter().map(|place| of[&place[0]]).collect())
        };
        let objects = match turn.level() {
            Some(level) => Some(members(level).ok_or(BindingError::NoSuchLevel { level })?),
            None => None,
        };
        let known = DOMAINS.into_iter();
        let mut domains: Vec<(Level, Vec<usize>)> = known
            .filter_map(|level| Some((level, members(level)?)))
            .collect();
        // A NUMA node may be within a package, or around several.
        domains.sort_by_key(|(_, of)| std::cmp::Reverse(of.iter().max().copied()));
        Ok(Self {
            domains,
            turn,
            kind: if by_thread { "processors" } else { "cores" },
            objects,
            places,
        })
    }

    /// The places of each rank, by their indices; within the innermost domains that hold all ranks.
    /// Where ranks `may_shrink`, those that fit into a NUMA node or a package are not put across two.
    fn seat(&self, numbers: &[usize], may_shrink: bool) -> Option<Vec<Vec<usize>>> {
        let widest = numbers.iter().copied().max().unwrap_or(0);
        for (level, domains) in &self.domains {
            if let Some(seats) = self.seat_within(domains, numbers) {
                return Some(seats);
            }
            let largest = |domain| domains.iter().filter(|other| **other == domain).count();
            let fits_one = (0..domains.len()).any(|domain| largest(domain) >= widest);
            let far = [Level::NumaNode, Level::Package].contains(level);
            if far && may_shrink && fits_one {
                return None;
            }
            // So many ranks to an object are not put anywhere else.
            if matches!(self.turn, Turn::PerObject { level: own, .. } if own == *level) {
                return None;
            }
        }
        None
    }

    fn seat_within(&self, domains: &[usize], numbers: &[usize]) -> Option<Vec<Vec<usize>>> {
        let count = domains.iter().max().map_or(0, |last| last + 1);
        let mut free: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (place, domain) in domains.iter().enumerate().rev() {
            free[*domain].push(place);
        }
        // The object that a domain counts for, by number from 0.
        let mut objects: Vec<usize> = match &self.objects {
            Some(objects) => free
                .iter()
                .map(|own| own.last().map_or(0, |place| objects[*place]))
                .collect(),
            None => vec![0; count],
        };
        let mut known = objects.clone();
        known.sort_unstable();
        known.dedup();
        for object in &mut objects {
            *object = known.partition_point(|other| other < object);
        }
        let mut seats = Vec::with_capacity(numbers.len());
        for (rank, number) in numbers.iter().enumerate() {
            let domain = self.domain_for(rank, *number, &free, &objects, known.len())?;
            let rest = free[domain].len() - number;
            let mut seat = free[domain].split_off(rest);
            seat.reverse();
            seats.push(seat);
        }
        Some(seats)
    }

    /// The first domain in this rank's order that has room.
    fn domain_for(
        &self,
        rank: usize,
        number: usize,
        free: &[Vec<usize>],
        objects: &[usize],
        count: usize,
    ) -> Option<usize> {
        let has_room = |domain: &usize| free[*domain].len() >= number;
        match self.turn {
            Turn::Policy(_) => {
                let distance = |domain: &usize| (objects[*domain] + count - rank % count) % count;
                (0..free.len()).filter(has_room).min_by_key(distance)
            }
            Turn::PerObject { ranks, .. } => {
                let own = |domain: &usize| objects[*domain] == rank / ranks.max(1);
                (0..free.len()).filter(own).find(has_room)
            }
        }
    }

    fn binding(&self, machine: &Machine, seat: &[usize]) -> RankBinding {
        let places = seat.iter().map(|place| &self.places[*place]);
        let mut processing_units: Vec<u32> = places.flatten().copied().collect();
        let primary = processing_units[0];
        processing_units.sort_unstable();
        RankBinding {
            processing_units,
            primary,
            numa_node: machine
                .processing_unit(primary)
                .map_or(0, |unit| unit.numa_node),
        }
    }

    fn too_wide(&self, widths: &[Width]) -> BindingError {
        let asked = |width: &Width| match width {
            Width::Share => 1,
            Width::AtMost(number) | Width::Exactly(number) => *number,
        };
        let each = widths.iter().map(asked).max().unwrap_or(1);
        BindingError::TooWide {
            ranks: widths.len(),
            each,
            places: self.places.len(),
            kind: self.kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn planned(text: &str, widths: &[Width], turn: Turn, by_thread: bool) -> Vec<Vec<u32>> {
        let machine = Machine::from_description(text).unwrap();
        let bindings = plan_shares(&machine, widths, turn, by_thread).unwrap();
        bindings
            .into_iter()
            .map(|binding| binding.processing_units)
            .collect()
    }

    fn filled() -> Turn {
        Turn::Policy(MapBy::Core)
    }

    /// The first and last processor of each rank, which has all between.
    fn ranges(units: &[Vec<u32>]) -> Vec<(u32, u32)> {
        let range = |units: &Vec<u32>| {
            let (first, last) = (units[0], *units.last().unwrap());
            assert_eq!(units.len() as u32, last - first + 1, "{units:?}");
            (first, last)
        };
        units.iter().map(range).collect()
    }

    #[test]
    fn ranks_share_the_cores_evenly() {
        let of =
            |text: &str, ranks| ranges(&planned(text, &vec![Width::Share; ranks], filled(), false));
        assert_eq!(of("core:2 pu:1", 1), [(0, 1)]);
        assert_eq!(of("package:2 core:4 pu:1", 2), [(0, 3), (4, 7)]);
        assert_eq!(
            of("package:2 core:4 pu:2", 4),
            [(0, 3), (4, 7), (8, 11), (12, 15)]
        );
        assert_eq!(of("core:8 pu:1", 3), [(0, 1), (2, 3), (4, 5)]);
        // Four caches of eight cores: a cache for each, half a node for each, half a cache for each.
        let caches = "numa:2 l3cache:2 core:8 pu:1";
        assert_eq!(of(caches, 4), [(0, 7), (8, 15), (16, 23), (24, 31)]);
        assert_eq!(of(caches, 2), [(0, 15), (16, 31)]);
        assert_eq!(of(caches, 8)[5], (20, 23));
    }

    #[test]
    fn shares_shrink_before_they_cross_a_node() {
        let node = "numa:2 core:8 pu:1";
        let shares = ranges(&planned(node, &[Width::Share; 3], filled(), false));
        assert_eq!(shares, [(0, 3), (4, 7), (8, 11)]);
        let package = ranges(&planned(
            "package:2 l3cache:4 core:8 pu:1",
            &[Width::Share; 5],
            filled(),
            false,
        ));
        assert_eq!(package, [(0, 9), (10, 19), (20, 29), (32, 41), (42, 51)]);
        let asked = planned(node, &[Width::AtMost(5); 3], filled(), false);
        assert_eq!(ranges(&asked), [(0, 4), (5, 9), (10, 14)]);
        // A cache is crossed rather than left half empty.
        let caches = "l3cache:2 core:5 pu:1";
        let shares = ranges(&planned(caches, &[Width::Share; 3], filled(), false));
        assert_eq!(shares, [(0, 2), (3, 5), (6, 8)]);
    }

    #[test]
    fn so_many_are_given_as_are_asked_for() {
        let text = "package:2 l3cache:2 core:4 pu:1";
        let two = [Width::AtMost(2); 3];
        assert_eq!(
            ranges(&planned(text, &two, filled(), false)),
            [(0, 1), (2, 3), (4, 5)]
        );
        let most = [Width::AtMost(64); 4];
        assert_eq!(ranges(&planned(text, &most, filled(), false))[3], (12, 15));
        let unlike = [Width::AtMost(1), Width::Share, Width::AtMost(3)];
        let unlike = planned(text, &unlike, filled(), false);
        assert_eq!([unlike[0].len(), unlike[2].len()], [1, 3]);
        let machine = Machine::from_description(text).unwrap();
        let error = plan_shares(&machine, &[Width::Exactly(5); 4], filled(), false).unwrap_err();
        assert!(
            error.to_string().contains("4 ranks of 5 cores each"),
            "{error}"
        );
        assert!(plan_shares(&machine, &[Width::Share; 17], filled(), false).is_err());
        assert!(plan_shares(&machine.restricted_to(&[]), &two, filled(), false).is_err());
    }

    #[test]
    fn objects_take_turns_or_have_their_number() {
        let text = "package:2 l3cache:2 core:4 pu:1";
        let packages = Turn::Policy(MapBy::Package);
        let two = [Width::Exactly(2); 3];
        assert_eq!(
            ranges(&planned(text, &two, packages, false)),
            [(0, 1), (8, 9), (2, 3)]
        );
        let each = Turn::PerObject {
            ranks: 1,
            level: Level::L3Cache,
        };
        assert_eq!(
            ranges(&planned(text, &two, each, false)),
            [(0, 1), (4, 5), (8, 9)]
        );
        let machine = Machine::from_description(text).unwrap();
        assert!(plan_shares(&machine, &[Width::Exactly(1); 5], each, false).is_err());
        assert!(plan_shares(&machine, &[Width::Exactly(5); 2], each, false).is_err());
        let none = Machine::from_description("core:4 pu:1").unwrap();
        let error = plan_shares(&none, &two, each, false).unwrap_err();
        assert!(matches!(error, BindingError::NoSuchLevel { .. }), "{error}");
    }

    #[test]
    fn hardware_threads_can_be_the_places() {
        let text = "package:2 core:2 pu:2";
        let three = [Width::Exactly(3); 2];
        assert_eq!(
            ranges(&planned(text, &three, filled(), true)),
            [(0, 2), (4, 6)]
        );
        let two = Turn::PerObject {
            ranks: 2,
            level: Level::Core,
        };
        let one = [Width::Exactly(1); 4];
        assert_eq!(
            ranges(&planned(text, &one, two, true)),
            [(0, 0), (1, 1), (2, 2), (3, 3)]
        );
    }

    proptest! {
        #[test]
        fn no_place_is_given_twice(
            packages in 1..3usize, caches in 1..4usize, cores in 1..6usize,
            widths in proptest::collection::vec(0..5usize, 1..12), taken in 0..6u32,
        ) {
            let text = format!("package:{packages} l3cache:{caches} core:{cores} pu:1");
            let machine = Machine::from_description(&text).unwrap();
            let all = machine.allowed();
            let free: Vec<u32> = all.iter().copied().filter(|unit| unit % 7 != taken).collect();
            let machine = machine.restricted_to(&free);
            let width = |number: &usize| match number { 0 => Width::Share, n => Width::AtMost(*n) };
            let widths: Vec<Width> = widths.iter().map(width).collect();
            match plan_shares(&machine, &widths, filled(), false) {
                Ok(bindings) => {
                    let mut units: Vec<u32> = bindings.iter().flat_map(|binding| binding.processing_units.clone()).collect();
                    let given = units.len();
                    units.sort_unstable();
                    units.dedup();
                    prop_assert_eq!(units.len(), given);
                    prop_assert!(units.iter().all(|unit| free.contains(unit)));
                    for (binding, width) in bindings.iter().zip(&widths) {
                        let most = match width { Width::AtMost(n) => *n, _ => free.len() };
                        prop_assert!((1..=most).contains(&binding.processing_units.len()));
                    }
                }
                Err(_) => prop_assert!(widths.len() > free.len()),
            }
        }
    }
}
