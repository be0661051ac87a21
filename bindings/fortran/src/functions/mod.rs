//! The functions whose arguments no rule converts.
//!
//! What: each is called with the C function to call and Fortran's arguments, strings' lengths last, and
//! gives C's code. One that ends in `_f08` is the form of the module `mpi_f08`.
//! Step before: `entry`. Step after: the C function.
//! Invariant: a name here is the C name in lower case without `MPI_`; the generator looks for it.

// The arguments are the program's, as `entry` hands them on: each function's safety is MPI's text.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

mod attribute;
mod callback;
mod completion;
mod contents;
mod environment;
mod greeting;
mod info;
mod memory;
mod predefined;
mod removed;
mod spawn;
mod status;
mod structure;

pub use attribute::*;
pub use callback::*;
pub use completion::*;
pub use contents::*;
pub use environment::*;
pub use info::*;
pub use memory::*;
pub use removed::*;
pub use spawn::*;
pub use structure::*;
