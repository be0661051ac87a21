//! A picture of the machine for people: what contains what, and who sits where.
//!
//! ```text
//! package 0
//!   NUMA node 0
//!     L3 cache 0   [0 1] [2=r0 3=r4] [4 ~5]
//! ```
//!
//! A bracket is a core, a number in it a processing unit (the operating system's number), `=r0` the
//! rank that sits there, `~` a unit that may not be used. Levels that the machine does not report
//! have no line.
//!
//! Step before: a [`Machine`], and perhaps a plan. Step after: standard output.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::list_of_units;
use crate::topology::{Level, Machine, ProcessingUnit};

/// The machine with its ranks; `seats` has the unit that each rank sits on.
pub fn picture_of_machine(machine: &Machine, seats: &[u32]) -> String {
    let mut seated: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (rank, &unit) in seats.iter().enumerate() {
        seated.entry(unit).or_default().push(rank);
    }
    let mut text = format!("{machine}\n");
    let mut above: Option<&ProcessingUnit> = None;
    let units = machine.processing_units();
    for (at, unit) in units.iter().enumerate() {
        let same =
            |level| above.is_some_and(|above| above.container(level) == unit.container(level));
        let same_package = same(Level::Package);
        let same_node = same_package && same(Level::NumaNode);
        let same_cache = same_node && same(Level::L3Cache);
        if !same_package {
            let _ = writeln!(text, "package {}", unit.package);
        }
        if !same_node {
            let _ = writeln!(text, "  NUMA node {}", unit.numa_node);
        }
        if !same_cache {
            let name = unit
                .l3cache
                .map_or("cores".to_string(), |number| format!("L3 cache {number}"));
            let _ = write!(text, "    {name:<12}");
        }
        text.push_str(if same_cache && same(Level::Core) {
            " "
        } else {
            " ["
        });
        let forbidden = if unit.allowed { "" } else { "~" };
        let _ = write!(text, "{forbidden}{}", unit.os_index);
        for rank in seated.get(&unit.os_index).into_iter().flatten() {
            let _ = write!(text, "=r{rank}");
        }
        let next = units.get(at + 1);
        let joined =
            |level| next.is_some_and(|next| next.container(level) == unit.container(level));
        if !joined(Level::Core) {
            text.push(']');
        }
        let line_goes_on = [Level::Package, Level::NumaNode, Level::L3Cache]
            .into_iter()
            .all(joined);
        if !line_goes_on {
            text.push('\n');
        }
        above = Some(unit);
    }
    if !machine.offline().is_empty() {
        let _ = writeln!(text, "offline: {}", list_of_units(machine.offline()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_have_lines_and_cores_brackets() {
        let machine = Machine::from_description("package:2 l3cache:2 core:2 pu:2").unwrap();
        let machine = machine.restricted_to(&(0..13).collect::<Vec<u32>>());
        let picture = picture_of_machine(&machine, &[8, 2, 2]);
        let lines: Vec<&str> = picture.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "package 0",
                "  NUMA node 0",
                "    L3 cache 0   [0 1] [2=r1=r2 3]",
                "    L3 cache 1   [4 5] [6 7]",
                "package 1",
                "  NUMA node 0",
                "    L3 cache 2   [8=r0 9] [10 11]",
                "    L3 cache 3   [12 ~13] [~14 ~15]",
            ]
        );
    }

    #[test]
    fn without_a_cache_cores_stand_alone() {
        let machine = Machine::from_description("numa:2 core:1 pu:1").unwrap();
        let picture = picture_of_machine(&machine, &[]);
        assert!(
            picture.ends_with(
                "  NUMA node 0\n    cores        [0]\n  NUMA node 1\n    cores        [1]\n"
            ),
            "{picture}"
        );
    }
}
