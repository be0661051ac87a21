//! Cartesian grids (MPI-5.0 section 8.5).

use std::ffi::c_int;
use std::rc::Rc;

use pamir_mpi::communicator::{Choice, construct};
use pamir_mpi::topology::{Cartesian, Topology, create_dimensions};

use super::{base, create, give, length, map, no_topology, with_topology, write_numbers};
use crate::argument::{address, array, store};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::types::*;

const KIND: &str = "a Cartesian topology";

/// What `ask` says of the communicator's grid.
fn with_grid<T>(
    state: &State,
    comm: MPI_Comm,
    ask: impl FnOnce(&Cartesian) -> Result<T>,
) -> Result<T> {
    match &*with_topology(state, comm, KIND)? {
        Topology::Cartesian(grid) => ask(grid),
        _ => Err(no_topology(KIND)),
    }
}

/// The grid that the arguments describe.
///
/// # Safety
///
/// Both arrays are null or have `ndims` entries.
unsafe fn grid(
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    ranks: usize,
) -> Result<Cartesian> {
    length(ndims, "the number of dimensions")?;
    // SAFETY: as the caller vouches.
    let (extents, periods) = unsafe {
        (
            array(dims, ndims, "dims")?,
            array(periods, ndims, "periods")?,
        )
    };
    let periodic: Vec<bool> = periods.iter().map(|&period| period != 0).collect();
    Ok(Cartesian::new(extents, &periodic, ranks)?)
}

/// `MPI_Cart_create`, section 8.5.1.
///
/// # Safety
///
/// The arrays have `ndims` entries; `comm_cart` is null or writable.
pub unsafe fn cart_create(
    comm_old: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    reorder: c_int,
    comm_cart: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = base(&state, comm_old)?;
    address(comm_cart, "comm_cart")?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let grid = grid(ndims, dims, periods, parent.size())?;
        let ranks = grid.size();
        create(
            &state,
            &parent,
            ranks,
            reorder,
            Topology::Cartesian(grid),
            comm_cart,
        )
    }
}

/// `MPI_Cart_map`, section 8.5.8.
///
/// # Safety
///
/// The arrays have `ndims` entries; `newrank` is null or writable.
pub unsafe fn cart_map(
    comm: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    newrank: *mut c_int,
) -> Result {
    let state = running()?;
    let communicator = base(&state, comm)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let grid = grid(ndims, dims, periods, communicator.size())?;
        let ranks = grid.size();
        map(
            &state,
            &communicator,
            ranks,
            &Topology::Cartesian(grid),
            newrank,
        )
    }
}

/// `MPI_Dims_create`, section 8.5.2.
///
/// # Safety
///
/// `dims` has `ndims` entries.
pub unsafe fn dims_create(nnodes: c_int, ndims: c_int, dims: *mut c_int) -> Result {
    let _state = running()?;
    let count = length(ndims, "the number of dimensions")?;
    if count == 0 {
        return Ok(create_dimensions(nnodes, &mut [])?);
    }
    address(dims, "dims")?;
    // SAFETY: it is not null, so the caller vouches for the entries.
    let extents = unsafe { std::slice::from_raw_parts_mut(dims, count) };
    Ok(create_dimensions(nnodes, extents)?)
}

/// `MPI_Cartdim_get`, section 8.5.5.
///
/// # Safety
///
/// `ndims` is null or writable.
pub unsafe fn cartdim_get(comm: MPI_Comm, ndims: *mut c_int) -> Result {
    let state = running()?;
    let dimensions = with_grid(&state, comm, |grid| Ok(grid.dimensions()))?;
    // SAFETY: the caller vouches for it.
    unsafe { store(ndims, dimensions as c_int, "ndims") }
}

/// `MPI_Cart_get`, section 8.5.5.
///
/// # Safety
///
/// The arrays are writable for `maxdims` entries.
pub unsafe fn cart_get(
    comm: MPI_Comm,
    maxdims: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coords: *mut c_int,
) -> Result {
    let state = running()?;
    let rank = state.communicator(comm)?.rank();
    with_grid(&state, comm, |grid| {
        let room = enough(maxdims, grid.dimensions())?;
        let extents = grid.extents().iter().copied();
        let periodic = grid.periodic().iter().map(|&periodic| periodic.into());
        let coordinates = grid.coordinates(rank)?;
        // SAFETY: the caller vouches for the arrays.
        unsafe {
            write_numbers(dims, room, extents, "dims")?;
            write_numbers(periods, room, periodic, "periods")?;
            write_numbers(coords, room, coordinates, "coords")
        }
    })
}

/// Room for `dimensions` entries; less than that is an error.
fn enough(maxdims: c_int, dimensions: usize) -> Result<usize> {
    let room = length(maxdims, "maxdims")?;
    if room < dimensions {
        let text = format!("maxdims is {room} where the grid has {dimensions} dimensions");
        return Err(ErrorClass::Arg.with(text));
    }
    Ok(room)
}

/// `MPI_Cart_rank`, section 8.5.5.
///
/// # Safety
///
/// `coords` has an entry for each dimension; `rank` is null or writable.
pub unsafe fn cart_rank(comm: MPI_Comm, coords: *const c_int, rank: *mut c_int) -> Result {
    let state = running()?;
    let found = with_grid(&state, comm, |grid| {
        // SAFETY: the caller vouches for the array.
        let coordinates = unsafe { array(coords, grid.dimensions() as c_int, "coords")? };
        Ok(grid.rank(coordinates)?)
    })?;
    // SAFETY: the caller vouches for it.
    unsafe { store(rank, found as c_int, "rank") }
}

/// `MPI_Cart_coords`, section 8.5.5.
///
/// # Safety
///
/// `coords` is writable for `maxdims` entries.
pub unsafe fn cart_coords(
    comm: MPI_Comm,
    rank: c_int,
    maxdims: c_int,
    coords: *mut c_int,
) -> Result {
    let state = running()?;
    with_grid(&state, comm, |grid| {
        // A negative rank is none of the grid's, as is one beyond it.
        let coordinates = grid.coordinates(usize::try_from(rank).unwrap_or(usize::MAX))?;
        let room = enough(maxdims, grid.dimensions())?;
        // SAFETY: the caller vouches for the array.
        unsafe { write_numbers(coords, room, coordinates, "coords") }
    })
}

/// `MPI_Cart_shift`, section 8.5.6.
///
/// # Safety
///
/// `rank_source` and `rank_dest` are null or writable.
pub unsafe fn cart_shift(
    comm: MPI_Comm,
    direction: c_int,
    disp: c_int,
    rank_source: *mut c_int,
    rank_dest: *mut c_int,
) -> Result {
    let state = running()?;
    let own = state.communicator(comm)?.rank();
    let (source, destination) =
        with_grid(&state, comm, |grid| Ok(grid.shift(own, direction, disp)?))?;
    let rank = |place: Option<usize>| place.map_or(MPI_PROC_NULL, |rank| rank as c_int);
    // SAFETY: the caller vouches for both.
    unsafe {
        store(rank_source, rank(source), "rank_source")?;
        store(rank_dest, rank(destination), "rank_dest")
    }
}

/// `MPI_Cart_sub`, section 8.5.7.
///
/// # Safety
///
/// `remain_dims` has an entry for each dimension; `newcomm` is null or writable.
pub unsafe fn cart_sub(
    comm: MPI_Comm,
    remain_dims: *const c_int,
    newcomm: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = state.communicator(comm)?;
    address(newcomm, "newcomm")?;
    let part = with_grid(&state, comm, |grid| {
        // SAFETY: the caller vouches for the array.
        let keep = unsafe { array(remain_dims, grid.dimensions() as c_int, "remain_dims")? };
        let keep: Vec<bool> = keep.iter().map(|&keep| keep != 0).collect();
        Ok(grid.subgrid(parent.rank(), &keep)?)
    })?;
    let choice = Choice {
        color: Some(part.color as c_int),
        key: part.key as c_int,
    };
    let new: Option<Rc<_>> = construct::split(&state.process, &parent, choice)?;
    // SAFETY: the caller vouches for it.
    unsafe { give(&state, new, Topology::Cartesian(part.grid), newcomm) };
    Ok(())
}
