//! Fortran procedures that C calls.
//!
//! What: a C function for each Fortran procedure that a program hands over.
//!
//! ```text
//! with extra state (attributes, generalized requests, data representations)
//!     C's extra state is a record: the procedures and Fortran's extra state
//! without (reductions, error handlers)
//!     one of a pool of C functions, each of which calls the procedure in its slot
//! ```
//!
//! Step before: `functions::callback`. Step after: C calls; the procedure gets Fortran's arguments.
//! Invariants: equal records are one record, and a procedure has one slot: a program that makes and
//! frees keys or operations for ever takes no more memory than its procedures are many.

pub mod attribute;
pub mod conversion;
pub mod error_handler;
pub mod operation;
mod pool;
mod record;
pub mod request;

pub use pool::Full;
