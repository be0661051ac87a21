//! How many ranks an array of datatypes is for.
//!
//! What: the all-to-all with a datatype for each rank has arrays whose length no argument says.
//! Step before: `entry`. Step after: `handle::Array`.
//! Invariant: 0 where C will say that the communicator is none.

use crate::address;
use crate::c::number::{MPI_CART, MPI_DIST_GRAPH, MPI_GRAPH};
use crate::c::{self, Integer, c_int, c_void};
use crate::handle;

/// The ranks that a rank of the communicator exchanges with: those of the other group, if there are two.
pub unsafe fn peers(comm: *const Integer) -> usize {
    // SAFETY: the program's communicator.
    let comm = unsafe { *comm };
    if comm == c::COMM_NULL {
        return 0;
    }
    let comm = handle::comm::to_c(comm);
    let (mut between, mut size): (c_int, c_int) = (0, 0);
    // SAFETY: the places are this function's.
    unsafe {
        if c::symbol::PMPI_Comm_test_inter(comm, &raw mut between) != c::SUCCESS {
            return 0;
        }
        let failed = match between != 0 {
            true => c::symbol::PMPI_Comm_remote_size(comm, &raw mut size),
            false => c::symbol::PMPI_Comm_size(comm, &raw mut size),
        };
        if failed == c::SUCCESS {
            size as usize
        } else {
            0
        }
    }
}

/// As [`peers`]; none if the data is in the receive buffer, where C reads no types of sending.
pub unsafe fn peers_unless(buffer: *mut c_void, comm: *const Integer) -> usize {
    match address::is_in_place(buffer) {
        true => 0,
        // SAFETY: the caller's.
        false => unsafe { peers(comm) },
    }
}

/// The neighbours that this rank sends to.
pub unsafe fn destinations(comm: *const Integer) -> usize {
    // SAFETY: the caller's.
    unsafe { neighbours(comm).1 }
}

/// The neighbours that this rank receives from.
pub unsafe fn sources(comm: *const Integer) -> usize {
    // SAFETY: the caller's.
    unsafe { neighbours(comm).0 }
}

/// Sources and destinations in the communicator's topology.
unsafe fn neighbours(comm: *const Integer) -> (usize, usize) {
    // SAFETY: the program's communicator.
    let comm = unsafe { *comm };
    if comm == c::COMM_NULL {
        return (0, 0);
    }
    let comm = handle::comm::to_c(comm);
    let (mut kind, mut here, mut there, mut rank): (c_int, c_int, c_int, c_int) = (0, 0, 0, 0);
    // SAFETY: the places are this function's; each question is asked of a topology that has the answer.
    unsafe {
        if c::symbol::PMPI_Topo_test(comm, &raw mut kind) != c::SUCCESS {
            return (0, 0);
        }
        match kind {
            MPI_CART => {
                c::symbol::PMPI_Cartdim_get(comm, &raw mut here);
                (here, there) = (2 * here, 2 * here);
            }
            MPI_GRAPH => {
                c::symbol::PMPI_Comm_rank(comm, &raw mut rank);
                c::symbol::PMPI_Graph_neighbors_count(comm, rank, &raw mut here);
                there = here;
            }
            MPI_DIST_GRAPH => {
                let mut weighted: c_int = 0;
                c::symbol::PMPI_Dist_graph_neighbors_count(
                    comm,
                    &raw mut here,
                    &raw mut there,
                    &raw mut weighted,
                );
            }
            _ => {}
        }
    }
    (here.max(0) as usize, there.max(0) as usize)
}
