//! Persistent collective operations.
