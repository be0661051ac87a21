//! The processors of each rank on a machine, from what the command line asks for.
//!
//! What: [`seats`] chooses among the driver's planners, and puts ranks in their order.
//! Why: a rank that computes with threads (OpenMP) needs as many cores, and one that nothing is known of
//! may have its share of them; a rank with one core is pinned to it.
//! Step before: [`super::request`]. Step after: [`super::Placement`].
//! Invariant: pure, but for the files that the command line names and the environment of programs.

use std::collections::BTreeMap;

use pamir_driver::binding::{
    BindTo, MapBy, RankBinding, Turn, Width, plan, plan_on_units, plan_shares,
};
use pamir_driver::topology::{Level, Machine};

use super::super::program::{self, variables};
use super::error::PlacementError;
use super::policy::{mapped_units, policies};
use super::rank_file;
use crate::launch::request::layout::RankBy;
use crate::launch::request::{Launch, Program};

/// How many threads an OpenMP program has.
const THREADS: &str = "OMP_NUM_THREADS";

/// Where the ranks go, and whether the cores behind the first of each are a share that nobody asked for.
pub struct Seats {
    /// The binding of each rank.
    pub bindings: Vec<RankBinding>,
    /// What they are bound to.
    pub bind_to: BindTo,
    /// Whether ranks have more cores than they asked for.
    pub lent: bool,
}

/// Places the ranks; with `oversubscribe` false, more ranks than places is an error.
pub fn seats(
    machine: &Machine,
    launch: &Launch,
    oversubscribe: bool,
) -> Result<Seats, PlacementError> {
    let (map_by, bind_to) = policies(launch);
    let ranks = launch.ranks();
    let bound = |bindings, bind_to| Seats {
        bindings,
        bind_to,
        lent: false,
    };
    if let Some(file) = &launch.layout.rank_file {
        let list = BindTo::List(rank_file::read(file, machine, ranks)?);
        return Ok(bound(
            plan(machine, ranks, map_by, &list, oversubscribe)?,
            list,
        ));
    }
    if let Some(file) = &launch.mapping {
        let units = mapped_units(file, machine, ranks)?;
        let bindings = plan_on_units(machine, &units, &bind_to, oversubscribe)?;
        return Ok(bound(bindings, bind_to));
    }
    let mut seats = match wide(machine, launch, map_by, &bind_to)? {
        Some(seats) => seats,
        None => bound(
            plan(machine, ranks, map_by, &bind_to, oversubscribe)?,
            bind_to,
        ),
    };
    order(&mut seats.bindings, machine, launch.layout.rank_by, map_by);
    Ok(seats)
}

/// Ranks with several places each, if that is asked for, or nothing is and there is room.
fn wide(
    machine: &Machine,
    launch: &Launch,
    map_by: MapBy,
    bind_to: &BindTo,
) -> Result<Option<Seats>, PlacementError> {
    let layout = &launch.layout;
    // How many ranks a node has says nothing of cores.
    let per_object = layout
        .per_object
        .filter(|(_, level)| *level != Level::Machine);
    let demanded = layout.width.is_some() || per_object.is_some();
    match bind_to {
        BindTo::Core | BindTo::HwThread => {}
        _ if layout.width.is_some() && *bind_to != BindTo::None => {
            return Err(PlacementError::WidthAndObject);
        }
        _ => return Ok(None),
    }
    let open = launch.bind_to.is_none() && map_by != MapBy::HwThread && !launch.balance.is_any();
    if !demanded && !open {
        return Ok(None);
    }
    let widths = widths(launch, open);
    let turn = match per_object {
        Some((ranks, level)) => Turn::PerObject { ranks, level },
        None => Turn::Policy(map_by),
    };
    let several = matches!(per_object, Some((2.., Level::Core)));
    let by_thread = several || *bind_to == BindTo::HwThread;
    let bindings = match plan_shares(machine, &widths, turn, by_thread) {
        Ok(bindings) => bindings,
        // More ranks than places share them; the other planner says how, or refuses.
        Err(_) if !demanded => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let cores = |binding: &RankBinding| {
        let core = |unit: &u32| machine.processing_unit(*unit).map(|unit| unit.core);
        let mut cores: Vec<_> = binding.processing_units.iter().map(core).collect();
        cores.dedup();
        cores.len()
    };
    if !demanded && bindings.iter().all(|binding| cores(binding) == 1) {
        return Ok(None);
    }
    Ok(Some(Seats {
        bindings,
        bind_to: if by_thread {
            BindTo::HwThread
        } else {
            BindTo::Core
        },
        lent: widths.contains(&Width::Share),
    }))
}

/// How many places each rank gets; where the width is not `open`, one unless a number is given.
fn widths(launch: &Launch, open: bool) -> Vec<Width> {
    let of = |program: &Program| match (launch.layout.width, threads(launch, program)) {
        (Some(width), _) => Width::Exactly(width),
        (None, _) if !open => Width::Exactly(1),
        (None, Some(threads)) => Width::AtMost(threads),
        (None, None) => Width::Share,
    };
    let programs = launch.programs.iter();
    programs
        .flat_map(|program| std::iter::repeat_n(of(program), program.ranks))
        .collect()
}

/// The threads that a program's variable asks for, on its outermost level.
fn threads(launch: &Launch, program: &Program) -> Option<usize> {
    let variables = program::environment(launch, program);
    let value = variables::value_of(&variables, THREADS)?.to_str()?;
    let outermost = value.split(',').next()?.trim().parse().ok()?;
    (outermost > 0).then_some(outermost)
}

/// Puts ranks in their order on the places that were mapped.
fn order(bindings: &mut [RankBinding], machine: &Machine, rank_by: RankBy, map_by: MapBy) {
    let level = match (rank_by, map_by) {
        (RankBy::Mapping, _) => return,
        (RankBy::InTurn(level), _) => level,
        (RankBy::Filled, MapBy::L3Cache) => Level::L3Cache,
        (RankBy::Filled, MapBy::Numa) => Level::NumaNode,
        (RankBy::Filled, MapBy::Package) => Level::Package,
        (RankBy::Filled, _) => return,
    };
    let object = |binding: &RankBinding| {
        machine
            .processing_unit(binding.primary)
            .and_then(|unit| unit.container(level))
    };
    let mut earlier: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    let mut keyed: Vec<((usize, Option<u32>), RankBinding)> = Vec::with_capacity(bindings.len());
    for binding in bindings.iter() {
        let own = object(binding);
        let count = earlier.entry(own).or_default();
        let turn = if rank_by == RankBy::Filled { 0 } else { *count };
        keyed.push(((turn, own), binding.clone()));
        *count += 1;
    }
    keyed.sort_by_key(|(key, _)| *key);
    for (place, (_, binding)) in bindings.iter_mut().zip(keyed) {
        *place = binding;
    }
}

#[cfg(test)]
mod tests {
    use pamir_driver::binding::BindingError;

    use super::super::super::arguments::{Invocation, parse};
    use super::*;

    fn seated(text: &str, line: &str) -> Result<Seats, PlacementError> {
        let machine = Machine::from_description(text).unwrap();
        let line = format!("-genv OMP_NUM_THREADS none {line} a");
        let words: Vec<_> = line.split_whitespace().map(Into::into).collect();
        match parse(&words) {
            Ok(Invocation::Run(launch)) => seats(&machine, &launch, true),
            other => panic!("{line}: {other:?}"),
        }
    }

    /// The processors of each rank, as a list.
    fn lists(text: &str, line: &str) -> Vec<Vec<u32>> {
        let bindings = seated(text, line).unwrap().bindings;
        bindings
            .into_iter()
            .map(|binding| binding.processing_units)
            .collect()
    }

    const SMALL: &str = "package:2 core:4 pu:1";

    #[test]
    fn programs_have_their_share_or_what_they_ask_for() {
        assert_eq!(lists(SMALL, "-n 2"), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(
            lists(SMALL, "-n 2 -genv OMP_NUM_THREADS 2"),
            [[0, 1], [2, 3]]
        );
        assert_eq!(
            lists(SMALL, "-n 2 -x OMP_NUM_THREADS=2,4"),
            [[0, 1], [2, 3]]
        );
        assert_eq!(lists(SMALL, "-n 2 -x OMP_NUM_THREADS=1"), [[0], [1]]);
        assert_eq!(lists("core:2 pu:1", "-n 2"), [[0], [1]]);
        assert_eq!(lists("core:2 pu:1", "-n 3"), [[0], [1], [1]]);
        assert_eq!(lists(SMALL, "-n 2 --bind-to core"), [[0], [1]]);
        assert_eq!(lists(SMALL, "-n 2 --map-by hwthread"), [[0], [1]]);
        assert!(seated(SMALL, "-n 2").unwrap().lent);
        assert!(!seated(SMALL, "-n 2 -x OMP_NUM_THREADS=2").unwrap().lent);
    }

    #[test]
    fn each_program_has_its_own_number() {
        let line =
            "-n 1 -x OMP_NUM_THREADS=4 a : -n 2 -x OMP_NUM_THREADS=1 b : -n 1 -x OMP_NUM_THREADS=1";
        let lists = lists(SMALL, line);
        assert_eq!(lists[0], [0, 1, 2, 3]);
        assert_eq!(lists[1..], [[4], [5], [6]]);
    }

    #[test]
    fn numbers_of_cores_are_kept_to() {
        for line in [
            "--map-by slot:PE=2",
            "--cpus-per-rank 2",
            "--cpus-per-proc 2",
            "-bind-to core:2",
        ] {
            assert_eq!(
                lists(SMALL, &format!("-n 3 {line}")),
                [[0, 1], [2, 3], [4, 5]],
                "{line}"
            );
        }
        let lists = lists(SMALL, "-n 3 --map-by package:PE=2");
        assert_eq!(lists, [[0, 1], [4, 5], [2, 3]]);
        let wide = seated(SMALL, "-n 5 --map-by slot:PE=2").err().unwrap();
        assert!(
            matches!(
                wide,
                PlacementError::Binding(BindingError::TooWide { each: 2, .. })
            ),
            "{wide}"
        );
        let both = seated(SMALL, "-n 1 --map-by slot:PE=2 --bind-to numa")
            .err()
            .unwrap();
        assert!(matches!(both, PlacementError::WidthAndObject), "{both}");
    }

    #[test]
    fn objects_have_so_many_ranks() {
        let lists = |line: &str| lists(SMALL, line);
        assert_eq!(
            lists("-n 4 --map-by ppr:2:package:PE=1"),
            [[0], [1], [4], [5]]
        );
        assert_eq!(
            lists("-n 2 --map-by ppr:1:package"),
            [[0, 1, 2, 3], [4, 5, 6, 7]]
        );
        assert_eq!(
            lists("-n 2 --map-by ppr:1:package --bind-to core"),
            [[0], [4]]
        );
        assert!(seated(SMALL, "-n 3 --map-by ppr:1:package").is_err());
        let threads = seated("core:2 pu:2", "-n 4 --map-by ppr:2:core --bind-to core").unwrap();
        assert_eq!(threads.bind_to, BindTo::HwThread);
    }

    #[test]
    fn ranks_are_put_in_their_order() {
        let primaries = |line: &str| -> Vec<u32> {
            let seats = seated(SMALL, &format!("-n 4 --bind-to core {line}")).unwrap();
            seats
                .bindings
                .iter()
                .map(|binding| binding.primary)
                .collect()
        };
        assert_eq!(primaries("--map-by package"), [0, 4, 1, 5]);
        assert_eq!(primaries("--map-by package --rank-by fill"), [0, 1, 4, 5]);
        assert_eq!(primaries("--map-by package --rank-by slot"), [0, 4, 1, 5]);
        assert_eq!(primaries("--map-by package --rank-by core"), [0, 1, 4, 5]);
        assert_eq!(
            primaries("--map-by ppr:2:package --rank-by package"),
            [0, 4, 1, 5]
        );
    }
}
