//! Reductions that a program wrote in Fortran.
//!
//! ```text
//! C:        void f(void *in, void *inout, int *len, MPI_Datatype *datatype)
//! Fortran:  SUBROUTINE F(INVEC, INOUTVEC, LEN, TYPE)      TYPE an INTEGER, all by address
//! ```
//!
//! Step before: `functions::callback::op_create`. Step after: a reduction of C's.
//! Invariant: the count is passed by the address that C gives, whatever its size.

use super::pool::{Full, SLOTS, Slots, pool};
use crate::c::{Handle, Integer, c_void};
use crate::handle;

static PROCEDURES: Slots = Slots::new();

type CFunction = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut Handle);
type Procedure = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut Integer);

unsafe extern "C" fn reduce<const SLOT: usize>(
    with: *mut c_void,
    into: *mut c_void,
    length: *mut c_void,
    datatype: *mut Handle,
) {
    // SAFETY: the slot was filled by `function` before C knew this function; C gives a datatype.
    unsafe {
        let procedure: Procedure = std::mem::transmute(PROCEDURES.procedure(SLOT));
        let mut datatype = handle::datatype::to_fortran(*datatype);
        procedure(with, into, length, &raw mut datatype);
    }
}

static FUNCTIONS: [[CFunction; 16]; SLOTS / 16] = pool!(reduce);

/// The C function for a procedure.
///
/// # Errors
///
/// [`Full`]: the program has as many procedures already.
pub fn function(procedure: *mut c_void) -> Result<*mut c_void, Full> {
    let slot = PROCEDURES.of(procedure as usize)?;
    Ok(FUNCTIONS[slot / 16][slot % 16] as *mut c_void)
}
