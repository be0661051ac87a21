//! Error handlers that a program wrote in Fortran.
//!
//! ```text
//! C:        void f(MPI_Comm *comm, int *code, ...)
//! Fortran:  SUBROUTINE F(COMM, ERROR_CODE)      COMM an INTEGER, both by address
//! ```
//!
//! Step before: `functions::callback`. Step after: C, when a call fails.
//! Invariant: each kind of object has a pool of its own, since its handles are converted in a way of their own.

use super::pool::{Full, SLOTS, Slots, pool};
use crate::c::{Integer, c_void};
use crate::handle;

type Procedure = unsafe extern "C" fn(*mut Integer, *mut Integer);

macro_rules! kind {
    ($name:ident) => {
        /// Error handlers of one kind of object.
        pub mod $name {
            use super::*;

            type CFunction = unsafe extern "C" fn(*mut handle::$name::C, *mut Integer);

            static PROCEDURES: Slots = Slots::new();

            // C passes more arguments, which the standard leaves open: nobody reads them.
            unsafe extern "C" fn handle_error<const SLOT: usize>(
                object: *mut handle::$name::C,
                code: *mut Integer,
            ) {
                // SAFETY: the slot was filled before C knew this function; C gives an object and a code.
                unsafe {
                    let procedure: Procedure = std::mem::transmute(PROCEDURES.procedure(SLOT));
                    let mut object = handle::$name::to_fortran(*object);
                    procedure(&raw mut object, code);
                }
            }

            static FUNCTIONS: [[CFunction; 16]; SLOTS / 16] = pool!(handle_error);

            /// The C function for a procedure.
            ///
            /// # Errors
            ///
            /// [`Full`]: the program has as many procedures already.
            pub fn function(procedure: *mut c_void) -> Result<*mut c_void, Full> {
                let slot = PROCEDURES.take(procedure as usize)?;
                Ok(FUNCTIONS[slot / 16][slot % 16] as *mut c_void)
            }
        }
    };
}

kind!(comm);
kind!(win);
kind!(file);
kind!(session);
