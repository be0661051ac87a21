//! Coarser graphs: pairs of vertices with heavy edges become one.
//!
//! What: heavy-edge matching. In random order, each vertex that is still alone joins the neighbour
//! to which it has the heaviest edge, rated by the sizes so that vertices stay of similar size.
//! Step before: [`super::bisect`]. Step after: the same again on the coarser graph.
//! Invariant: sizes add up to what they were; a cut of the coarse graph is one of the fine graph.

use super::super::random::Random;
use super::sparse::SparseGraph;

const NONE: u32 = u32::MAX;

/// A coarser graph, and for each fine vertex the coarse one it is in.
pub(super) fn coarsen(
    graph: &SparseGraph,
    largest: u32,
    random: &mut Random,
) -> (SparseGraph, Vec<u32>) {
    let mut coarse_of = vec![NONE; graph.len()];
    let mut sizes = Vec::new();
    let mut lonely = Vec::new();
    for vertex in random.permutation(graph.len()) {
        let vertex = vertex as usize;
        if coarse_of[vertex] != NONE {
            continue;
        }
        let size = graph.size_of(vertex);
        let fits =
            |other: usize| coarse_of[other] == NONE && size + graph.size_of(other) <= largest;
        let candidates = graph
            .neighbours(vertex)
            .iter()
            .filter(|(other, _)| fits(*other as usize));
        let rated = candidates.map(|&(other, weight)| {
            (
                other,
                weight / (f64::from(size) * f64::from(graph.size_of(other as usize))),
            )
        });
        let Some((partner, _)) = rated.max_by(|one, other| one.1.total_cmp(&other.1)) else {
            lonely.push(vertex);
            continue;
        };
        let coarse = sizes.len() as u32;
        coarse_of[vertex] = coarse;
        coarse_of[partner as usize] = coarse;
        sizes.push(size + graph.size_of(partner as usize));
    }
    join_lonely(graph, largest, &lonely, &mut coarse_of, &mut sizes);
    (graph.contracted(&coarse_of, sizes), coarse_of)
}

/// Vertices whose neighbours were all taken join each other when they share one (two-hop
/// matching), or are isolated; stars would never become smaller otherwise.
fn join_lonely(
    graph: &SparseGraph,
    largest: u32,
    lonely: &[usize],
    coarse_of: &mut [u32],
    sizes: &mut Vec<u32>,
) {
    let mut waiting: std::collections::HashMap<u32, usize> = std::collections::HashMap::new();
    for &vertex in lonely {
        if coarse_of[vertex] != NONE {
            continue;
        }
        let heaviest = graph
            .neighbours(vertex)
            .iter()
            .max_by(|one, other| one.1.total_cmp(&other.1));
        let hub = heaviest.map_or(NONE, |(neighbour, _)| *neighbour);
        match waiting.remove(&hub) {
            Some(other) if graph.size_of(vertex) + graph.size_of(other) <= largest => {
                coarse_of[vertex] = coarse_of[other];
                sizes[coarse_of[other] as usize] += graph.size_of(vertex);
            }
            _ => {
                coarse_of[vertex] = sizes.len() as u32;
                sizes.push(graph.size_of(vertex));
                waiting.insert(hub, vertex);
            }
        }
    }
}
