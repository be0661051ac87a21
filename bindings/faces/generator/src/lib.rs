//! Writes the functions of another MPI's ABI over those of the standard ABI.
//!
//! What: from the interface's tables, an ABI's numbers and what integers mean, the Rust that a face includes. Why: a face
//! is 700 functions that do the same few things to their arguments; each thing is a rule here, and written once.
//!
//! ```text
//! interface/table/*.txt ---------+                +--> calls.rs      the table of libmpi_abi.so.1's functions
//! faces/X/table/constants.txt ---+--> generate ---+--> constants.rs  integers in and out
//! faces/X/table/functions.txt ---+                +--> handles.rs    predefined handles
//! generator/table/meanings.txt --+                +--> functions.rs  MPI_X and PMPI_X
//! ```
//!
//! Step before: the tables, which people edit. Step after: a face's `build.rs` has the files compiled.
//! Invariant: what no rule covers is listed in [`argument`] by name, and written by hand in `source/special`.

pub mod argument;
pub mod build;
pub mod call;
pub mod constant;
pub mod cxx;
pub mod description;
pub mod function;
pub mod handle;
pub mod meaning;

/// The text of `table/meanings.txt`.
pub const MEANINGS: &str = include_str!("../table/meanings.txt");
