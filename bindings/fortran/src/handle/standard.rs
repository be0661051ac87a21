//! The standard ABI's handles.
//!
//! ```text
//! below 0x1000   predefined: the same number in both languages (MPI-5.0, section 20)
//! others         MPI_Comm_fromint, MPI_Comm_toint: the C library's own table
//! ```
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: nothing is kept here.

use crate::c::{Handle, Integer};

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

            /// What C has.
            pub type C = Handle;

            unsafe extern "C" {
                fn $fromint(integer: Integer) -> C;
                fn $toint(handle: C) -> Integer;
            }

            /// The C handle of an integer.
            #[inline(always)]
            pub fn to_c(integer: Integer) -> C {
                match usize::try_from(integer) {
                    Ok(handle) if handle < PREDEFINED => handle,
                    // SAFETY: the function takes any integer.
                    _ => unsafe { $fromint(integer) },
                }
            }

            /// The integer of a C handle.
            #[inline(always)]
            pub fn to_fortran(handle: C) -> Integer {
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
