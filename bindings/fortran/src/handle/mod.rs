//! Handles: Fortran's integers and what C has for them.
//!
//! What: for each kind `to_c` and `to_fortran`, and [`Array`] for many at once.
//!
//! | face | C's handle | conversion |
//! |---|---|---|
//! | standard | a number of a pointer's size | none for predefined ones; `MPI_Comm_fromint`, `MPI_Comm_toint` |
//! | MPICH | an integer, a pointer for files | none, but for files |
//! | Open MPI | a pointer | `MPI_Comm_f2c`, `MPI_Comm_c2f` |
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: nothing is kept here; a handle that C frees is C's null handle when it comes back.

#[cfg(face = "mpich")]
mod mpich;
#[cfg(face = "openmpi")]
mod openmpi;
#[cfg(face = "standard")]
mod standard;

#[cfg(face = "mpich")]
pub use mpich::*;
#[cfg(face = "openmpi")]
pub use openmpi::*;
#[cfg(face = "standard")]
pub use standard::*;

use std::mem::MaybeUninit;

use crate::address::STATUS_IGNORE_OF_C;
use crate::c::{self, Handle, Integer, c_int};

/// Calls what makes a C handle, and gives its integer to the program if there is one; the code.
///
/// # Safety
///
/// The program's integer may be written.
pub unsafe fn made<H: Default>(
    integer: *mut Integer,
    to_fortran: fn(H) -> Integer,
    make: impl FnOnce(*mut H) -> c_int,
) -> c_int {
    let mut handle = H::default();
    let code = make(&raw mut handle);
    if code == c::SUCCESS {
        // SAFETY: the caller's promise.
        unsafe { *integer = to_fortran(handle) };
    }
    code
}

/// Whether C is done with a request, which it may say without ending it.
pub fn is_complete(request: Integer) -> bool {
    let mut flag: c_int = 0;
    let handle = request::to_c(request);
    // SAFETY: C gave the request; the place is this function's; the status is ignored.
    let code =
        unsafe { c::symbol::PMPI_Request_get_status(handle, &raw mut flag, STATUS_IGNORE_OF_C) };
    code == c::SUCCESS && flag != 0
}

/// So many handles need no allocation.
const FEW: usize = 64;

/// C's handles for an array of integers.
pub struct Array {
    few: [MaybeUninit<Handle>; FEW],
    many: Vec<Handle>,
    length: usize,
}

impl Array {
    /// The handles of `length` integers at `integers`.
    ///
    /// # Safety
    ///
    /// So many integers are there, or the length is 0.
    #[inline]
    pub unsafe fn new(
        integers: *const Integer,
        length: usize,
        to_c: impl Fn(Integer) -> Handle,
    ) -> Self {
        // SAFETY: each index is below the length.
        let handle = |index| to_c(unsafe { *integers.add(index) });
        let mut few = [MaybeUninit::uninit(); FEW];
        let mut many = Vec::new();
        match few.get_mut(..length) {
            Some(few) => (0..length).for_each(|index| few[index] = MaybeUninit::new(handle(index))),
            None => many.extend((0..length).map(handle)),
        }
        Self { few, many, length }
    }

    /// The handles.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Handle] {
        match self.length <= FEW {
            // SAFETY: `new` has written so many.
            true => unsafe {
                std::slice::from_raw_parts_mut(self.few.as_mut_ptr().cast(), self.length)
            },
            false => &mut self.many,
        }
    }

    /// Where C finds them.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut Handle {
        self.as_mut_slice().as_mut_ptr()
    }

    /// The handles for as long as the caller wants, at an address of their own.
    pub fn into_box(mut self) -> Box<[Handle]> {
        self.as_mut_slice().into()
    }
}
