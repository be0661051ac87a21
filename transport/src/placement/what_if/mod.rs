//! What a change of the machine or of the job would bring.
//!
//! What: the cost of a mapping by edge and by level of the machine, and what it would be with a
//! faster link, one more processing entity, or more processes; and changes that somebody names ([`change`]). Why: a mapping also tells what is
//! wrong with the machine: the edges that stay dear are the links worth buying.
//!
//! Step before: a [`super::Solution`]. Step after: a table for people (`pamir place --what-if`).
//! Invariant: nothing is guessed: every figure is the true cost of a problem that was written out.

pub mod change;

use std::collections::BTreeMap;

use super::problem::{Edge, Problem};

/// A pair of processes and what it costs where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeCost {
    /// Both directions' ranks, the lower first.
    pub ranks: (u32, u32),
    /// Their places.
    pub places: (u32, u32),
    /// The cost of both directions.
    pub cost: f64,
}

/// The cost of every pair of processes, the dearest first.
pub fn cost_by_edge(problem: &Problem, places: &[u32]) -> Vec<EdgeCost> {
    let mut costs: Vec<EdgeCost> = problem
        .edges()
        .iter()
        .map(|edge| of_edge(problem, edge, places))
        .collect();
    costs.sort_by_key(|edge| edge.ranks);
    costs.dedup_by(|later, kept| {
        let same = later.ranks == kept.ranks;
        if same {
            kept.cost += later.cost;
        }
        same
    });
    costs.sort_by(|one, other| {
        other
            .cost
            .total_cmp(&one.cost)
            .then(one.ranks.cmp(&other.ranks))
    });
    costs
}

fn of_edge(problem: &Problem, edge: &Edge, places: &[u32]) -> EdgeCost {
    let (from, to) = (places[edge.from as usize], places[edge.to as usize]);
    let (ranks, places) = if edge.from <= edge.to {
        ((edge.from, edge.to), (from, to))
    } else {
        ((edge.to, edge.from), (to, from))
    };
    EdgeCost {
        ranks,
        places,
        cost: problem.edge_cost(edge, from, to),
    }
}

/// A link between two processing entities, and what the job would save if it were as fast as the
/// fastest link between two different ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkGain {
    /// The entities' numbers, the lower first.
    pub units: (u32, u32),
    /// What its traffic costs now.
    pub cost: f64,
    /// How much less it would cost.
    pub saved: f64,
}

/// The links whose improvement would help most, the best first. Ranks that share an entity need no
/// link.
pub fn gain_by_link(problem: &Problem, places: &[u32]) -> Vec<LinkGain> {
    let fastest = fastest_link(problem);
    let names = problem.topology().names();
    let mut links: BTreeMap<(u32, u32), LinkGain> = BTreeMap::new();
    for edge in problem.edges() {
        let found = of_edge(problem, edge, places);
        let (one, other) = (
            names[found.places.0 as usize],
            names[found.places.1 as usize],
        );
        if one == other {
            continue;
        }
        let units = (one.min(other), one.max(other));
        let improved = problem.function().of(edge.weight, fastest).min(found.cost);
        let link = links.entry(units).or_insert(LinkGain {
            units,
            cost: 0.0,
            saved: 0.0,
        });
        link.cost += found.cost;
        link.saved += found.cost - improved;
    }
    let mut links: Vec<LinkGain> = links.into_values().collect();
    links.sort_by(|one, other| other.saved.total_cmp(&one.saved));
    links
}

/// A processing entity, and what the job would save if all its links were as fast as the fastest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitGain {
    /// Its number.
    pub unit: u32,
    /// What the traffic over its links costs now.
    pub cost: f64,
    /// How much less it would cost.
    pub saved: f64,
}

/// The entities whose links' improvement would help most, the best first.
pub fn gain_by_unit(links: &[LinkGain]) -> Vec<UnitGain> {
    let mut units: BTreeMap<u32, UnitGain> = BTreeMap::new();
    for link in links {
        for unit in [link.units.0, link.units.1] {
            let gain = units.entry(unit).or_insert(UnitGain {
                unit,
                cost: 0.0,
                saved: 0.0,
            });
            gain.cost += link.cost;
            gain.saved += link.saved;
        }
    }
    let mut units: Vec<UnitGain> = units.into_values().collect();
    units.sort_by(|one, other| other.saved.total_cmp(&one.saved));
    units
}

/// The lowest cost between two different entities.
fn fastest_link(problem: &Problem) -> f64 {
    let topology = problem.topology();
    let names = topology.names();
    let differ = |one: usize, other: usize| names[one] != names[other];
    if topology.tree().is_some() {
        // In a tree, what lies beside a place is as near to it as anything.
        let neighbours = (1..topology.len()).filter(|&place| differ(place - 1, place));
        return neighbours
            .map(|place| topology.cost(place - 1, place))
            .fold(f64::INFINITY, f64::min);
    }
    let mut fastest = f64::INFINITY;
    for one in 0..topology.len() {
        for other in (0..topology.len()).filter(|&other| differ(one, other)) {
            fastest = fastest.min(topology.cost(one, other));
        }
    }
    fastest
}

/// The cost by how many containers the ends of an edge share, outermost first; empty where the
/// machine is no tree.
pub fn cost_by_level(problem: &Problem, places: &[u32]) -> Vec<f64> {
    let Some(tree) = problem.topology().tree() else {
        return Vec::new();
    };
    let mut costs = vec![0.0; tree.depth() + 1];
    for edge in problem.edges() {
        let (from, to) = (places[edge.from as usize], places[edge.to as usize]);
        costs[tree.shared(from as usize, to as usize)] += problem.edge_cost(edge, from, to);
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::super::{EdgeFunction, TopologyGraph};
    use super::*;

    fn problem() -> Problem {
        let topology = TopologyGraph::uniform(&[2, 2], &[10.0, 2.0, 1.0]).unwrap();
        let edges = [(0, 1, 3.0), (1, 0, 1.0), (0, 2, 5.0), (2, 3, 1.0)];
        let edges = edges.map(|(from, to, weight)| Edge { from, to, weight });
        Problem::from_edges(4, edges.to_vec(), &topology, EdgeFunction::PRODUCT).unwrap()
    }

    #[test]
    fn the_dearest_edge_comes_first() {
        let costs = cost_by_edge(&problem(), &[0, 1, 2, 3]);
        let listed: Vec<_> = costs.iter().map(|edge| (edge.ranks, edge.cost)).collect();
        assert_eq!(listed, [((0, 2), 50.0), ((0, 1), 8.0), ((2, 3), 2.0)]);
        assert_eq!(
            costs.iter().map(|edge| edge.cost).sum::<f64>(),
            problem().cost_of(&[0, 1, 2, 3])
        );
    }

    #[test]
    fn a_link_saves_what_it_costs_more_than_the_fastest() {
        let links = gain_by_link(&problem(), &[0, 1, 2, 3]);
        assert_eq!(links[0].units, (0, 2));
        assert_eq!((links[0].cost, links[0].saved), (50.0, 40.0));
        assert_eq!(links[1].saved, 0.0);
        let units = gain_by_unit(&links);
        let told: Vec<_> = units.iter().map(|unit| (unit.unit, unit.saved)).collect();
        assert_eq!(told, [(0, 40.0), (2, 40.0), (1, 0.0), (3, 0.0)]);
        assert_eq!(units[0].cost, 50.0 + 8.0);
    }

    #[test]
    fn ranks_on_shared_units_use_one_link_and_none_among_themselves() {
        let topology = TopologyGraph::uniform(&[2, 2], &[10.0, 2.0, 1.0]).unwrap();
        let topology = topology.selected(&[0, 0, 2, 2]);
        let edges = [(0, 1, 7.0), (0, 2, 1.0), (1, 3, 2.0), (2, 3, 4.0)];
        let edges = edges.map(|(from, to, weight)| Edge { from, to, weight });
        let problem =
            Problem::from_edges(4, edges.to_vec(), &topology, EdgeFunction::PRODUCT).unwrap();
        let links = gain_by_link(&problem, &[0, 1, 2, 3]);
        assert_eq!(links.len(), 1);
        // The only link is the fastest one: its speed is what there is.
        assert_eq!((links[0].units, links[0].cost), ((0, 2), 30.0));
        assert_eq!(links[0].saved, 0.0);
    }

    #[test]
    fn levels_add_up_to_the_whole() {
        assert_eq!(cost_by_level(&problem(), &[0, 1, 2, 3]), [50.0, 10.0, 0.0]);
        assert_eq!(
            cost_by_level(&problem(), &[0, 2, 1, 3]),
            [40.0 + 10.0, 10.0, 0.0]
        );
    }
}
