//! MPICH's handles: the same integer in both languages, but for files.
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: nothing is kept here.

use crate::c::{File, Handle, Integer};

/// Whether handles need no conversion, all whose bits these are.
#[inline(always)]
pub fn are_predefined(_bits: Integer) -> bool {
    true
}

macro_rules! kinds {
    ($($name:ident)*) => {
        $(
            /// Handles of one kind.
            pub mod $name {
                use super::*;

                /// What C has.
                pub type C = Handle;

                /// The C handle of an integer.
                #[inline(always)]
                pub fn to_c(integer: Integer) -> C {
                    integer
                }

                /// The integer of a C handle.
                #[inline(always)]
                pub fn to_fortran(handle: C) -> Integer {
                    handle
                }
            }
        )*
    };
}

kinds!(comm datatype errhandler group info message op request session win);

/// Handles of files, which are pointers in C.
pub mod file {
    use super::*;

    /// What C has.
    pub type C = File;

    unsafe extern "C" {
        fn PMPI_File_f2c(integer: Integer) -> C;
        fn PMPI_File_c2f(handle: C) -> Integer;
    }

    /// The C handle of an integer.
    pub fn to_c(integer: Integer) -> C {
        // SAFETY: the function takes any integer.
        unsafe { PMPI_File_f2c(integer) }
    }

    /// The integer of a C handle.
    pub fn to_fortran(handle: C) -> Integer {
        // SAFETY: C gave this handle.
        unsafe { PMPI_File_c2f(handle) }
    }
}
