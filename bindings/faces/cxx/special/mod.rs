//! Functions that no line of a table describes.
//!
//! What: those that translate arrays, make objects, or give C++ functions to C. Step before: [`crate::methods`]. Step
//! after: the C library. Invariant: the names and numbers of registers are those of `table/methods.txt`.

mod array;
mod attribute;
mod callback;
mod communicator;
#[cfg_attr(face = "mpich", path = "../mpich/own.rs")]
#[cfg_attr(face = "openmpi", path = "../openmpi/own.rs")]
mod own;
mod representation;

pub use array::*;
pub use callback::*;
pub use communicator::*;
pub use own::*;
pub use representation::*;
