//! Array sections: buffers that do not lie in one piece.
//!
//! What: a compiler passes `a(1:n:2)` as a descriptor. [`Descriptor`] reads it; [`Layout`] is its shape in
//! bytes; [`Described`] turns it into a datatype, [`Staged`] into a contiguous copy.
//!
//! ```text
//! a(1:7:2) of 8 bytes   descriptor: address, element 8, rank 1, (extent 4, stride 16)
//! in memory             #.#.#.#.      Described: 1 element of hvector(4, 1, 16, datatype)
//!                                     Staged:    ####, copied back when the operation is complete
//! ```
//!
//! Step before: `entry`, which asks [`Descriptor::is_contiguous`]. Step after: the Fortran entry with an address.
//! Invariant: the descriptor is the compiler's and lives as long as the call; all that lives longer is copied.

mod datatype;
mod descriptor;
mod layout;
mod staged;

pub use datatype::Described;
pub use descriptor::Descriptor;
pub use layout::Layout;
pub use staged::Staged;

use crate::c::{self, Integer};
use crate::error::{Object, finish, raise_on};

/// Refuses a section where the memory itself is meant.
///
/// # Safety
///
/// `ierror` is null or an integer of the program's.
#[cold]
pub unsafe fn refuse(function: &str, object: Object, ierror: *mut Integer) {
    let text =
        format!("{function}: the buffer is an array section with gaps; give a contiguous array");
    // SAFETY: the caller's promise.
    unsafe { finish(ierror, raise_on(object, c::ERR_BUFFER, &text)) };
}
