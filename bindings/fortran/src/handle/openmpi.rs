//! Open MPI's handles: addresses of objects, whose integers the C library knows.
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: nothing is kept here.

use crate::c::{Handle, Integer};

/// Whether handles need no conversion, all whose bits these are.
#[inline(always)]
pub fn are_predefined(_bits: Integer) -> bool {
    false
}

macro_rules! kind {
    ($name:ident, $f2c:ident, $c2f:ident) => {
        /// Handles of one kind.
        pub mod $name {
            use super::*;

            /// What C has.
            pub type C = Handle;

            unsafe extern "C" {
                fn $f2c(integer: Integer) -> C;
                fn $c2f(handle: C) -> Integer;
            }

            /// The C handle of an integer.
            #[inline(always)]
            pub fn to_c(integer: Integer) -> C {
                // SAFETY: the function takes any integer.
                unsafe { $f2c(integer) }
            }

            /// The integer of a C handle.
            #[inline(always)]
            pub fn to_fortran(handle: C) -> Integer {
                // SAFETY: C gave this handle.
                unsafe { $c2f(handle) }
            }
        }
    };
}

kind!(comm, PMPI_Comm_f2c, PMPI_Comm_c2f);
kind!(datatype, PMPI_Type_f2c, PMPI_Type_c2f);
kind!(errhandler, PMPI_Errhandler_f2c, PMPI_Errhandler_c2f);
kind!(file, PMPI_File_f2c, PMPI_File_c2f);
kind!(group, PMPI_Group_f2c, PMPI_Group_c2f);
kind!(info, PMPI_Info_f2c, PMPI_Info_c2f);
kind!(message, PMPI_Message_f2c, PMPI_Message_c2f);
kind!(op, PMPI_Op_f2c, PMPI_Op_c2f);
kind!(request, PMPI_Request_f2c, PMPI_Request_c2f);
kind!(session, PMPI_Session_f2c, PMPI_Session_c2f);
kind!(win, PMPI_Win_f2c, PMPI_Win_c2f);
