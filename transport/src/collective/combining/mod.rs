//! Operations that combine the members' contributions element by element (MPI-5.0, 6.9 to 6.11).
//!
//! A folder for each kind, a file for each algorithm. Before: the MPI layer, or a geometry, with a
//! [`Reduction`](crate::collective::reduction::Reduction). After: steps of an exchange, or rounds on a board.

pub mod allreduce;
pub mod exscan;
pub mod reduce;
pub mod reduce_scatter;
pub mod scan;
