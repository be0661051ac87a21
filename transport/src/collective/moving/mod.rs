//! Operations that move blocks from members to members and combine nothing (MPI-5.0, 6.4 to 6.8).
//!
//! A folder for each kind, a file for each algorithm. Before: the MPI layer, or a geometry. After: steps of an exchange, or
//! rounds on a board.

pub mod allgather;
pub mod allgatherv;
pub mod alltoall;
pub mod alltoall_in_place;
pub mod alltoallv;
pub mod broadcast;
pub mod gather;
pub mod gatherv;
pub mod scatter;
pub mod scatterv;
