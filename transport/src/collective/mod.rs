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

mod agreement;
pub mod allgather;
pub mod allgatherv;
pub mod allreduce;
pub mod alltoall;
pub mod alltoall_in_place;
pub mod alltoallv;
pub mod apart;
pub mod barrier;
pub mod binary_tree;
pub mod blocks;
pub mod board;
pub mod broadcast;
pub mod error;
pub mod exchange;
pub mod exscan;
pub mod gather;
pub mod gatherv;
pub mod inter;
pub mod join;
pub mod neighbor;
pub mod noting;
pub mod power_of_two;
pub mod prompt;
mod prompt_sizes;
mod reading;
pub mod reduce;
pub mod reduce_scatter;
pub mod reduction;
pub mod root;
pub mod rounds;
pub mod scan;
pub mod scatter;
pub mod scatterv;
pub mod scratch;
pub mod select;
pub mod step;
pub mod torus_line;
pub mod torus_tree;

#[cfg(test)]
mod tests;

pub use allgather::{allgather, allgather_apart, allgather_with};
pub use allgatherv::{allgatherv, allgatherv_with};
pub use allreduce::{allreduce, allreduce_apart, allreduce_with};
pub use alltoall::{alltoall, alltoall_with};
pub use alltoall_in_place::{alltoall_in_place, alltoall_in_place_with};
pub use alltoallv::{alltoallv, alltoallv_with};
pub use apart::Apart;
pub use barrier::{barrier, barrier_with};
pub use blocks::{Blocks, check_fits};
pub use board::Board;
pub use broadcast::{broadcast, broadcast_with};
pub use error::{CollectiveError, ExchangeError};
pub use exchange::Exchange;
pub use exscan::{exscan, exscan_with};
pub use gather::{gather, gather_apart, gather_with};
pub use gatherv::{gatherv, gatherv_apart, gatherv_with};
pub use neighbor::{
    Neighborhood, Pairing, neighbor_allgather, neighbor_allgatherv, neighbor_alltoall,
    neighbor_alltoallv, neighbor_alltoallv_with,
};
pub use noting::{Fault, Noting};
pub use prompt::{Done, Prompt};
pub use reduce::{reduce, reduce_here, reduce_with};
pub use reduce_scatter::{reduce_scatter, reduce_scatter_with};
pub use reduction::Reduction;
pub use root::{FromRoot, ToRoot};
pub use scan::{scan, scan_with};
pub use scatter::{scatter, scatter_with};
pub use scatterv::{scatterv, scatterv_with};
