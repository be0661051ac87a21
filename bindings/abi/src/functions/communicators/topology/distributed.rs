//! Graphs of which every rank knows its own edges (MPI-5.0 section 8.5.4).
//!
//! All ranks tell each other whether their arguments are right before anything is made: one
//! that refuses its arguments must not leave the others waiting.

use std::ffi::c_int;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::communicator::construct::gather_numbers;
use pamir_mpi::topology::reorder::{self, edge};
use pamir_mpi::topology::{DistributedGraph, EdgeList, Topology};

use super::{base, create_ordered, length, no_topology, with_topology, write_numbers};
use crate::argument::{address, array, store};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::state::infos;
use crate::types::*;

const KIND: &str = "a distributed graph topology";

/// What a rank tells of itself whose arguments are wrong.
const REFUSED: i64 = -1;

/// What `ask` says of the communicator's distributed graph.
fn with_graph<T>(
    state: &State,
    comm: MPI_Comm,
    ask: impl FnOnce(&DistributedGraph) -> Result<T>,
) -> Result<T> {
    match &*with_topology(state, comm, KIND)? {
        Topology::Distributed(graph) => ask(graph),
        _ => Err(no_topology(KIND)),
    }
}

fn is_unweighted(weights: *const c_int) -> bool {
    weights == MPI_UNWEIGHTED.cast_const()
}

/// The weights of `count` edges; `None` for `MPI_UNWEIGHTED`.
///
/// # Safety
///
/// The array has `count` entries, unless it is one of the two constants.
unsafe fn weights<'a>(
    weights: *const c_int,
    count: c_int,
    name: &str,
) -> Result<Option<&'a [c_int]>> {
    if is_unweighted(weights) {
        return Ok(None);
    }
    if weights == MPI_WEIGHTS_EMPTY.cast_const() {
        if count != 0 {
            let text = format!("{name} is MPI_WEIGHTS_EMPTY where there are {count} edges");
            return Err(ErrorClass::Arg.with(text));
        }
        return Ok(Some(&[]));
    }
    // SAFETY: as the caller vouches.
    unsafe { array(weights, count, name).map(Some) }
}

/// Everybody's number; an error where somebody's arguments are wrong, of which `own` is this
/// rank's.
fn told<T>(
    state: &State,
    parent: &Communicator,
    own: Result<T>,
    number: impl FnOnce(&T) -> i64,
) -> Result<(T, Vec<i64>)> {
    let tell = own.as_ref().map_or(REFUSED, number);
    let all: Vec<i64> = gather_numbers(&state.process, parent, &[tell])?
        .into_iter()
        .flatten()
        .collect();
    let own = own?;
    match all.iter().position(|number| *number == REFUSED) {
        None => Ok((own, all)),
        Some(rank) => Err(ErrorClass::Arg.with(format!(
            "rank {rank} of the communicator passed wrong arguments: it reports which"
        ))),
    }
}

/// `MPI_Dist_graph_create_adjacent`, section 8.5.4.
///
/// # Safety
///
/// The arrays are as long as the degrees say; `comm_dist_graph` is null or writable.
pub unsafe fn dist_graph_create_adjacent(
    comm_old: MPI_Comm,
    indegree: c_int,
    sources: *const c_int,
    sourceweights: *const c_int,
    outdegree: c_int,
    destinations: *const c_int,
    destweights: *const c_int,
    info: MPI_Info,
    reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = base(&state, comm_old)?;
    let described = || {
        infos::check(info)?;
        address(comm_dist_graph, "comm_dist_graph")?;
        // SAFETY: the caller vouches for the arrays.
        unsafe {
            let into = array(sources, indegree, "sources")?;
            let out = array(destinations, outdegree, "destinations")?;
            let weights = match (
                weights(sourceweights, indegree, "sourceweights")?,
                weights(destweights, outdegree, "destweights")?,
            ) {
                (Some(into), Some(out)) => Some((into, out)),
                (None, None) => None,
                _ => {
                    let text = "only one of sourceweights and destweights is MPI_UNWEIGHTED";
                    return Err(ErrorClass::Arg.with(text));
                }
            };
            Ok(DistributedGraph::adjacent(
                into,
                out,
                weights,
                parent.size(),
            )?)
        }
    };
    // All ranks agree on whether to reorder, or one of them would wait for the others.
    let (mut graph, wishes) = told(&state, &parent, described(), |_| i64::from(reorder != 0))?;
    let mut order = None;
    if wishes.iter().all(|wish| *wish != 0) {
        let words = gather_words(&state, &parent, &graph.to_words())?;
        let graphs: Vec<DistributedGraph> = words
            .iter()
            .map(|words| DistributedGraph::from_words(words, parent.size()))
            .collect::<std::result::Result<_, _>>()?;
        let edges = graphs.iter().enumerate().flat_map(|(from, graph)| {
            let weights = graph.destination_weights();
            let to = graph.destinations().iter().enumerate();
            to.map(move |(at, &to)| {
                edge(
                    from,
                    to,
                    weights.map_or(1.0, |weights| f64::from(weights[at])),
                )
            })
        });
        let found = reorder::order(&state.process, &parent, parent.size(), edges.collect())?;
        graph = graphs[vertex_of(&found, parent.rank())].clone();
        order = Some(found);
    }
    let (topology, ranks) = (Topology::Distributed(graph), parent.size());
    let order = order.as_deref();
    // SAFETY: the caller vouches for it, and it is not null.
    unsafe { create_ordered(&state, &parent, ranks, order, topology, comm_dist_graph) }
}

/// The vertex that a rank takes.
fn vertex_of(order: &[usize], rank: usize) -> usize {
    let vertex = order.iter().position(|taken| *taken == rank);
    vertex.expect("an order of all ranks has each of them")
}

/// Everybody's words, however many each has.
fn gather_words(state: &State, parent: &Communicator, own: &[i32]) -> Result<Vec<Vec<i32>>> {
    let lengths = gather_numbers(&state.process, parent, &[own.len() as i64])?;
    let longest = lengths.iter().flatten().copied().max().unwrap_or(0) as usize;
    let mut padded: Vec<i64> = own.iter().map(|&word| word.into()).collect();
    padded.resize(longest, 0);
    let all = gather_numbers(&state.process, parent, &padded)?;
    let cut = all.iter().zip(lengths.iter().flatten());
    Ok(cut
        .map(|(words, &length)| {
            words[..length as usize]
                .iter()
                .map(|&word| word as i32)
                .collect()
        })
        .collect())
}

/// The edges that the arguments of `MPI_Dist_graph_create` list.
///
/// # Safety
///
/// The arrays are as long as the standard says.
unsafe fn edges(
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    edge_weights: *const c_int,
) -> Result<EdgeList> {
    // SAFETY: as the caller vouches; a negative degree is refused before the arrays that it
    // measures are looked at.
    unsafe {
        let (sources, degrees) = (array(sources, n, "sources")?, array(degrees, n, "degrees")?);
        let mut count = 0i64;
        for degree in degrees {
            count += length(*degree, "a degree")? as i64;
        }
        let count = c_int::try_from(count).map_err(|_| {
            ErrorClass::Arg.with(format!("{count} edges are more than an int holds"))
        })?;
        Ok(EdgeList {
            sources: sources.to_vec(),
            degrees: degrees.to_vec(),
            destinations: array(destinations, count, "destinations")?.to_vec(),
            weights: weights(edge_weights, count, "weights")?.map(<[c_int]>::to_vec),
        })
    }
}

/// `MPI_Dist_graph_create`, section 8.5.4.
///
/// # Safety
///
/// The arrays are as long as the standard says; `comm_dist_graph` is null or writable.
pub unsafe fn dist_graph_create(
    comm_old: MPI_Comm,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
    info: MPI_Info,
    reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = base(&state, comm_old)?;
    let described = || -> Result<Vec<i32>> {
        infos::check(info)?;
        address(comm_dist_graph, "comm_dist_graph")?;
        // SAFETY: the caller vouches for the arrays.
        let list = unsafe { edges(n, sources, degrees, destinations, weights)? };
        list.check(parent.size())?;
        Ok(list.to_words())
    };
    let (own, wishes) = told(&state, &parent, described(), |_| i64::from(reorder != 0))?;
    let words = gather_words(&state, &parent, &own)?;
    let contributions: Vec<EdgeList> = words
        .iter()
        .map(|words| EdgeList::from_words(words))
        .collect::<std::result::Result<_, _>>()?;
    let mut order = None;
    let mut vertex = parent.rank();
    if wishes.iter().all(|wish| *wish != 0) {
        let all = contributions.iter().flat_map(EdgeList::weighted_edges);
        let edges = all.map(|(from, to, weight)| edge(from, to, weight));
        let found = reorder::order(&state.process, &parent, parent.size(), edges.collect())?;
        vertex = vertex_of(&found, parent.rank());
        order = Some(found);
    }
    let graph = DistributedGraph::from_contributions(vertex, &contributions)?;
    let (topology, ranks) = (Topology::Distributed(graph), parent.size());
    let order = order.as_deref();
    // SAFETY: the caller vouches for it, and it is not null.
    unsafe { create_ordered(&state, &parent, ranks, order, topology, comm_dist_graph) }
}

/// `MPI_Dist_graph_neighbors_count`, section 8.5.5.
///
/// # Safety
///
/// All three are null or writable.
pub unsafe fn dist_graph_neighbors_count(
    comm: MPI_Comm,
    indegree: *mut c_int,
    outdegree: *mut c_int,
    weighted: *mut c_int,
) -> Result {
    let state = running()?;
    with_graph(&state, comm, |graph| {
        // SAFETY: the caller vouches for them.
        unsafe {
            store(indegree, graph.sources().len() as c_int, "indegree")?;
            store(outdegree, graph.destinations().len() as c_int, "outdegree")?;
            store(weighted, graph.is_weighted().into(), "weighted")
        }
    })
}

/// `MPI_Dist_graph_neighbors`, section 8.5.5.
///
/// # Safety
///
/// The arrays are writable for as many entries as the arguments say; those of weights may be
/// `MPI_UNWEIGHTED`.
pub unsafe fn dist_graph_neighbors(
    comm: MPI_Comm,
    maxindegree: c_int,
    sources: *mut c_int,
    sourceweights: *mut c_int,
    maxoutdegree: c_int,
    destinations: *mut c_int,
    destweights: *mut c_int,
) -> Result {
    let state = running()?;
    let into_room = length(maxindegree, "maxindegree")?;
    let out_room = length(maxoutdegree, "maxoutdegree")?;
    with_graph(&state, comm, |graph| {
        let ranks =
            |list: &[usize]| -> Vec<c_int> { list.iter().map(|&rank| rank as c_int).collect() };
        // SAFETY: the caller vouches for the arrays.
        unsafe {
            write_numbers(sources, into_room, ranks(graph.sources()), "sources")?;
            write_numbers(
                destinations,
                out_room,
                ranks(graph.destinations()),
                "destinations",
            )?;
            write_weights(sourceweights, into_room, graph.source_weights())?;
            write_weights(destweights, out_room, graph.destination_weights())
        }
    })
}

/// Writes weights, if there are any and the program wants them.
///
/// # Safety
///
/// `target` is writable for `room` numbers, or one of the two constants.
unsafe fn write_weights(target: *mut c_int, room: usize, weights: Option<&[i32]>) -> Result {
    let Some(weights) = weights else {
        return Ok(());
    };
    if is_unweighted(target) || target == MPI_WEIGHTS_EMPTY {
        return Ok(());
    }
    // SAFETY: as the caller vouches.
    unsafe { write_numbers(target, room, weights.iter().copied(), "weights") }
}
