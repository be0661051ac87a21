//! A placement problem: processes with weights, places with costs, and the cost of a mapping.
//!
//! What: equation 1. The cost of a mapping `M` is the sum over all ordered pairs of processes that
//! communicate of `f(w(i,j), d(M(i),M(j)))`. Where there are fewer processes than places, dummy
//! processes, which send nothing, take the rest; where there are fewer places, every entity is
//! used by several processes (dummy places, dealt to the entities in turn), so that none is left
//! without one. The edges are kept sparse; [`Problem::dense`] writes them out for the searches
//! that want a table of all pairs.
//!
//! Step before: [`super::communication`], [`super::topology`]. Step after: [`super::search`].
//! Invariants: as many processes as places; weights and costs are finite and at least 0; `f` is
//! asked only for pairs that communicate.

use std::sync::OnceLock;

use super::matrix::MOST_DENSE;
use super::{CommunicationGraph, Mapping, Matrix, PlacementError, TopologyGraph, Weight, matrix};

/// What a weight and a cost make together: the `f` of equation 1.
#[derive(Debug, Clone, Copy)]
pub struct EdgeFunction {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    function: fn(f64, f64) -> f64,
    product: bool,
}

impl EdgeFunction {
    /// The product of weight and cost, which the document gives as its example.
    pub const PRODUCT: EdgeFunction = EdgeFunction {
        name: "product",
        about: "weight times cost",
        function: |weight, cost| weight * cost,
        product: true,
    };

    /// Any function; it must give finite numbers.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        function: fn(f64, f64) -> f64,
    ) -> EdgeFunction {
        EdgeFunction {
            name,
            about,
            function,
            product: false,
        }
    }

    /// Its value.
    pub fn of(&self, weight: f64, cost: f64) -> f64 {
        (self.function)(weight, cost)
    }

    /// Whether it is the product, for which gains can be updated by additions alone.
    pub fn is_product(&self) -> bool {
        self.product
    }

    /// The function of this name.
    pub fn named(name: &str) -> Result<EdgeFunction, PlacementError> {
        let found = EDGE_FUNCTIONS.iter().find(|known| known.name == name);
        found.copied().ok_or_else(|| PlacementError::Unknown {
            what: "edge function",
            name: name.to_string(),
            known: EDGE_FUNCTIONS.map(|known| known.name).join(", "),
        })
    }
}

/// Functions that can be asked for by name.
pub const EDGE_FUNCTIONS: [EdgeFunction; 3] = [
    EdgeFunction::PRODUCT,
    EdgeFunction::new(
        "squared-cost",
        "weight times the square of the cost: far edges hurt more",
        |weight, cost| weight * cost * cost,
    ),
    EdgeFunction::new(
        "squared-weight",
        "square of the weight times cost: heavy edges hurt more",
        |weight, cost| weight * weight * cost,
    ),
];

/// A directed edge with its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// How much.
    pub weight: f64,
}

/// The problem written out for every pair.
#[derive(Debug)]
pub struct Dense {
    /// Weights by process.
    pub weights: Matrix,
    /// Costs by place.
    pub costs: Matrix,
}

/// Processes, places, and what a mapping of the ones to the others costs.
#[derive(Debug)]
pub struct Problem {
    ranks: usize,
    edges: Vec<Edge>,
    topology: TopologyGraph,
    function: EdgeFunction,
    dense: OnceLock<Dense>,
}

impl Problem {
    /// The problem of placing the graph's ranks.
    pub fn new(
        communication: &CommunicationGraph,
        weight: Weight,
        topology: &TopologyGraph,
        function: EdgeFunction,
    ) -> Result<Problem, PlacementError> {
        let edges = communication.entries().iter().map(|entry| Edge {
            from: entry.origin,
            to: entry.target,
            weight: weight.of(entry.traffic),
        });
        Problem::from_edges(communication.ranks(), edges.collect(), topology, function)
    }

    /// From a matrix of weights, as a problem of a library gives it.
    pub fn from_matrix(
        weights: &Matrix,
        topology: &TopologyGraph,
        function: EdgeFunction,
    ) -> Result<Problem, PlacementError> {
        let size = weights.size() as u32;
        let pairs = (0..size).flat_map(|from| (0..size).map(move |to| (from, to)));
        let edges = pairs.map(|(from, to)| Edge {
            from,
            to,
            weight: weights.at(from as usize, to as usize),
        });
        let edges = edges.filter(|edge| edge.weight != 0.0).collect();
        Problem::from_edges(weights.size(), edges, topology, function)
    }

    /// From edges between `ranks` processes.
    pub fn from_edges(
        ranks: usize,
        edges: Vec<Edge>,
        topology: &TopologyGraph,
        function: EdgeFunction,
    ) -> Result<Problem, PlacementError> {
        for (what, count) in [("rank", ranks), ("processing entity", topology.len())] {
            if count == 0 {
                return Err(PlacementError::Nothing { what });
            }
        }
        for edge in &edges {
            let rank = edge.from.max(edge.to) as usize;
            if rank >= ranks {
                return Err(PlacementError::NoSuchRank { rank, ranks });
            }
            if !matrix::valid(edge.weight) {
                return Err(PlacementError::Number {
                    what: format!("the weight from rank {} to rank {}", edge.from, edge.to),
                    value: edge.weight,
                });
            }
        }
        // Neighbouring ranks share an entity in the default order, as launchers fill them.
        let topology = if ranks > topology.len() {
            let chosen: Vec<usize> = (0..ranks).map(|at| at * topology.len() / ranks).collect();
            topology.selected(&chosen)
        } else {
            topology.clone()
        };
        Ok(Problem {
            ranks,
            edges,
            topology,
            function,
            dense: OnceLock::new(),
        })
    }

    /// Processes that exist; the ones after them are dummies.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Number of places, which is that of processes with the dummies.
    pub fn size(&self) -> usize {
        self.topology.len()
    }

    /// The edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The places; more than those of the machine where ranks share them.
    pub fn topology(&self) -> &TopologyGraph {
        &self.topology
    }

    /// The function that makes a cost of weight and distance.
    pub fn function(&self) -> &EdgeFunction {
        &self.function
    }

    /// The cost of one edge if its ends are on these places.
    pub fn edge_cost(&self, edge: &Edge, from_place: u32, to_place: u32) -> f64 {
        let cost = self.topology.cost(from_place as usize, to_place as usize);
        self.function.of(edge.weight, cost)
    }

    /// The true cost of a list of places: equation 1, from nothing.
    pub fn cost_of(&self, places: &[u32]) -> f64 {
        let cost = |edge: &Edge| {
            self.edge_cost(edge, places[edge.from as usize], places[edge.to as usize])
        };
        self.edges.iter().map(cost).sum()
    }

    /// The true cost of a mapping.
    pub fn cost(&self, mapping: &Mapping) -> Result<f64, PlacementError> {
        if mapping.places().len() != self.size() {
            return Err(PlacementError::Size {
                what: "the mapping",
                found: mapping.places().len(),
                expected: self.size(),
            });
        }
        Ok(self.cost_of(mapping.places()))
    }

    /// Weights and costs of all pairs, written out at the first call.
    pub fn dense(&self) -> Result<&Dense, PlacementError> {
        if self.size() > MOST_DENSE {
            return Err(PlacementError::TooLarge {
                size: self.size(),
                most: MOST_DENSE,
            });
        }
        Ok(self.dense.get_or_init(|| {
            let mut weights = Matrix::zero(self.size());
            for edge in &self.edges {
                let (from, to) = (edge.from as usize, edge.to as usize);
                weights.set(from, to, weights.at(from, to) + edge.weight);
            }
            Dense {
                weights,
                costs: self.topology.matrix(),
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Both matrices written as loops over all pairs: nothing is shared with what is tested.
    fn by_definition(weights: &Matrix, costs: &Matrix, places: &[u32]) -> f64 {
        let mut sum = 0.0;
        for i in 0..weights.size() {
            for j in 0..weights.size() {
                sum += weights.at(i, j) * costs.at(places[i] as usize, places[j] as usize);
            }
        }
        sum
    }

    #[test]
    fn equation_1_by_hand() {
        // Two edges: 0 sends 10 to 1, 2 sends 1 to 0.
        let weights = Matrix::from_rows(3, vec![0., 10., 0., 0., 0., 0., 1., 0., 0.]).unwrap();
        let costs = Matrix::from_rows(3, vec![0., 5., 2., 5., 0., 7., 3., 7., 0.]).unwrap();
        let topology = TopologyGraph::from_matrix(vec![0, 1, 2], costs).unwrap();
        let problem = Problem::from_matrix(&weights, &topology, EdgeFunction::PRODUCT).unwrap();
        assert_eq!(problem.cost_of(&[0, 1, 2]), 10. * 5. + 3.);
        assert_eq!(problem.cost_of(&[0, 2, 1]), 10. * 2. + 5.);
        let squared = EdgeFunction::named("squared-cost").unwrap();
        let problem = Problem::from_matrix(&weights, &topology, squared).unwrap();
        assert_eq!(problem.cost_of(&[0, 2, 1]), 10. * 4. + 25.);
        let known = EdgeFunction::named("cube").unwrap_err().to_string();
        assert!(known.contains("product, squared-cost"), "{known}");
    }

    #[test]
    fn dummies_fill_either_side() {
        let edges = vec![Edge {
            from: 0,
            to: 1,
            weight: 4.0,
        }];
        let topology = TopologyGraph::uniform(&[2, 2], &[9.0, 3.0, 1.0]).unwrap();
        let new = |ranks| {
            Problem::from_edges(ranks, edges.clone(), &topology, EdgeFunction::PRODUCT).unwrap()
        };
        // Two ranks on four places: dummy processes take the rest and cost nothing.
        assert_eq!((new(2).ranks(), new(2).size()), (2, 4));
        assert_eq!(new(2).cost_of(&[0, 1, 2, 3]), 12.0);
        assert_eq!(new(2).cost_of(&[0, 2, 1, 3]), 36.0);
        // Six ranks: two entities have two, the others one.
        assert_eq!(new(6).topology().names(), [0, 0, 1, 2, 2, 3]);
        assert_eq!(new(6).cost_of(&[0, 1, 2, 3, 4, 5]), 4.0);
    }

    #[test]
    fn what_cannot_be_placed_is_refused() {
        let topology = TopologyGraph::uniform(&[2], &[2.0, 1.0]).unwrap();
        let new = |ranks, edge| {
            Problem::from_edges(ranks, vec![edge], &topology, EdgeFunction::PRODUCT)
                .unwrap_err()
                .to_string()
        };
        let edge = Edge {
            from: 0,
            to: 5,
            weight: 1.0,
        };
        assert!(new(0, edge).contains("no rank"), "{}", new(0, edge));
        assert!(new(2, edge).contains("rank 5 does not exist"));
        let edge = Edge {
            from: 0,
            to: 1,
            weight: f64::NAN,
        };
        assert!(new(2, edge).contains("NaN"), "{}", new(2, edge));
    }

    proptest! {
        #[test]
        fn the_sparse_sum_is_that_of_all_pairs(
            weights in prop::collection::vec(0..9u8, 36),
            costs in prop::collection::vec(0..9u8, 36),
            seed in any::<u64>(),
        ) {
            let matrix = |values: &[u8]| {
                Matrix::from_rows(6, values.iter().map(|&value| f64::from(value)).collect()).unwrap()
            };
            let (weights, costs) = (matrix(&weights), matrix(&costs));
            let topology = TopologyGraph::from_matrix((0..6).collect(), costs.clone()).unwrap();
            let problem = Problem::from_matrix(&weights, &topology, EdgeFunction::PRODUCT).unwrap();
            let places = super::super::random::Random::new(seed).permutation(6);
            prop_assert_eq!(problem.cost_of(&places), by_definition(&weights, &costs, &places));
            prop_assert_eq!(&problem.dense().unwrap().weights, &weights);
            prop_assert_eq!(&problem.dense().unwrap().costs, &costs);
        }
    }
}
