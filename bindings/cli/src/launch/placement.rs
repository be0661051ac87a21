//! Which rank goes where.
//!
//! What: [`assign`] deals ranks out over the cores of a [`Machine`] and says which processors each
//! is bound to.
//! Why: two ranks that meet on one core, or a rank that wanders between cores, cost more than any
//! protocol can win back.
//! Step before: [`super::machine`]. Step after: [`super::start`] binds each rank as it starts.
//! Invariants: the outcome depends on nothing but its arguments; an object takes its cores in
//! order, and no core gets a second rank before each core dealt to has its first.

use std::str::FromStr;

use super::machine::{Core, Detail, Machine, format_list};

/// The object a rank is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindTo {
    /// All hardware threads of a core.
    Core,
    /// One hardware thread.
    Hwthread,
    /// All cores under one last-level cache.
    L3cache,
    /// All cores of a NUMA node.
    Numa,
    /// All cores of a package.
    Package,
    /// Nothing: the kernel's scheduler moves ranks.
    None,
}

/// The objects ranks are dealt out over in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapBy {
    /// Core after core.
    Core,
    /// Hardware thread after hardware thread, filling a core before the next.
    Hwthread,
    /// One to each last-level cache in turn.
    L3cache,
    /// One to each NUMA node in turn.
    Numa,
    /// One to each package in turn.
    Package,
}

/// A placement that cannot be made.
#[derive(Debug, thiserror::Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum PlacementError {
    /// Not an object to bind to or map by.
    #[error("`{word}` is no object; there are {choices}")]
    UnknownObject {
        /// What was typed.
        word: String,
        /// What can be typed.
        choices: &'static str,
    },
    /// More ranks than places, and that was forbidden.
    #[error(
        "{ranks} ranks on {slots} {unit}, which --nooversubscribe forbids; \
         start fewer ranks or leave the option out"
    )]
    Oversubscribed {
        /// Ranks of the job.
        ranks: usize,
        /// Places there are.
        slots: usize,
        /// What a place is.
        unit: &'static str,
    },
}

impl FromStr for BindTo {
    type Err = PlacementError;

    fn from_str(word: &str) -> Result<BindTo, PlacementError> {
        Ok(match word.to_ascii_lowercase().as_str() {
            "core" => BindTo::Core,
            "hwthread" | "hwt" | "pu" => BindTo::Hwthread,
            "l3cache" | "l3" => BindTo::L3cache,
            "numa" => BindTo::Numa,
            "package" | "socket" => BindTo::Package,
            "none" => BindTo::None,
            _ => {
                return Err(PlacementError::UnknownObject {
                    word: word.to_string(),
                    choices: "core, hwthread, l3cache, numa, package (socket), none",
                });
            }
        })
    }
}

impl FromStr for MapBy {
    type Err = PlacementError;

    fn from_str(word: &str) -> Result<MapBy, PlacementError> {
        Ok(match word.to_ascii_lowercase().as_str() {
            // One node: to deal out by node or by slot is to take cores in order.
            "slot" | "core" | "node" => MapBy::Core,
            "hwthread" | "hwt" | "pu" => MapBy::Hwthread,
            "l3cache" | "l3" => MapBy::L3cache,
            "numa" => MapBy::Numa,
            "package" | "socket" => MapBy::Package,
            _ => {
                return Err(PlacementError::UnknownObject {
                    word: word.to_string(),
                    choices: "slot, core, hwthread, l3cache, numa, package (socket), node",
                });
            }
        })
    }
}

/// What a job asks of placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Ranks of the job.
    pub ranks: usize,
    /// Objects to bind to.
    pub bind_to: BindTo,
    /// Objects to deal out over.
    pub map_by: MapBy,
    /// Refuse more ranks than places.
    pub refuse_oversubscription: bool,
}

impl Request {
    /// Fills in what the command line left open.
    pub fn new(
        ranks: usize,
        bind_to: Option<BindTo>,
        map_by: Option<MapBy>,
        refuse_oversubscription: bool,
    ) -> Request {
        let map_by = map_by.unwrap_or(MapBy::Core);
        let bind_to = bind_to.unwrap_or(match map_by {
            MapBy::Hwthread => BindTo::Hwthread,
            _ => BindTo::Core,
        });
        Request {
            ranks,
            bind_to,
            map_by,
            refuse_oversubscription,
        }
    }

    /// How much of the machine has to be read for this.
    pub fn detail(&self) -> Detail {
        let narrow = matches!(self.bind_to, BindTo::Core | BindTo::Hwthread | BindTo::None)
            && matches!(self.map_by, MapBy::Core | MapBy::Hwthread);
        if narrow {
            Detail::Cores(self.ranks)
        } else {
            Detail::Full
        }
    }
}

/// Where one rank goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Processors it is bound to, ascending; empty when it is not bound.
    pub units: Vec<u32>,
    /// The processor it was dealt, bound or not.
    pub home: u32,
    /// The NUMA node of that processor.
    pub node: u32,
}

impl Assignment {
    /// The processor a rank keeps to, where its binding is as narrow as a core.
    pub fn processing_unit(&self, bind_to: BindTo) -> Option<u32> {
        matches!(bind_to, BindTo::Core | BindTo::Hwthread).then_some(self.home)
    }

    /// A sentence's end for `--report-bindings`.
    pub fn describe(&self, bind_to: BindTo) -> String {
        if self.units.is_empty() {
            return "is not bound".to_string();
        }
        let object = match bind_to {
            BindTo::Core => "core",
            BindTo::Hwthread => "hwthread",
            BindTo::L3cache => "l3cache",
            BindTo::Numa => "numa",
            BindTo::Package => "package",
            BindTo::None => "nothing",
        };
        let plural = if self.units.len() == 1 {
            "processor"
        } else {
            "processors"
        };
        let units = format_list(&self.units);
        format!(
            "is bound to {object}: {plural} {units}, NUMA node {}",
            self.node
        )
    }
}

/// Deals the ranks out.
pub fn assign(machine: &Machine, request: &Request) -> Result<Vec<Assignment>, PlacementError> {
    let cores = &machine.cores;
    let threads = request.bind_to == BindTo::Hwthread || request.map_by == MapBy::Hwthread;
    let (slots, unit) = if threads {
        (machine.units(), "hardware threads")
    } else {
        (cores.len(), "cores")
    };
    if request.refuse_oversubscription && request.ranks > slots {
        return Err(PlacementError::Oversubscribed {
            ranks: request.ranks,
            slots,
            unit,
        });
    }
    let order = order(cores, request.map_by);
    let mut ranks_on_core = vec![0_usize; cores.len()];
    let assignments = (0..request.ranks).map(|rank| {
        let index = order[rank % order.len()];
        let core = &cores[index];
        let home = core.units[ranks_on_core[index] % core.units.len()];
        ranks_on_core[index] += 1;
        let units = match request.bind_to {
            BindTo::None => Vec::new(),
            BindTo::Hwthread => vec![home],
            BindTo::Core => core.units.clone(),
            BindTo::L3cache => together(cores, |other| other.cache == core.cache),
            BindTo::Numa => together(cores, |other| other.node == core.node),
            BindTo::Package => together(cores, |other| other.package == core.package),
        };
        // Ranks that share a core keep to its first thread unless threads were asked for.
        let home = if threads { home } else { core.units[0] };
        Assignment {
            units,
            home,
            node: core.node,
        }
    });
    Ok(assignments.collect())
}

/// The order in which cores receive ranks; a core with several threads may stand several times.
fn order(cores: &[Core], map_by: MapBy) -> Vec<usize> {
    let key: fn(&Core) -> u32 = match map_by {
        MapBy::Core => return (0..cores.len()).collect(),
        MapBy::Hwthread => {
            let repeated = |(index, core): (usize, &Core)| vec![index; core.units.len()];
            return cores.iter().enumerate().flat_map(repeated).collect();
        }
        MapBy::L3cache => |core| core.cache,
        MapBy::Numa => |core| core.node,
        MapBy::Package => |core| core.package,
    };
    let mut objects: Vec<(u32, Vec<usize>)> = Vec::new();
    for (index, core) in cores.iter().enumerate() {
        match objects.iter_mut().find(|(object, _)| *object == key(core)) {
            Some((_, members)) => members.push(index),
            None => objects.push((key(core), vec![index])),
        }
    }
    // Objects of unequal size: each deals its own cores round and round, so the cycle is the
    // longest object's length times the number of objects.
    let longest = objects
        .iter()
        .map(|(_, members)| members.len())
        .max()
        .unwrap_or(0);
    (0..longest)
        .flat_map(|turn| {
            objects
                .iter()
                .map(move |(_, members)| members[turn % members.len()])
        })
        .collect()
}

fn together(cores: &[Core], belongs: impl Fn(&Core) -> bool) -> Vec<u32> {
    let mut units: Vec<u32> = cores
        .iter()
        .filter(|core| belongs(core))
        .flat_map(|core| core.units.clone())
        .collect();
    units.sort_unstable();
    units
}

#[cfg(test)]
mod tests {
    use super::super::machine::synthetic::Server;
    use super::*;

    /// Two nodes, two caches each, two cores each, two threads each: cores 0..8, threads +8.
    fn place(ranks: usize, bind_to: &str, map_by: &str) -> Vec<Vec<u32>> {
        let bind_to = (!bind_to.is_empty()).then(|| bind_to.parse().expect("an object"));
        let map_by = (!map_by.is_empty()).then(|| map_by.parse().expect("an object"));
        let request = Request::new(ranks, bind_to, map_by, false);
        let machine = Server::new(2, 2, 2, 2).machine(request.detail());
        let assignments = assign(&machine, &request).expect("a placement");
        assignments
            .into_iter()
            .map(|assignment| assignment.units)
            .collect()
    }

    #[test]
    fn cores_in_order_by_default() {
        assert_eq!(place(3, "", ""), [[0, 8], [1, 9], [2, 10]]);
    }

    #[test]
    fn more_ranks_than_cores_share_them_in_turn() {
        let places = place(10, "", "");
        assert_eq!(places[8], [0, 8]);
        assert_eq!(places[9], [1, 9]);
    }

    #[test]
    fn hardware_threads_fill_a_core_first_or_last() {
        assert_eq!(place(4, "", "hwthread"), [[0], [8], [1], [9]]);
        assert_eq!(place(9, "hwthread", "core")[8], [8]);
    }

    #[test]
    fn objects_take_turns() {
        assert_eq!(place(4, "core", "numa"), [[0, 8], [4, 12], [1, 9], [5, 13]]);
        assert_eq!(place(4, "hwthread", "l3cache"), [[0], [2], [4], [6]]);
        assert_eq!(place(3, "core", "socket"), [[0, 8], [4, 12], [1, 9]]);
    }

    #[test]
    fn wide_bindings_hold_the_whole_object() {
        assert_eq!(
            place(2, "l3cache", "l3cache"),
            [[0, 1, 8, 9], [2, 3, 10, 11]]
        );
        let whole = vec![0, 1, 2, 3, 8, 9, 10, 11];
        assert_eq!(place(2, "numa", ""), [whole.clone(), whole]);
    }

    #[test]
    fn none_binds_nothing() {
        assert_eq!(place(2, "none", ""), [Vec::<u32>::new(), Vec::new()]);
    }

    #[test]
    fn oversubscription_is_refused_when_forbidden() {
        let request = Request::new(9, None, None, true);
        let machine = Server::new(2, 2, 2, 2).machine(request.detail());
        let error = assign(&machine, &request).expect_err("nine ranks on eight cores");
        assert_eq!(
            error,
            PlacementError::Oversubscribed {
                ranks: 9,
                slots: 8,
                unit: "cores"
            }
        );
        let request = Request::new(9, Some(BindTo::Hwthread), None, true);
        assert!(assign(&machine, &request).is_ok());
    }

    #[test]
    fn every_core_is_dealt_to_before_one_is_dealt_to_twice() {
        for map_by in ["core", "numa", "l3cache", "package"] {
            let mut places = place(8, "core", map_by);
            places.sort();
            places.dedup();
            assert_eq!(places.len(), 8, "{map_by}");
        }
    }
}
