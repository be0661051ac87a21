//! Nonblocking collective operations.
