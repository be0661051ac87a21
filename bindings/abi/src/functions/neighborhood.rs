//! Collective operations between the neighbours of a virtual topology.
