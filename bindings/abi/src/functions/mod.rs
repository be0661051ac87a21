//! What the functions do: one file a chapter of the table.
//!
//! For `MPI_Name` of chapter `c`, `c.rs` has `pub unsafe fn name` with the C
//! parameters in Rust types, generic over [`Count`](crate::count::Count) where the
//! large-count twin differs. It returns [`Result`](crate::error::Result), or the
//! value itself where C's return value is not an error code. `build.rs` finds
//! the functions by these words; one that is in the table and not here is exported
//! all the same, and raises `MPI_ERR_UNSUPPORTED_OPERATION` naming itself. The
//! words must stand in the file: a name that a macro makes is not found. A chapter
//! may also be a folder of files whose functions `<chapter>.rs` re-exports.
//!
//! The caller of each function is the C program, by way of `crate::exports`: what
//! the standard asks of the program's arguments is what the function may rely on.
//! The export has refused null pointers where the call writes one value or reads a
//! status; of buffers, arrays and strings the function itself knows.

// The parameters are the standard's, and so is what their caller must ensure.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod attribute;
pub mod buffer;
pub mod collective;
pub mod collective_nonblocking;
pub mod collective_persistent;
pub mod communicator;
pub mod datatype;
pub mod environment;
pub mod error;
pub mod group;
pub mod handle_conversion;
pub mod info;
pub mod inter_communicator;
pub mod neighborhood;
pub mod operation;
pub mod pack;
pub mod persistent;
pub mod point_to_point;
pub mod probe;
pub mod removed;
pub mod request;
pub mod session;
pub mod status;
pub mod tool;
pub mod topology;
