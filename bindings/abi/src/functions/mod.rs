//! What the functions do: a room for some chapters of the standard, a file for each chapter of the table.
//!
//! | room               | functions |
//! |--------------------|-----------|
//! | [`messages`]       | sends, receives, probes, buffers; requests and statuses; later partitioned messages |
//! | [`datatypes`]      | datatypes, packing |
//! | [`collectives`]    | collective operations in all forms, reduction operations |
//! | [`communicators`]  | communicators, groups, attributes, topologies |
//! | [`management`]     | start and end, clocks, errors, info, sessions; later spawned processes |
//! | [`languages`]      | handles of other languages, removed names; later Fortran |
//! | [`tool`]           | the tool information interface |
//! | [`one_sided`]      | windows: remote memory access, its synchronisation |
//! | `file`             | later: files |
//!
//! The table `table/functions.txt` says which room and chapter a function is in. For `MPI_Name` of chapter
//! `r/c`, `r/c.rs` has `pub unsafe fn name` with the C parameters in Rust types, generic over
//! [`Count`](crate::count::Count) where the large-count twin differs. It returns
//! [`Result`](crate::error::Result), or the value itself where C's return value is not an error
//! code. `build.rs` finds the functions by these words. A function that is in the table and not here is
//! exported all the same, and raises `MPI_ERR_UNSUPPORTED_OPERATION` naming itself. The words must
//! stand in the file: a name that a macro makes is not found. A chapter may also be a folder of
//! files whose functions its `mod.rs` re-exports.
//!
//! The caller of each function is the C program, by way of `crate::exports`: what
//! the standard asks of the program's arguments is what the function may rely on.
//! The export has refused null pointers where the call writes one value or reads a
//! status; of buffers, arrays and strings the function itself knows.
//!
//! Objects that outlive a call are in [`crate::state`], so that no chapter imports another for them.

// The parameters are the standard's, and so is what their caller must ensure.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod collectives;
pub mod communicators;
pub mod datatypes;
pub mod languages;
pub mod management;
pub mod messages;
pub mod one_sided;
pub mod tool;
