//! Initialization, termination, versions, clocks, memory and inquiry.
