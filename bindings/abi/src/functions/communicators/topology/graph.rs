//! Graphs that every rank knows as a whole (MPI-5.0 section 8.5.3).

use std::ffi::c_int;

use pamir_mpi::topology::{Graph, Topology};

use super::{base, create, length, map, no_topology, with_topology, write_numbers};
use crate::argument::{address, array, store};
use crate::constants::*;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::types::*;

const KIND: &str = "a graph topology";

/// What `ask` says of the communicator's graph.
fn with_graph<T>(
    state: &State,
    comm: MPI_Comm,
    ask: impl FnOnce(&Graph) -> Result<T>,
) -> Result<T> {
    match &*with_topology(state, comm, KIND)? {
        Topology::Graph(graph) => ask(graph),
        _ => Err(no_topology(KIND)),
    }
}

/// The graph that the arguments describe.
///
/// # Safety
///
/// `indx` is null or has `nnodes` entries, `edges` as many as the last of them says.
unsafe fn graph(
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    ranks: usize,
) -> Result<Graph> {
    length(nnodes, "the number of nodes")?;
    // SAFETY: as the caller vouches; a wrong last entry is refused, or found when the entries
    // are compared with it.
    unsafe {
        let index = array(indx, nnodes, "index")?;
        let edges = array(edges, index.last().copied().unwrap_or(0), "edges")?;
        Ok(Graph::new(index, edges, ranks)?)
    }
}

/// `MPI_Graph_create`, section 8.5.3.
///
/// # Safety
///
/// The arrays are as long as the standard says; `comm_graph` is null or writable.
pub unsafe fn graph_create(
    comm_old: MPI_Comm,
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    reorder: c_int,
    comm_graph: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = base(&state, comm_old)?;
    address(comm_graph, "comm_graph")?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let graph = graph(nnodes, indx, edges, parent.size())?;
        let ranks = graph.size();
        if ranks == 0 {
            return store(comm_graph, MPI_COMM_NULL, "comm_graph");
        }
        create(
            &state,
            &parent,
            ranks,
            reorder,
            Topology::Graph(graph),
            comm_graph,
        )
    }
}

/// `MPI_Graph_map`, section 8.5.8.
///
/// # Safety
///
/// The arrays are as long as the standard says; `newrank` is null or writable.
pub unsafe fn graph_map(
    comm: MPI_Comm,
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    newrank: *mut c_int,
) -> Result {
    let state = running()?;
    let communicator = base(&state, comm)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let graph = graph(nnodes, indx, edges, communicator.size())?;
        let ranks = graph.size();
        map(
            &state,
            &communicator,
            ranks,
            &Topology::Graph(graph),
            newrank,
        )
    }
}

/// `MPI_Graphdims_get`, section 8.5.5.
///
/// # Safety
///
/// `nnodes` and `nedges` are null or writable.
pub unsafe fn graphdims_get(comm: MPI_Comm, nnodes: *mut c_int, nedges: *mut c_int) -> Result {
    let state = running()?;
    let (nodes, edges) = with_graph(&state, comm, |graph| {
        Ok((graph.size(), graph.edges().len()))
    })?;
    // SAFETY: the caller vouches for both.
    unsafe {
        store(nnodes, nodes as c_int, "nnodes")?;
        store(nedges, edges as c_int, "nedges")
    }
}

/// `MPI_Graph_get`, section 8.5.5.
///
/// # Safety
///
/// The arrays are writable for `maxindex` and `maxedges` entries.
pub unsafe fn graph_get(
    comm: MPI_Comm,
    maxindex: c_int,
    maxedges: c_int,
    indx: *mut c_int,
    edges: *mut c_int,
) -> Result {
    let state = running()?;
    let (index_room, edge_room) = (length(maxindex, "maxindex")?, length(maxedges, "maxedges")?);
    with_graph(&state, comm, |graph| {
        let degrees = graph.index().iter().map(|&degree| degree as c_int);
        let targets = graph.edges().iter().map(|&target| target as c_int);
        // SAFETY: the caller vouches for the arrays.
        unsafe {
            write_numbers(indx, index_room, degrees, "index")?;
            write_numbers(edges, edge_room, targets, "edges")
        }
    })
}

/// The neighbours of a rank.
fn neighbors_of(state: &State, comm: MPI_Comm, rank: c_int) -> Result<Vec<c_int>> {
    with_graph(state, comm, |graph| {
        // A negative rank is none of the graph's, as is one beyond it.
        let rank = usize::try_from(rank).unwrap_or(usize::MAX);
        let neighbors = graph.neighbours(rank)?;
        Ok(neighbors.iter().map(|&rank| rank as c_int).collect())
    })
}

/// `MPI_Graph_neighbors_count`, section 8.5.5.
///
/// # Safety
///
/// `nneighbors` is null or writable.
pub unsafe fn graph_neighbors_count(comm: MPI_Comm, rank: c_int, nneighbors: *mut c_int) -> Result {
    let state = running()?;
    let neighbors = neighbors_of(&state, comm, rank)?;
    // SAFETY: the caller vouches for it.
    unsafe { store(nneighbors, neighbors.len() as c_int, "nneighbors") }
}

/// `MPI_Graph_neighbors`, section 8.5.5.
///
/// # Safety
///
/// `neighbors` is writable for `maxneighbors` entries.
pub unsafe fn graph_neighbors(
    comm: MPI_Comm,
    rank: c_int,
    maxneighbors: c_int,
    neighbors: *mut c_int,
) -> Result {
    let state = running()?;
    let room = length(maxneighbors, "maxneighbors")?;
    let found = neighbors_of(&state, comm, rank)?;
    // SAFETY: the caller vouches for the array.
    unsafe { write_numbers(neighbors, room, found, "neighbors") }
}
