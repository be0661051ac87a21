//! Blocking collective operations.
