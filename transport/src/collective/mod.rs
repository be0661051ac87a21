//! Collective operations over messages: one algorithm a file, one folder a kind.
//!
//! Step before: the MPI layer, or a geometry, packs its data into contiguous
//! bytes. Step after: [`exchange::Exchange`] carries the messages.
//!
//! Each kind has a function of its name that selects an algorithm ([`select`]) and
//! runs it, one ending in `_with` that runs a given one, and an enum `Algorithm`.
//! Functions are `async` and never block: who calls polls, on the stack or boxed.
//!
//! Every algorithm's header has a table for n members and m bytes: *rounds* are
//! the message latencies on the longest path, *messages* what the busiest member
//! sends, *bytes* what the busiest member sends in all; log is base 2, rounded up.
//!
//! Invariants: no algorithm sends to its own member; whatever a member sends is
//! received within the same operation; all members pass matching sizes.

pub mod barrier;
pub mod board;
pub mod combining;
pub mod data;
pub mod error;
pub mod exchange;
pub mod geometry;
pub mod inter;
pub mod moving;
pub mod neighbor;
pub mod reduction;
pub mod select;
pub mod shape;

#[cfg(test)]
mod tests;

pub use barrier::{barrier, barrier_with};
pub use board::Board;
pub use board::fast_path::{Done, FastPath};
pub use combining::allreduce::{allreduce, allreduce_out_of_place, allreduce_with};
pub use combining::exscan::{exscan, exscan_with};
pub use combining::reduce::{reduce, reduce_here, reduce_with};
pub use combining::reduce_scatter::{reduce_scatter, reduce_scatter_with};
pub use combining::scan::{scan, scan_with};
pub use data::blocks::{Blocks, check_fits};
pub use data::out_of_place::OutOfPlace;
pub use data::root::{FromRoot, ToRoot};
pub use error::{CollectiveError, ExchangeError};
pub use exchange::Exchange;
pub use exchange::fault_recording::{Fault, FaultRecording};
pub use moving::allgather::{allgather, allgather_out_of_place, allgather_with};
pub use moving::allgatherv::{allgatherv, allgatherv_with};
pub use moving::alltoall::{alltoall, alltoall_with};
pub use moving::alltoall_in_place::{alltoall_in_place, alltoall_in_place_with};
pub use moving::alltoallv::{alltoallv, alltoallv_with};
pub use moving::broadcast::{broadcast, broadcast_with};
pub use moving::gather::{gather, gather_out_of_place, gather_with};
pub use moving::gatherv::{gatherv, gatherv_out_of_place, gatherv_with};
pub use moving::scatter::{scatter, scatter_with};
pub use moving::scatterv::{scatterv, scatterv_with};
pub use neighbor::{
    Neighborhood, Pairing, neighbor_allgather, neighbor_allgatherv, neighbor_alltoall,
    neighbor_alltoallv, neighbor_alltoallv_with,
};
pub use reduction::Reduction;
