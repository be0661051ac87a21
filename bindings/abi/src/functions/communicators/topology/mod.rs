//! Cartesian, graph and distributed-graph process topologies (MPI-5.0 chapter 8).
//!
//! Before: the C call. After: `pamir_mpi::topology`, which knows the arithmetic, and
//! `pamir_mpi::communicator::construct`, which makes the communicator that carries it.
//!
//! Where ranks may be reordered, `pamir_mpi::topology::reorder` says which process takes which
//! vertex; vertices are the ranks of the new communicator.

pub mod cartesian;
pub mod distributed;
pub mod graph;

use std::ffi::c_int;
use std::rc::Rc;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::communicator::construct;
use pamir_mpi::topology::{Topology, TopologyError, reorder};

pub use cartesian::{
    cart_coords, cart_create, cart_get, cart_map, cart_rank, cart_shift, cart_sub, cartdim_get,
    dims_create,
};
pub use distributed::{
    dist_graph_create, dist_graph_create_adjacent, dist_graph_neighbors, dist_graph_neighbors_count,
};
pub use graph::{
    graph_create, graph_get, graph_map, graph_neighbors, graph_neighbors_count, graphdims_get,
};

use crate::argument::store;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::types::*;

impl From<TopologyError> for Error {
    #[cold]
    fn from(error: TopologyError) -> Self {
        let class = match error {
            TopologyError::Extent { .. }
            | TopologyError::Indivisible { .. }
            | TopologyError::NoSuchDimension { .. } => ErrorClass::Dims,
            TopologyError::NoSuchRank { .. } => ErrorClass::Rank,
            TopologyError::Malformed { .. } => ErrorClass::Intern,
            _ => ErrorClass::Arg,
        };
        class.with(error.to_string())
    }
}

#[cold]
fn no_topology(kind: &str) -> Error {
    ErrorClass::Topology.with(format!("the communicator was not made with {kind}"))
}

/// The communicator behind a handle, with the topology that it must have.
fn with_topology(state: &State, comm: MPI_Comm, kind: &str) -> Result<Rc<Topology>> {
    let communicator = state.communicator(comm)?;
    let topology = communicator.topology().cloned();
    topology.ok_or_else(|| no_topology(kind))
}

/// The communicator that a new topology is to be made from: one group of processes.
fn base(state: &State, comm: MPI_Comm) -> Result<Rc<Communicator>> {
    let communicator = state.communicator(comm)?;
    if communicator.is_inter() {
        return Err(ErrorClass::Comm.with("an inter-communicator takes no topology"));
    }
    Ok(communicator)
}

/// A number of entries that the program passes.
fn length(count: c_int, what: &str) -> Result<usize> {
    usize::try_from(count)
        .map_err(|_| ErrorClass::Arg.with(format!("{what} is at least 0, not {count}")))
}

/// A communicator of so many ranks of `parent`, with a topology that covers them and that every
/// rank knows whole; the ranks are the first, or with `reorder` those that suit the machine.
///
/// # Safety
///
/// `target` is writable.
unsafe fn create(
    state: &State,
    parent: &Communicator,
    ranks: usize,
    reorder: c_int,
    topology: Topology,
    target: *mut MPI_Comm,
) -> Result {
    let order = if reorder != 0 && ranks > 0 {
        let edges = reorder::edges_of(&topology, ranks)?;
        Some(reorder::order(&state.process, parent, ranks, edges)?)
    } else {
        None
    };
    // SAFETY: as the caller vouches.
    unsafe { create_ordered(state, parent, ranks, order.as_deref(), topology, target) }
}

/// The same in an order that all ranks know: which rank of `parent` takes which vertex.
///
/// # Safety
///
/// `target` is writable.
unsafe fn create_ordered(
    state: &State,
    parent: &Communicator,
    ranks: usize,
    order: Option<&[usize]>,
    topology: Topology,
    target: *mut MPI_Comm,
) -> Result {
    let group = if ranks == parent.size() && order.is_none() {
        parent.group().clone()
    } else {
        let all: Vec<u32> = parent.group().tasks().collect();
        let task = |vertex: usize| all[order.map_or(vertex, |order| order[vertex])];
        let taken: Vec<u32> = (0..ranks).map(task).collect();
        pamir_mpi::group::Group::from_tasks(&taken)
            .map_err(|error| ErrorClass::Intern.with(error.to_string()))?
    };
    let new = construct::create(&state.process, parent, &group)?;
    // SAFETY: as the caller vouches.
    unsafe { give(state, new, topology, target) };
    Ok(())
}

/// The vertex that this rank would take of a topology, if it were made with `reorder`.
///
/// # Safety
///
/// `target` is null or writable.
unsafe fn map(
    state: &State,
    parent: &Communicator,
    ranks: usize,
    topology: &Topology,
    target: *mut c_int,
) -> Result {
    let edges = reorder::edges_of(topology, ranks)?;
    let vertex = reorder::vertex(&state.process, parent, ranks, edges);
    let vertex = vertex.map_or(MPI_UNDEFINED, |vertex| vertex as c_int);
    // SAFETY: as the caller vouches.
    unsafe { store(target, vertex, "newrank") }
}

/// Gives the program a communicator with a topology, or `MPI_COMM_NULL`.
///
/// # Safety
///
/// `target` is writable.
unsafe fn give(
    state: &State,
    communicator: Option<Rc<Communicator>>,
    topology: Topology,
    target: *mut MPI_Comm,
) {
    let handle = communicator.map_or(MPI_COMM_NULL, |new| {
        new.set_topology(Rc::new(topology));
        state.communicators.insert(new)
    });
    // SAFETY: as the caller vouches.
    unsafe { target.write(handle) };
}

/// Writes as many numbers as there is room for.
///
/// # Safety
///
/// `target` is writable for `room` numbers.
unsafe fn write_numbers(
    target: *mut c_int,
    room: usize,
    numbers: impl IntoIterator<Item = c_int>,
    name: &str,
) -> Result {
    for (index, number) in numbers.into_iter().take(room).enumerate() {
        // SAFETY: `index` is below the room that the caller vouches for.
        unsafe { store(target.wrapping_add(index), number, name)? };
    }
    Ok(())
}

/// `MPI_Topo_test`, section 8.5.5.
///
/// # Safety
///
/// `status` is null or writable.
pub unsafe fn topo_test(comm: MPI_Comm, status: *mut c_int) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let kind = match communicator.topology().map(Rc::as_ref) {
        None => MPI_UNDEFINED,
        Some(Topology::Cartesian(_)) => MPI_CART,
        Some(Topology::Graph(_)) => MPI_GRAPH,
        Some(Topology::Distributed(_)) => MPI_DIST_GRAPH,
    };
    // SAFETY: the caller vouches for it.
    unsafe { store(status, kind, "status") }
}
