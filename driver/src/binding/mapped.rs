//! Plans that do not come from the mapping policies: units by a list, and cores far from each other.
//!
//! What: [`plan_on_units`] puts rank after rank where a mapping says, [`scattered`] gives the order
//! in which ranks are as far from each other as there is room.
//! Step before: a mapping file, or a pinning policy. Step after: the kernel, by
//! [`super::processor`].
//! Invariant: pure; every unit is allowed.

use std::collections::HashMap;

use super::plan::{RankBinding, check_unit, deal, group_of_unit, level_of};
use super::{BindTo, BindingError};
use crate::topology::{Level, Machine, ProcessingUnit};

/// Places rank after rank on the units of a list, one for each, such as a mapping names them. Each
/// binding is widened as the policy says; a list of its own would contradict the units.
pub fn plan_on_units(
    machine: &Machine,
    units: &[u32],
    bind_to: &BindTo,
    oversubscribe: bool,
) -> Result<Vec<RankBinding>, BindingError> {
    let allowed = machine.allowed();
    if allowed.is_empty() {
        return Err(BindingError::NothingAllowed);
    }
    if let BindTo::List(_) = bind_to {
        return Err(BindingError::TwoLists);
    }
    for &unit in units {
        check_unit(machine, unit, &allowed)?;
    }
    let mut places = units.to_vec();
    places.sort_unstable();
    places.dedup();
    if places.len() < units.len() && !oversubscribe {
        return Err(BindingError::TooManyRanks {
            ranks: units.len(),
            places: places.len(),
            kind: "processors of the mapping",
        });
    }
    let level = level_of(bind_to);
    let groups = machine
        .groups(level)
        .ok_or(BindingError::NoSuchLevel { level })?;
    let group_of = group_of_unit(&groups);
    let single: Vec<Vec<u32>> = units.iter().map(|&unit| vec![unit]).collect();
    let widen = |place: &[u32]| groups[group_of[&place[0]]].clone();
    deal(machine, units.len(), &single, "units", true, widen, |_| 0)
}

/// The first unit of each allowed core, ordered so that each next one is as far as can be from
/// those before: packages take turns, in each its NUMA nodes, in each its L3 caches.
pub fn scattered(machine: &Machine) -> Result<Vec<u32>, BindingError> {
    let mut cores: Vec<_> = machine
        .processing_units()
        .iter()
        .filter(|unit| unit.allowed)
        .collect();
    cores.dedup_by_key(|unit| unit.core);
    if cores.is_empty() {
        return Err(BindingError::NothingAllowed);
    }
    // The place of a container among those in the same outer one: the innermost counts first.
    let path = |unit: &ProcessingUnit| {
        let levels = [Level::Package, Level::NumaNode, Level::L3Cache, Level::Core];
        levels.map(|level| unit.container(level).unwrap_or(0))
    };
    let mut turns: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
    let mut keyed: Vec<(Vec<usize>, u32)> = Vec::new();
    for unit in cores {
        let path = path(unit);
        let mut key = Vec::new();
        for depth in 0..path.len() {
            let siblings = turns.entry(path[..depth].to_vec()).or_default();
            let known = siblings.iter().position(|sibling| *sibling == path[depth]);
            if known.is_none() {
                siblings.push(path[depth]);
            }
            key.push(known.unwrap_or(siblings.len() - 1));
        }
        key.reverse();
        keyed.push((key, unit.os_index));
    }
    keyed.sort();
    Ok(keyed.into_iter().map(|(_, unit)| unit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattering_takes_turns_on_every_level() {
        let order = |text: &str| scattered(&Machine::from_description(text).unwrap()).unwrap();
        let eight = order("package:2 l3cache:2 core:2 pu:2");
        assert_eq!(eight, [0, 8, 4, 12, 2, 10, 6, 14]);
        assert_eq!(order("numa:2 core:2 pu:1"), [0, 2, 1, 3]);
        let machine = Machine::from_description("core:4 pu:1").unwrap();
        assert_eq!(scattered(&machine.restricted_to(&[1, 3])).unwrap(), [1, 3]);
        assert!(scattered(&machine.restricted_to(&[])).is_err());
    }

    #[test]
    fn ranks_go_to_the_units_of_a_mapping() {
        let machine = Machine::from_description("package:2 l3cache:4 core:8 pu:2").unwrap();
        let units = [127, 0, 64];
        let bindings = plan_on_units(&machine, &units, &BindTo::Core, false).unwrap();
        let primaries: Vec<u32> = bindings.iter().map(|binding| binding.primary).collect();
        assert_eq!(primaries, units);
        assert_eq!(bindings[0].processing_units, [126, 127]);
        let bindings = plan_on_units(&machine, &units, &BindTo::L3Cache, false).unwrap();
        assert_eq!(bindings[2].processing_units, (64..80).collect::<Vec<u32>>());
        let error = |units: &[u32], bind_to: &BindTo| {
            let error = plan_on_units(&machine, units, bind_to, false).unwrap_err();
            error.to_string()
        };
        let twice = error(&[3, 3], &BindTo::Core);
        assert!(
            twice.starts_with("2 ranks do not fit on 1 processors of the mapping"),
            "{twice}"
        );
        let absent = error(&[128], &BindTo::Core);
        assert!(absent.contains("processor 128 does not exist"), "{absent}");
        let list = error(&[1], &"list:1".parse().unwrap());
        assert!(list.contains("both a mapping file and a list"), "{list}");
        let forbidden = machine.restricted_to(&[0]);
        let error = plan_on_units(&forbidden, &[1], &BindTo::Core, false).unwrap_err();
        assert!(
            error.to_string().contains("processor 1 is forbidden"),
            "{error}"
        );
    }
}
