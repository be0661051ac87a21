//! Ordered sets of processes.
