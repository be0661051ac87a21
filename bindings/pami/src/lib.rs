//! The PAMI C interface.
