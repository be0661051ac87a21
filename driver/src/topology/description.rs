//! Machines from a line of text, in the form of hwloc's synthetic topologies.
//!
//! Why beside hwloc: simulations of placement and the tests of the binding policies need machines
//! of every shape without loading libhwloc. `"package:2 l3cache:4 core:8 pu:2"` is two packages
//! with four L3 caches each, eight cores each, two units each: 128 units, numbered in that order.
//! Attributes in parentheses and hwloc's rarer level names are left to hwloc itself.
//!
//! Step before: a test or a simulation. Step after: [`Machine::assemble`].

use super::machine::Located;
use super::{Machine, Origin, TopologyError};

/// More units than any machine of today; keeps a typing error from filling the memory.
const MOST_UNITS: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Package,
    NumaNode,
    L3Cache,
    L2Cache,
    Core,
    Unit,
}

impl Machine {
    /// The machine that the text describes; all its units are allowed. Levels go from the outside
    /// in, each with the number of its objects in one object of the level before.
    pub fn from_description(text: &str) -> Result<Machine, TopologyError> {
        let wrong = |reason: String| TopologyError::Description {
            text: text.to_string(),
            reason,
        };
        let mut levels: Vec<(Word, usize)> = Vec::new();
        let mut total = 1usize;
        for item in text.split_whitespace() {
            let (name, count) = item
                .split_once(':')
                .ok_or_else(|| wrong(format!("{item:?} has no colon and number")))?;
            let word = match name.to_ascii_lowercase().as_str() {
                "package" | "socket" | "pack" => Word::Package,
                "numa" | "numanode" | "node" => Word::NumaNode,
                "l3cache" | "l3" => Word::L3Cache,
                "l2cache" | "l2" => Word::L2Cache,
                "core" => Word::Core,
                "pu" | "hwthread" => Word::Unit,
                _ => return Err(wrong(format!("{name:?} is not a level"))),
            };
            if levels.iter().any(|&(earlier, _)| earlier == word) {
                return Err(wrong(format!("{name:?} is there twice")));
            }
            let count: usize = count
                .parse()
                .ok()
                .filter(|&count| count > 0)
                .ok_or_else(|| wrong(format!("{count:?} is not a number above 0")))?;
            total = total.saturating_mul(count);
            if total > MOST_UNITS {
                return Err(wrong(format!("it has more than {MOST_UNITS} units")));
            }
            levels.push((word, count));
        }
        match levels.last() {
            None => return Err(wrong("it is empty".to_string())),
            Some((Word::Unit, _)) => {}
            Some(_) => return Err(wrong("the innermost level must be pu".to_string())),
        }

        // The object of a level that contains a unit is the unit's number divided by the units
        // in one such object.
        let units_within = |word: Word| {
            let at = levels.iter().position(|&(level, _)| level == word)?;
            Some(
                levels[at + 1..]
                    .iter()
                    .map(|&(_, count)| count)
                    .product::<usize>() as u32,
            )
        };
        let number = |unit: u32, word: Word| units_within(word).map(|within| unit / within);
        let found = (0..total as u32)
            .map(|unit| Located {
                os_index: unit,
                core_key: number(unit, Word::Core).unwrap_or(unit),
                l2cache_key: number(unit, Word::L2Cache),
                l3cache_key: number(unit, Word::L3Cache),
                numa_node: number(unit, Word::NumaNode).unwrap_or(0),
                package: number(unit, Word::Package).unwrap_or(0),
                allowed: true,
            })
            .collect();
        Machine::assemble(
            "described".to_string(),
            Origin::Description,
            found,
            Vec::new(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn counts_and_sharing_follow_the_text() {
        let machine = Machine::from_description("package:2 l3cache:4 core:8 pu:2").unwrap();
        assert_eq!(machine.count(Level::Package), 2);
        assert_eq!(machine.count(Level::L3Cache), 8);
        assert_eq!(machine.count(Level::Core), 64);
        assert_eq!(machine.count(Level::ProcessingUnit), 128);
        assert_eq!(machine.sharing(0, 0), Level::ProcessingUnit);
        assert_eq!(machine.sharing(0, 1), Level::Core);
        assert_eq!(machine.sharing(0, 2), Level::L3Cache);
        // No numa level in the text: one node holds everything, and comes before the package.
        assert_eq!(machine.sharing(0, 16), Level::NumaNode);
        assert_eq!(machine.sharing(0, 64), Level::NumaNode);
        assert_eq!(machine.sharing(0, 4000), Level::Machine);
    }

    #[test]
    fn numa_nodes_separate() {
        let machine = Machine::from_description("package:2 numa:2 core:4 pu:1").unwrap();
        assert_eq!(machine.numa_nodes(), [0, 1, 2, 3]);
        assert_eq!(machine.sharing(0, 3), Level::NumaNode);
        assert_eq!(machine.sharing(0, 4), Level::Package);
        assert_eq!(machine.sharing(0, 8), Level::Machine);
        assert_eq!(machine.groups(Level::L3Cache), None);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (text, named) in [
            ("", "empty"),
            ("core", "no colon"),
            ("core:x pu:1", "\"x\""),
            ("core:0 pu:1", "\"0\""),
            ("rack:2 pu:1", "\"rack\""),
            ("core:2", "innermost"),
            ("core:2 core:2 pu:1", "twice"),
            ("core:100000 pu:1", "more than"),
        ] {
            let message = Machine::from_description(text).unwrap_err().to_string();
            assert!(message.contains(named), "{text:?}: {message}");
            assert!(message.contains("package, numa, l3cache"), "{message}");
        }
    }
}
