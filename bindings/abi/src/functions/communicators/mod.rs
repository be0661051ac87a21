//! Groups, communicators, cached values and topologies (MPI-5.0 chapters 7 and 8).

pub mod attribute;
pub mod communicator;
pub mod group;
pub mod inter_communicator;
pub mod topology;
