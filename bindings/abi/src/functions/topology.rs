//! Cartesian, graph and distributed-graph process topologies.
