//! The topology graph: how dear a transfer between each pair of processing entities is.
//!
//! What: entities (cores, hardware threads, nodes: whatever the numbers name) with a cost for each
//! pair, either as a full matrix, as a ping-pong measures it, or as a tree, where the cost depends
//! on the innermost thing that two entities share. An entity can be listed several times: then
//! several ranks may share it.
//!
//! ```text
//!  tree 2 x 2 x 2, costs 30, 10, 3, self 1        path of entity 5: [1, 2, 5]
//!                 machine
//!             0             1          shares nothing: costs[0] = 30
//!          0     1       2     3       shares 1 container: costs[1] = 10
//!         0 1   2 3     4 5   6 7      shares 2: costs[2] = 3; all 3, itself: costs[3] = 1
//! ```
//!
//! Step before: [`pamir_driver::topology::Machine`], or a file. Step after: [`super::problem`].

use std::collections::HashMap;

use pamir_driver::topology::{Level, Machine};

use super::matrix::MOST_DENSE;
use super::{Matrix, PlacementError, matrix};

/// A tree of containers around entities.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    depth: usize,
    /// What the containers are, outermost first; empty where only numbers are known.
    levels: Vec<Level>,
    /// `depth` containers for each entity, outermost first, numbered over the whole machine.
    paths: Vec<u32>,
    /// By the number of shared containers, `depth + 1` of them.
    costs: Vec<f64>,
}

impl Tree {
    /// Number of levels.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The containers of an entity, outermost first.
    pub fn path(&self, entity: usize) -> &[u32] {
        &self.paths[entity * self.depth..(entity + 1) * self.depth]
    }

    /// How many containers two entities share.
    pub fn shared(&self, one: usize, other: usize) -> usize {
        let pairs = self.path(one).iter().zip(self.path(other));
        pairs.take_while(|(one, other)| one == other).count()
    }

    /// What two entities share that share so many containers: the innermost of these.
    pub fn level_name(&self, shared: usize) -> String {
        match shared.checked_sub(1) {
            None => Level::Machine.to_string(),
            Some(inner) => match self.levels.get(inner) {
                Some(level) => level.to_string(),
                None => format!("level {shared}"),
            },
        }
    }

    /// Costs by the number of shared containers.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }
}

/// Costs of a transfer by the innermost level that two units share. Relative: their unit does
/// not matter to a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelCosts {
    costs: Vec<(Level, f64)>,
}

/// Levels from the outside in, as trees are built of them.
const LEVELS: [Level; 6] = [
    Level::Package,
    Level::NumaNode,
    Level::L3Cache,
    Level::L2Cache,
    Level::Core,
    Level::ProcessingUnit,
];

impl Default for LevelCosts {
    /// Hops up to what is shared and down again, where every level counts twice.
    fn default() -> LevelCosts {
        LevelCosts {
            costs: vec![
                (Level::Machine, 12.0),
                (Level::Package, 10.0),
                (Level::NumaNode, 8.0),
                (Level::L3Cache, 6.0),
                (Level::L2Cache, 4.0),
                (Level::Core, 2.0),
                (Level::ProcessingUnit, 1.0),
            ],
        }
    }
}

impl LevelCosts {
    /// The cost where this level is the innermost that is shared.
    pub fn of(&self, level: Level) -> f64 {
        let found = self.costs.iter().find(|(known, _)| *known == level);
        found.map_or(0.0, |(_, cost)| *cost)
    }

    /// Changes costs by a text such as `machine=20,l3cache=5`.
    pub fn changed_by(mut self, text: &str) -> Result<LevelCosts, PlacementError> {
        for item in text.split(',').filter(|item| !item.trim().is_empty()) {
            let (name, value) = item.split_once('=').unwrap_or((item, ""));
            let known = || self.costs.iter().map(|(level, _)| level.to_string());
            let at = known().position(|level| level == name.trim());
            let unknown = |what, name: &str| PlacementError::Unknown {
                what,
                name: name.to_string(),
                known: known().collect::<Vec<_>>().join(", "),
            };
            let at = at.ok_or_else(|| unknown("level of the machine", name))?;
            let value: f64 = value.trim().parse().unwrap_or(f64::NAN);
            if !matrix::valid(value) {
                return Err(PlacementError::Number {
                    what: format!("the cost of {}", name.trim()),
                    value,
                });
            }
            self.costs[at].1 = value;
        }
        Ok(self)
    }
}

/// A cost that was changed, if it is one.
fn checked(value: f64) -> Result<f64, PlacementError> {
    let what = || "the changed cost".to_string();
    matrix::valid(value)
        .then_some(value)
        .ok_or_else(|| PlacementError::Number {
            what: what(),
            value,
        })
}

#[derive(Debug, Clone, PartialEq)]
enum Costs {
    Matrix(Matrix),
    Tree(Tree),
}

/// Entities, and the cost between each pair of them.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologyGraph {
    names: Vec<u32>,
    costs: Costs,
}

impl TopologyGraph {
    /// Entities with a measured or given cost for each pair; `names` are the numbers that the
    /// operating system knows them by.
    pub fn from_matrix(names: Vec<u32>, costs: Matrix) -> Result<TopologyGraph, PlacementError> {
        if names.len() != costs.size() {
            return Err(PlacementError::Size {
                what: "the list of entities",
                found: names.len(),
                expected: costs.size(),
            });
        }
        Ok(TopologyGraph {
            names,
            costs: Costs::Matrix(costs),
        })
    }

    /// A tree of equal branches: `fanouts` from the outside in; `costs` has one value more, for
    /// what shares nothing first and for an entity with itself last.
    pub fn uniform(fanouts: &[usize], costs: &[f64]) -> Result<TopologyGraph, PlacementError> {
        if costs.len() != fanouts.len() + 1 {
            return Err(PlacementError::Size {
                what: "the list of a tree's costs (one a level, and one for an entity itself)",
                found: costs.len(),
                expected: fanouts.len() + 1,
            });
        }
        if let Some(&value) = costs.iter().find(|cost| !matrix::valid(**cost)) {
            let what = "a cost of the tree".to_string();
            return Err(PlacementError::Number { what, value });
        }
        let entities: usize = fanouts.iter().product();
        let mut paths = Vec::with_capacity(entities * fanouts.len());
        for entity in 0..entities {
            let mut below = entities;
            for fanout in fanouts {
                below /= fanout;
                paths.push((entity / below) as u32);
            }
        }
        Ok(TopologyGraph {
            names: (0..entities as u32).collect(),
            costs: Costs::Tree(Tree {
                depth: fanouts.len(),
                levels: Vec::new(),
                paths,
                costs: costs.to_vec(),
            }),
        })
    }

    /// The processing entities of a machine that may be used: the first hardware thread of each
    /// core, or with `by_thread` every one. The cost is that of the innermost shared level.
    pub fn of_machine(machine: &Machine, costs: &LevelCosts, by_thread: bool) -> TopologyGraph {
        let mut units: Vec<_> = machine
            .processing_units()
            .iter()
            .filter(|unit| unit.allowed)
            .collect();
        if !by_thread {
            units.dedup_by_key(|unit| unit.core);
        }
        // Levels that the machine does not report would be containers of their own; they are
        // left out, and so are those that do not nest in the ones around them.
        let mut levels: Vec<Level> = Vec::new();
        for level in LEVELS {
            let mut around = HashMap::new();
            let nests = levels.last().is_none_or(|&outer| {
                units.iter().all(|unit| {
                    let container = unit.container(outer);
                    *around.entry(unit.container(level)).or_insert(container) == container
                })
            });
            let last = level == Level::Core && !by_thread;
            if units.iter().all(|unit| unit.container(level).is_some()) && nests {
                levels.push(level);
            }
            if last {
                break;
            }
        }
        let mut by_depth = vec![costs.of(Level::Machine)];
        by_depth.extend(levels.iter().map(|level| costs.of(*level)));
        let paths = units.iter().flat_map(|unit| {
            levels
                .iter()
                .map(|level| unit.container(*level).unwrap_or(0))
        });
        TopologyGraph {
            names: units.iter().map(|unit| unit.os_index).collect(),
            costs: Costs::Tree(Tree {
                depth: levels.len(),
                paths: paths.collect(),
                levels,
                costs: by_depth,
            }),
        }
    }

    /// The same entities, each `copies` times in a row: so many ranks may share one.
    pub fn shared_by(&self, copies: usize) -> TopologyGraph {
        let origin: Vec<usize> = (0..self.len() * copies).map(|at| at / copies).collect();
        self.selected(&origin)
    }

    /// Places `chosen[0]`, `chosen[1]`, ... of this graph as a graph of their own; a place may be
    /// chosen several times.
    pub fn selected(&self, chosen: &[usize]) -> TopologyGraph {
        let costs = match &self.costs {
            Costs::Matrix(matrix) => {
                let mut copy = Matrix::zero(chosen.len());
                for (row, &one) in chosen.iter().enumerate() {
                    for (column, &other) in chosen.iter().enumerate() {
                        copy.set(row, column, matrix.at(one, other));
                    }
                }
                Costs::Matrix(copy)
            }
            Costs::Tree(tree) => Costs::Tree(Tree {
                depth: tree.depth,
                levels: tree.levels.clone(),
                paths: chosen
                    .iter()
                    .flat_map(|&at| tree.path(at))
                    .copied()
                    .collect(),
                costs: tree.costs.clone(),
            }),
        };
        TopologyGraph {
            names: chosen.iter().map(|&at| self.names[at]).collect(),
            costs,
        }
    }

    /// Number of places: entities, each as often as it may be used.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no place.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The operating system's numbers of the places' entities.
    pub fn names(&self) -> &[u32] {
        &self.names
    }

    /// The cost between two places.
    pub fn cost(&self, one: usize, other: usize) -> f64 {
        match &self.costs {
            Costs::Matrix(matrix) => matrix.at(one, other),
            Costs::Tree(tree) => tree.costs[tree.shared(one, other)],
        }
    }

    /// The tree, where it is one.
    pub fn tree(&self) -> Option<&Tree> {
        match &self.costs {
            Costs::Tree(tree) => Some(tree),
            Costs::Matrix(_) => None,
        }
    }

    /// The same with another cost between two entities, both ways.
    ///
    /// # Errors
    ///
    /// [`PlacementError`] if an entity is not there, both are the same, or there are too many for a table.
    pub fn with_link(
        &self,
        entities: (u32, u32),
        change: impl Fn(f64) -> f64,
    ) -> Result<TopologyGraph, PlacementError> {
        let (one, other) = entities;
        let missing = [one, other]
            .into_iter()
            .find(|entity| !self.names.contains(entity));
        if let Some(missing) = missing {
            let mut known = self.names.clone();
            known.dedup();
            return Err(PlacementError::Unknown {
                what: "processing unit",
                name: missing.to_string(),
                known: known
                    .iter()
                    .map(u32::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            });
        }
        if one == other {
            let reason = format!("{one}-{other} is no link: it leads from a unit to itself");
            return Err(PlacementError::Mapping { reason });
        }
        if self.len() > MOST_DENSE {
            return Err(PlacementError::TooLarge {
                size: self.len(),
                most: MOST_DENSE,
            });
        }
        let mut matrix = self.matrix();
        for from in 0..self.len() {
            for to in 0..self.len() {
                let names = (self.names[from], self.names[to]);
                if names == (one, other) || names == (other, one) {
                    matrix.set(from, to, checked(change(matrix.at(from, to)))?);
                }
            }
        }
        TopologyGraph::from_matrix(self.names.clone(), matrix)
    }

    /// The same with another cost of pairs that share nothing nearer than this level.
    ///
    /// # Errors
    ///
    /// [`PlacementError`] if the machine has no such level; one of measured pairs has none.
    pub fn with_level(
        &self,
        name: &str,
        change: impl Fn(f64) -> f64,
    ) -> Result<TopologyGraph, PlacementError> {
        let levels: Vec<String> = self.tree().map_or_else(Vec::new, |tree| {
            (0..=tree.depth())
                .map(|shared| tree.level_name(shared))
                .collect()
        });
        let at = levels.iter().position(|level| level == name);
        let mut graph = self.clone();
        match (&mut graph.costs, at) {
            (Costs::Tree(tree), Some(at)) => tree.costs[at] = checked(change(tree.costs[at]))?,
            _ => {
                let known = if levels.is_empty() {
                    "none on a machine of pairs: change links".to_string()
                } else {
                    levels.join(", ")
                };
                return Err(PlacementError::Unknown {
                    what: "level of the machine",
                    name: name.to_string(),
                    known,
                });
            }
        }
        Ok(graph)
    }

    /// All costs written out.
    pub fn matrix(&self) -> Matrix {
        let mut matrix = Matrix::zero(self.len());
        for one in 0..self.len() {
            for other in 0..self.len() {
                matrix.set(one, other, self.cost(one, other));
            }
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_tree_costs_what_is_shared() {
        let graph = TopologyGraph::uniform(&[2, 2, 2], &[30.0, 10.0, 3.0, 1.0]).unwrap();
        assert_eq!(graph.tree().unwrap().path(5), [1, 2, 5]);
        let from_five: Vec<f64> = (0..8).map(|other| graph.cost(5, other)).collect();
        assert_eq!(from_five, [30.0, 30.0, 30.0, 30.0, 3.0, 1.0, 10.0, 10.0]);
        assert!(graph.matrix().is_symmetric());
        assert_eq!(graph.tree().unwrap().level_name(2), "level 2");
        assert!(TopologyGraph::uniform(&[2], &[1.0]).is_err());
    }

    #[test]
    fn a_machine_gives_its_cores_with_costs_by_level() {
        let machine = Machine::from_description("package:2 l3cache:4 core:8 pu:2").unwrap();
        let costs = LevelCosts::default();
        let graph = TopologyGraph::of_machine(&machine, &costs, false);
        assert_eq!(graph.len(), 64);
        assert_eq!(graph.names()[..3], [0, 2, 4]);
        assert_eq!(graph.cost(0, 1), costs.of(Level::L3Cache));
        // A single NUMA node holds both packages and does not nest in them.
        assert_eq!(graph.cost(0, 8), costs.of(Level::Package));
        assert_eq!(graph.cost(0, 32), costs.of(Level::Machine));
        let tree = graph.tree().unwrap();
        assert_eq!(tree.level_name(tree.shared(0, 32)), "machine");
        assert_eq!(tree.level_name(tree.shared(0, 8)), "package");
        let threads = TopologyGraph::of_machine(&machine, &costs, true);
        assert_eq!(threads.len(), 128);
        assert_eq!(threads.cost(0, 1), costs.of(Level::Core));
        assert_eq!(threads.cost(0, 0), costs.of(Level::ProcessingUnit));
    }

    #[test]
    fn units_that_are_forbidden_are_no_places() {
        let machine = Machine::from_description("core:4 pu:1")
            .unwrap()
            .restricted_to(&[1, 3]);
        let graph = TopologyGraph::of_machine(&machine, &LevelCosts::default(), false);
        assert_eq!(graph.names(), [1, 3]);
    }

    #[test]
    fn several_ranks_may_share_an_entity() {
        let graph = TopologyGraph::uniform(&[2], &[5.0, 1.0])
            .unwrap()
            .shared_by(2);
        assert_eq!(graph.names(), [0, 0, 1, 1]);
        assert_eq!(graph.cost(0, 1), 1.0);
        assert_eq!(graph.cost(1, 2), 5.0);
        let matrix = Matrix::from_rows(2, vec![1.0, 5.0, 6.0, 1.0]).unwrap();
        let graph = TopologyGraph::from_matrix(vec![4, 7], matrix)
            .unwrap()
            .shared_by(2);
        assert_eq!(graph.names(), [4, 4, 7, 7]);
        assert_eq!((graph.cost(0, 3), graph.cost(3, 0)), (5.0, 6.0));
    }

    #[test]
    fn costs_of_levels_are_read_from_text() {
        let costs = LevelCosts::default()
            .changed_by("machine=40, l3cache=7")
            .unwrap();
        assert_eq!(costs.of(Level::Machine), 40.0);
        assert_eq!(costs.of(Level::L3Cache), 7.0);
        let error = LevelCosts::default().changed_by("rack=3").unwrap_err();
        assert!(
            error.to_string().contains("\"rack\"; there are machine"),
            "{error}"
        );
        assert!(LevelCosts::default().changed_by("core=-1").is_err());
    }
}
