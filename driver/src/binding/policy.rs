//! The words of `--map-by` and `--bind-to`.
//!
//! What: [`MapBy`] says in which order ranks are dealt to the machine, [`BindTo`] how wide each
//! rank's binding is around its place. The words are those Open MPI's users type, with the other
//! launchers' names as aliases.
//!
//! Step before: the launcher's arguments. Step after: [`super::plan`].

use std::fmt;
use std::str::FromStr;

use super::BindingError;

/// In which order ranks are dealt to the machine's places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MapBy {
    /// Slot after slot; a slot is a core.
    Slot,
    /// Core after core, neighbours first (the default: neighbouring ranks share the most).
    #[default]
    Core,
    /// Hardware thread after hardware thread, filling a core before the next.
    HwThread,
    /// A core of each L3 cache in turn.
    L3Cache,
    /// A core of each NUMA node in turn.
    Numa,
    /// A core of each package (socket) in turn.
    Package,
    /// A core of each machine in turn; on the one machine there is, the same as `Core`.
    Node,
}

const MAP_WORDS: &str =
    "slot, core, hwthread (or pu), l3cache (or l3), numa, package (or socket), node";

impl FromStr for MapBy {
    type Err = BindingError;

    fn from_str(word: &str) -> Result<MapBy, BindingError> {
        Ok(match word.trim().to_ascii_lowercase().as_str() {
            "slot" => MapBy::Slot,
            "core" => MapBy::Core,
            "hwthread" | "pu" => MapBy::HwThread,
            "l3cache" | "l3" => MapBy::L3Cache,
            "numa" | "numanode" => MapBy::Numa,
            "package" | "socket" => MapBy::Package,
            "node" => MapBy::Node,
            _ => {
                return Err(BindingError::UnknownPolicy {
                    option: "--map-by",
                    word: word.to_string(),
                    allowed: MAP_WORDS,
                });
            }
        })
    }
}

impl fmt::Display for MapBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            MapBy::Slot => "slot",
            MapBy::Core => "core",
            MapBy::HwThread => "hwthread",
            MapBy::L3Cache => "l3cache",
            MapBy::Numa => "numa",
            MapBy::Package => "package",
            MapBy::Node => "node",
        })
    }
}

/// How wide a rank's binding is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BindTo {
    /// Every allowed unit: not bound.
    None,
    /// The hardware thread the rank is placed on.
    HwThread,
    /// The core the rank is placed on, with all its allowed hardware threads (the default).
    #[default]
    Core,
    /// The L3 cache's units.
    L3Cache,
    /// The NUMA node's units.
    Numa,
    /// The package's (socket's) units.
    Package,
    /// Explicit sets of units (operating-system indices), one for each rank, used again from the
    /// start when there are more ranks. The mapping policy has no say then. No set is empty.
    List(Vec<Vec<u32>>),
}

const BIND_WORDS: &str = "none, core, hwthread (or pu), l3cache (or l3), numa, \
                          package (or socket), list:PROCESSORS (or user:PROCESSORS)";

impl FromStr for BindTo {
    type Err = BindingError;

    fn from_str(word: &str) -> Result<BindTo, BindingError> {
        let lower = word.trim().to_ascii_lowercase();
        if let Some(list) = lower.strip_prefix("list:").or(lower.strip_prefix("user:")) {
            return parse_list(list).map(BindTo::List);
        }
        Ok(match lower.as_str() {
            "none" | "no" => BindTo::None,
            "hwthread" | "pu" => BindTo::HwThread,
            "core" => BindTo::Core,
            "l3cache" | "l3" => BindTo::L3Cache,
            "numa" | "numanode" => BindTo::Numa,
            "package" | "socket" => BindTo::Package,
            _ => {
                return Err(BindingError::UnknownPolicy {
                    option: "--bind-to",
                    word: word.to_string(),
                    allowed: BIND_WORDS,
                });
            }
        })
    }
}

impl fmt::Display for BindTo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            BindTo::None => "none",
            BindTo::HwThread => "hwthread",
            BindTo::Core => "core",
            BindTo::L3Cache => "l3cache",
            BindTo::Numa => "numa",
            BindTo::Package => "package",
            BindTo::List(sets) => {
                let sets: Vec<String> = sets
                    .iter()
                    .map(|set| {
                        let units: Vec<String> = set.iter().map(u32::to_string).collect();
                        units.join("+")
                    })
                    .collect();
                return write!(formatter, "list:{}", sets.join(","));
            }
        };
        formatter.write_str(word)
    }
}

/// Processors rank after rank: commas separate ranks, a lone range is one rank for each of its
/// processors, and a plus joins processors (or ranges) into the set of one rank.
fn parse_list(text: &str) -> Result<Vec<Vec<u32>>, BindingError> {
    let wrong = |reason: String| BindingError::List {
        text: text.to_string(),
        reason,
    };
    let range = |part: &str| -> Result<Vec<u32>, BindingError> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |digits: &str| {
            digits
                .trim()
                .parse::<u32>()
                .map_err(|_| wrong(format!("{digits:?} is not a processor's number")))
        };
        let (first, last) = (number(first)?, number(last)?);
        if last < first {
            return Err(wrong(format!("{part:?} runs backwards")));
        }
        // More than any machine has; keeps a typing error from filling the memory.
        if last - first >= 1 << 16 {
            return Err(wrong(format!("{part:?} is too long")));
        }
        Ok((first..=last).collect())
    };
    let mut sets = Vec::new();
    for entry in text.split(',') {
        if entry.contains('+') {
            let mut set = Vec::new();
            for part in entry.split('+') {
                for unit in range(part)? {
                    if !set.contains(&unit) {
                        set.push(unit);
                    }
                }
            }
            sets.push(set);
        } else {
            sets.extend(range(entry)?.into_iter().map(|unit| vec![unit]));
        }
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written_back() {
        for word in [
            "slot", "core", "hwthread", "l3cache", "numa", "package", "node",
        ] {
            assert_eq!(word.parse::<MapBy>().unwrap().to_string(), word);
        }
        for word in [
            "none",
            "core",
            "hwthread",
            "l3cache",
            "numa",
            "package",
            "list:0,2+3",
        ] {
            assert_eq!(word.parse::<BindTo>().unwrap().to_string(), word);
        }
        assert_eq!("Socket".parse::<MapBy>().unwrap(), MapBy::Package);
        assert_eq!("socket".parse::<BindTo>().unwrap(), BindTo::Package);
        assert_eq!("pu".parse::<BindTo>().unwrap(), BindTo::HwThread);
        assert_eq!("l3".parse::<MapBy>().unwrap(), MapBy::L3Cache);
    }

    #[test]
    fn an_unknown_word_gets_the_known_ones() {
        let message = "rack".parse::<MapBy>().unwrap_err().to_string();
        assert!(
            message.contains("--map-by \"rack\"") && message.contains(MAP_WORDS),
            "{message}"
        );
        let message = "slot".parse::<BindTo>().unwrap_err().to_string();
        assert!(message.contains("--bind-to \"slot\"") && message.contains(BIND_WORDS));
    }

    #[test]
    fn lists_separate_by_comma_and_join_by_plus() {
        assert_eq!(
            "list:0-2,7".parse::<BindTo>().unwrap(),
            BindTo::List(vec![vec![0], vec![1], vec![2], vec![7]])
        );
        assert_eq!(
            "user:0+2,4-5+8,1".parse::<BindTo>().unwrap(),
            BindTo::List(vec![vec![0, 2], vec![4, 5, 8], vec![1]])
        );
        for (text, named) in [
            ("list:", "\"\" is not"),
            ("list:0,,1", "\"\" is not"),
            ("list:a", "\"a\""),
            ("list:3-1", "backwards"),
            ("list:0-4294967295", "too long"),
        ] {
            let message = text.parse::<BindTo>().unwrap_err().to_string();
            assert!(message.contains(named), "{text}: {message}");
        }
    }
}
