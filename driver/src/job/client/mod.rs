//! Clients of a job besides the one that uses the job's own lanes: their table, its lock, and their parts of the memory.
//!
//! Before: a library opens a client by its name. After: it has lanes of its own, in its part of the job's file.
//!
//! Invariant: an entry of the table has one part of the file, and the part has that client alone.

pub(super) mod place;
pub mod table;
mod table_lock;
