//! Reduction operations.
