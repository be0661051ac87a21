//! Functions that no rule covers.
//!
//! What: those that `argument::SPECIAL` of the generator lists, and those that only one ABI has. Step before:
//! [`crate::functions`]. Step after: `libmpi_abi.so.1`. Invariant: the names are those of the C functions in lower case.

mod attribute;
mod contents;
mod extension;
mod fortran_status;
mod group;
mod structure;
mod tool;
mod type_arrays;

pub use attribute::*;
pub use contents::*;
pub use extension::*;
pub use fortran_status::*;
pub use group::*;
pub use structure::*;
pub use tool::*;
pub use type_arrays::*;
