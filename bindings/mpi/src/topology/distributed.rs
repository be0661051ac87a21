//! Distributed graphs (MPI-5.0 section 8.5.4): each rank knows its own edges only.
//!
//! `MPI_Dist_graph_create_adjacent` gives each rank just what it keeps.
//! `MPI_Dist_graph_create` lets any rank name any edge: the ranks exchange their
//! [`EdgeList`]s, and each one picks its own edges out of all of them.
//!
//! ```text
//! EdgeList   sources       s0        s1          to_words: sources, degrees, edges, weighted,
//!            degrees       2         1                     then each list
//!            destinations  d0 d1     d2
//!            weights       w0 w1     w2          edges s0 -> d0, s0 -> d1, s1 -> d2
//! ```
//!
//! Invariant: all ranks walk the lists in the order of contributing ranks, so the
//! k-th of several edges between the same two ranks is the same one for both.

use super::error::{TopologyError, checked_rank};

/// The edges that one rank names in `MPI_Dist_graph_create`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// The ranks that edges lead from.
    pub sources: Vec<i32>,
    /// How many edges each of them has here.
    pub degrees: Vec<i32>,
    /// The ranks that the edges lead to, source by source.
    pub destinations: Vec<i32>,
    /// The edges' weights; `None` is `MPI_UNWEIGHTED`.
    pub weights: Option<Vec<i32>>,
}

/// One edge: source, destination, weight.
type Edge = (usize, usize, i32);

impl EdgeList {
    /// Checks the list for a communicator of `ranks`: each rank can do so before any is sent.
    ///
    /// # Errors
    ///
    /// [`TopologyError::Length`], [`TopologyError::Degree`],
    /// [`TopologyError::NoSuchRank`], [`TopologyError::Weight`].
    pub fn check(&self, ranks: usize) -> Result<(), TopologyError> {
        same_length("degrees", self.degrees.len(), self.sources.len())?;
        let mut edges = 0;
        for (entry, &degree) in self.degrees.iter().enumerate() {
            edges +=
                usize::try_from(degree).map_err(|_| TopologyError::Degree { entry, degree })?;
        }
        same_length("destinations", self.destinations.len(), edges)?;
        for &rank in self.sources.iter().chain(&self.destinations) {
            checked_rank(rank, ranks)?;
        }
        check_weights(self.weights.as_deref(), edges)
    }

    /// The edges of a checked list.
    fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let sources = self.sources.iter().zip(&self.degrees);
        sources
            .flat_map(|(&source, &degree)| std::iter::repeat_n(source as usize, degree as usize))
            .zip(&self.destinations)
            .enumerate()
            .map(|(edge, (source, &destination))| {
                let weight = self.weights.as_ref().map_or(0, |weights| weights[edge]);
                (source, destination as usize, weight)
            })
    }

    /// The edges of a checked list: from, to, and the weight, which is 1 where there are none.
    pub fn weighted_edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let unweighted = self.weights.is_none();
        self.edges().map(move |(from, to, weight)| {
            (from, to, if unweighted { 1.0 } else { f64::from(weight) })
        })
    }

    /// The list as words, to be sent to the other ranks.
    pub fn to_words(&self) -> Vec<i32> {
        let weights = self.weights.as_deref();
        let header = [
            self.sources.len() as i32,
            self.destinations.len() as i32,
            i32::from(weights.is_some()),
        ];
        [
            &header,
            &self.sources[..],
            &self.degrees,
            &self.destinations,
            weights.unwrap_or(&[]),
        ]
        .concat()
    }

    /// The list that [`to_words`](Self::to_words) made words of; what it says is still to be checked.
    ///
    /// # Errors
    ///
    /// [`TopologyError::Malformed`].
    pub fn from_words(words: &[i32]) -> Result<Self, TopologyError> {
        let malformed = TopologyError::Malformed { words: words.len() };
        let [sources, edges, weighted, rest @ ..] = words else {
            return Err(malformed);
        };
        let mut rest = rest;
        let mut take = |length: i32| -> Result<Vec<i32>, TopologyError> {
            let length = usize::try_from(length).map_err(|_| malformed)?;
            let (taken, behind) = rest.split_at_checked(length).ok_or(malformed)?;
            rest = behind;
            Ok(taken.to_vec())
        };
        let list = Self {
            sources: take(*sources)?,
            degrees: take(*sources)?,
            destinations: take(*edges)?,
            weights: if *weighted == 0 {
                None
            } else {
                Some(take(*edges)?)
            },
        };
        if rest.is_empty() {
            Ok(list)
        } else {
            Err(malformed)
        }
    }
}

/// Weights of the edges in, and of those out.
type EdgeWeights = (Box<[i32]>, Box<[i32]>);

/// One rank's edges in a distributed graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistributedGraph {
    sources: Box<[usize]>,
    destinations: Box<[usize]>,
    /// `None` where edges have no weights.
    weights: Option<EdgeWeights>,
}

impl DistributedGraph {
    /// The edges a rank names for itself (`MPI_Dist_graph_create_adjacent`), in a
    /// communicator of `ranks`. Weights are given for both directions or for none.
    ///
    /// # Errors
    ///
    /// [`TopologyError::NoSuchRank`], [`TopologyError::Length`],
    /// [`TopologyError::Weight`].
    pub fn adjacent(
        sources: &[i32],
        destinations: &[i32],
        weights: Option<(&[i32], &[i32])>,
        ranks: usize,
    ) -> Result<Self, TopologyError> {
        let check = |list: &[i32]| -> Result<Box<[usize]>, TopologyError> {
            list.iter().map(|&rank| checked_rank(rank, ranks)).collect()
        };
        check_weights(weights.map(|both| both.0), sources.len())?;
        check_weights(weights.map(|both| both.1), destinations.len())?;
        Ok(Self {
            sources: check(sources)?,
            destinations: check(destinations)?,
            weights: weights.map(|(into, out)| (into.into(), out.into())),
        })
    }

    /// These edges as words, to be sent to the other ranks: both degrees, whether there are
    /// weights, then each list.
    pub fn to_words(&self) -> Vec<i32> {
        let ranks = |list: &[usize]| list.iter().map(|&rank| rank as i32).collect::<Vec<_>>();
        let degrees = [self.sources.len() as i32, self.destinations.len() as i32];
        let mut words = degrees.to_vec();
        words.push(i32::from(self.is_weighted()));
        words.extend(ranks(&self.sources));
        words.extend(ranks(&self.destinations));
        words.extend(self.source_weights().unwrap_or(&[]));
        words.extend(self.destination_weights().unwrap_or(&[]));
        words
    }

    /// The edges that [`to_words`](Self::to_words) made words of, in a communicator of `ranks`.
    ///
    /// # Errors
    ///
    /// [`TopologyError::Malformed`], and those of [`adjacent`](Self::adjacent).
    pub fn from_words(words: &[i32], ranks: usize) -> Result<Self, TopologyError> {
        let malformed = TopologyError::Malformed { words: words.len() };
        let [into, out, weighted, rest @ ..] = words else {
            return Err(malformed);
        };
        let degree = |degree: i32| usize::try_from(degree).map_err(|_| malformed);
        let (into, out) = (degree(*into)?, degree(*out)?);
        let (sources, rest) = rest.split_at_checked(into).ok_or(malformed)?;
        let (destinations, rest) = rest.split_at_checked(out).ok_or(malformed)?;
        let weights = match (weighted, rest.len()) {
            (0, 0) => None,
            (1, length) if length == into + out => Some(rest.split_at(into)),
            _ => return Err(malformed),
        };
        Self::adjacent(sources, destinations, weights, ranks)
    }

    /// The edges of `rank` among those that all ranks name (`MPI_Dist_graph_create`);
    /// `contributions[r]` is what rank r named. A rank that names no edge has no say
    /// in whether edges have weights, unless none names any.
    ///
    /// # Errors
    ///
    /// Those of [`EdgeList::check`], and [`TopologyError::MixedWeights`]: the same on every rank.
    pub fn from_contributions(
        rank: usize,
        contributions: &[EdgeList],
    ) -> Result<Self, TopologyError> {
        let mut weighted = None;
        for (contributor, list) in contributions.iter().enumerate() {
            list.check(contributions.len())?;
            let has_weights = list.weights.is_some();
            if !list.destinations.is_empty() && *weighted.get_or_insert(has_weights) != has_weights
            {
                return Err(TopologyError::MixedWeights { rank: contributor });
            }
        }
        let weighted =
            weighted.unwrap_or_else(|| contributions.iter().any(|list| list.weights.is_some()));
        let (mut into, mut out) = (Vec::new(), Vec::new());
        for (source, destination, weight) in contributions.iter().flat_map(EdgeList::edges) {
            if destination == rank {
                into.push((source, weight));
            }
            if source == rank {
                out.push((destination, weight));
            }
        }
        let (sources, weights_in): (Vec<_>, Vec<_>) = into.into_iter().unzip();
        let (destinations, weights_out): (Vec<_>, Vec<_>) = out.into_iter().unzip();
        Ok(Self {
            sources: sources.into(),
            destinations: destinations.into(),
            weights: weighted.then(|| (weights_in.into(), weights_out.into())),
        })
    }

    /// The ranks that edges lead here from; their number is the indegree.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// The ranks that edges lead to from here; their number is the outdegree.
    pub fn destinations(&self) -> &[usize] {
        &self.destinations
    }

    /// Whether edges have weights (`MPI_Dist_graph_neighbors_count`).
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Weights of the edges from [`sources`](Self::sources), in their order.
    pub fn source_weights(&self) -> Option<&[i32]> {
        self.weights.as_ref().map(|both| &*both.0)
    }

    /// Weights of the edges to [`destinations`](Self::destinations), in their order.
    pub fn destination_weights(&self) -> Option<&[i32]> {
        self.weights.as_ref().map(|both| &*both.1)
    }
}

/// Checks that a list is as long as another makes it.
fn same_length(what: &'static str, got: usize, expected: usize) -> Result<(), TopologyError> {
    if got == expected {
        Ok(())
    } else {
        Err(TopologyError::Length {
            what,
            got,
            expected,
        })
    }
}

/// Checks that there is a weight for each edge, and none is negative.
fn check_weights(weights: Option<&[i32]>, edges: usize) -> Result<(), TopologyError> {
    let Some(weights) = weights else {
        return Ok(());
    };
    same_length("weights", weights.len(), edges)?;
    match weights.iter().position(|&weight| weight < 0) {
        Some(edge) => Err(TopologyError::Weight {
            edge,
            weight: weights[edge],
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(sources: &[i32], degrees: &[i32], destinations: &[i32], weights: &[i32]) -> EdgeList {
        EdgeList {
            sources: sources.to_vec(),
            degrees: degrees.to_vec(),
            destinations: destinations.to_vec(),
            weights: Some(weights.to_vec()),
        }
    }

    #[test]
    fn own_edges_survive_the_way_as_words() {
        for weights in [None, Some((&[7][..], &[8, 9][..]))] {
            let graph = DistributedGraph::adjacent(&[2], &[0, 1], weights, 3).unwrap();
            let words = graph.to_words();
            assert_eq!(DistributedGraph::from_words(&words, 3), Ok(graph));
            assert!(DistributedGraph::from_words(&words, 2).is_err());
            let cut = DistributedGraph::from_words(&words[..words.len() - 1], 3);
            assert!(matches!(cut, Err(TopologyError::Malformed { .. })));
        }
    }

    #[test]
    fn each_rank_finds_its_edges_whoever_named_them() {
        // Rank 1 names edges of ranks 0 and 2; rank 2 names one from 0 to itself.
        let all = [
            list(&[], &[], &[], &[]),
            list(&[0, 2], &[2, 1], &[1, 2, 0], &[10, 20, 30]),
            list(&[0], &[1], &[2], &[40]),
        ];
        let graph = |rank| DistributedGraph::from_contributions(rank, &all).unwrap();
        assert_eq!(graph(0).destinations(), [1, 2, 2]);
        assert_eq!(graph(0).destination_weights(), Some(&[10, 20, 40][..]));
        assert_eq!(
            (graph(0).sources(), graph(0).source_weights()),
            (&[2][..], Some(&[30][..]))
        );
        assert_eq!(
            (graph(1).sources(), graph(1).destinations()),
            (&[0][..], &[][..])
        );
        assert_eq!(
            (graph(2).sources(), graph(2).source_weights()),
            (&[0, 0][..], Some(&[20, 40][..]))
        );
    }

    #[test]
    fn weights_are_everyones_or_no_one_s() {
        let unweighted = EdgeList {
            weights: None,
            ..list(&[0], &[1], &[1], &[])
        };
        let nothing = EdgeList::default();
        let weighted = list(&[1], &[1], &[0], &[5]);
        let make = |all: &[EdgeList]| DistributedGraph::from_contributions(0, all);
        assert_eq!(
            make(&[nothing.clone(), weighted.clone(), unweighted.clone()]),
            Err(TopologyError::MixedWeights { rank: 2 })
        );
        assert!(make(&[nothing.clone(), weighted]).unwrap().is_weighted());
        assert!(
            !make(&[list(&[], &[], &[], &[]), unweighted])
                .unwrap()
                .is_weighted()
        );
        assert!(!make(&[nothing.clone(), nothing]).unwrap().is_weighted());
        assert!(make(&[list(&[], &[], &[], &[])]).unwrap().is_weighted());
    }

    #[test]
    fn wrong_lists_are_refused() {
        let error = |list: EdgeList| list.check(2).unwrap_err();
        let no_such_rank = |rank| TopologyError::NoSuchRank { rank, size: 2 };
        assert!(matches!(
            error(list(&[0], &[], &[], &[])),
            TopologyError::Length { .. }
        ));
        assert!(matches!(
            error(list(&[0], &[2], &[1], &[1])),
            TopologyError::Length { .. }
        ));
        assert!(matches!(
            error(list(&[0], &[1], &[1], &[])),
            TopologyError::Length { .. }
        ));
        assert_eq!(
            error(list(&[0], &[-1], &[], &[])),
            TopologyError::Degree {
                entry: 0,
                degree: -1
            }
        );
        assert_eq!(error(list(&[2], &[0], &[], &[])), no_such_rank(2));
        assert_eq!(error(list(&[0], &[1], &[-1], &[0])), no_such_rank(-1));
        assert_eq!(
            error(list(&[0], &[1], &[1], &[-3])),
            TopologyError::Weight {
                edge: 0,
                weight: -3
            }
        );
    }

    #[test]
    fn adjacent_edges_are_kept_as_given() {
        let weights = Some((&[1, 2][..], &[3][..]));
        let graph = DistributedGraph::adjacent(&[1, 0], &[1], weights, 2).unwrap();
        assert_eq!(
            (graph.sources(), graph.destinations()),
            (&[1, 0][..], &[1][..])
        );
        assert_eq!(graph.source_weights(), Some(&[1, 2][..]));
        assert_eq!(graph.destination_weights(), Some(&[3][..]));
        assert!(
            !DistributedGraph::adjacent(&[], &[], None, 2)
                .unwrap()
                .is_weighted()
        );
        assert_eq!(
            DistributedGraph::adjacent(&[2], &[], None, 2),
            Err(TopologyError::NoSuchRank { rank: 2, size: 2 })
        );
        assert!(matches!(
            DistributedGraph::adjacent(&[1], &[], Some((&[], &[])), 2),
            Err(TopologyError::Length { .. })
        ));
    }

    fn edge_list() -> impl Strategy<Value = EdgeList> {
        let source = (0i32..4, prop::collection::vec((0i32..4, 0i32..100), 0..4));
        prop::collection::vec(source, 0..4).prop_map(|sources| EdgeList {
            degrees: sources
                .iter()
                .map(|(_, edges)| edges.len() as i32)
                .collect(),
            destinations: sources
                .iter()
                .flat_map(|(_, e)| e.iter().map(|e| e.0))
                .collect(),
            weights: Some(
                sources
                    .iter()
                    .flat_map(|(_, e)| e.iter().map(|e| e.1))
                    .collect(),
            ),
            sources: sources.into_iter().map(|(source, _)| source).collect(),
        })
    }

    proptest! {
        #[test]
        fn both_ends_agree_on_every_edge(all in prop::collection::vec(edge_list(), 4)) {
            let graphs: Vec<_> = (0..4)
                .map(|rank| DistributedGraph::from_contributions(rank, &all).unwrap())
                .collect();
            let edges: usize = all.iter().map(|list| list.destinations.len()).sum();
            prop_assert_eq!(graphs.iter().map(|g| g.sources().len()).sum::<usize>(), edges);
            for (a, from) in graphs.iter().enumerate() {
                for (b, to) in graphs.iter().enumerate() {
                    let out: Vec<i32> = from.destinations().iter()
                        .zip(from.destination_weights().unwrap())
                        .filter(|edge| *edge.0 == b).map(|edge| *edge.1).collect();
                    let into: Vec<i32> = to.sources().iter()
                        .zip(to.source_weights().unwrap())
                        .filter(|edge| *edge.0 == a).map(|edge| *edge.1).collect();
                    prop_assert_eq!(out, into);
                }
            }
        }

        #[test]
        fn a_list_survives_being_sent(list in edge_list(), weighted: bool, cut in 1usize..9) {
            let list = if weighted { list } else { EdgeList { weights: None, ..list } };
            let mut words = list.to_words();
            prop_assert_eq!(EdgeList::from_words(&words), Ok(list));
            let short = &words[..words.len().saturating_sub(cut)];
            prop_assert!(EdgeList::from_words(short).is_err());
            words.push(0);
            prop_assert!(EdgeList::from_words(&words).is_err());
        }
    }
}
