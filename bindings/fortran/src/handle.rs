//! Handles: Fortran's integers and C's pointers.
//!
//! What: for each kind `to_c` and `to_fortran`, and [`Array`] for many at once.
//!
//! ```text
//! below 0x1000   predefined: the same number in both languages (MPI-5.0, section 20)
//! others         MPI_Comm_fromint, MPI_Comm_toint: the C library's own table
//! ```
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: nothing is kept here; a handle that C frees is C's null handle when it comes back.

use std::mem::MaybeUninit;

use crate::c::{self, Handle, Integer, c_int};

/// Below it handles are predefined ones.
const PREDEFINED: Handle = 0x1000;

/// Whether handles are predefined, all whose bits these are.
#[inline(always)]
pub fn are_predefined(bits: Integer) -> bool {
    // A negative one has a bit above.
    (bits as u32 as Handle) < PREDEFINED
}

macro_rules! kind {
    ($name:ident, $fromint:ident, $toint:ident) => {
        /// Handles of one kind.
        pub mod $name {
            use super::*;

            unsafe extern "C" {
                fn $fromint(integer: Integer) -> Handle;
                fn $toint(handle: Handle) -> Integer;
            }

            /// The C handle of an integer.
            #[inline(always)]
            pub fn to_c(integer: Integer) -> Handle {
                match usize::try_from(integer) {
                    Ok(handle) if handle < PREDEFINED => handle,
                    // SAFETY: the function takes any integer.
                    _ => unsafe { $fromint(integer) },
                }
            }

            /// The integer of a C handle.
            #[inline(always)]
            pub fn to_fortran(handle: Handle) -> Integer {
                match handle < PREDEFINED {
                    true => handle as Integer,
                    // SAFETY: C gave this handle.
                    false => unsafe { $toint(handle) },
                }
            }
        }
    };
}

kind!(comm, PMPI_Comm_fromint, PMPI_Comm_toint);
kind!(datatype, PMPI_Type_fromint, PMPI_Type_toint);
kind!(errhandler, PMPI_Errhandler_fromint, PMPI_Errhandler_toint);
kind!(file, PMPI_File_fromint, PMPI_File_toint);
kind!(group, PMPI_Group_fromint, PMPI_Group_toint);
kind!(info, PMPI_Info_fromint, PMPI_Info_toint);
kind!(message, PMPI_Message_fromint, PMPI_Message_toint);
kind!(op, PMPI_Op_fromint, PMPI_Op_toint);
kind!(request, PMPI_Request_fromint, PMPI_Request_toint);
kind!(session, PMPI_Session_fromint, PMPI_Session_toint);
kind!(win, PMPI_Win_fromint, PMPI_Win_toint);

/// Calls what makes a C handle, and gives its integer to the program if there is one; the code.
///
/// # Safety
///
/// The program's integer may be written.
pub unsafe fn made(
    integer: *mut Integer,
    to_fortran: fn(Handle) -> Integer,
    make: impl FnOnce(*mut Handle) -> c_int,
) -> c_int {
    let mut handle = 0;
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
    // SAFETY: C gave the request; the place is this function's; null ignores the status.
    let code =
        unsafe { c::symbol::PMPI_Request_get_status(handle, &raw mut flag, std::ptr::null_mut()) };
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
