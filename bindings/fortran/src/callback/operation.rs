//! Reductions that a program wrote in Fortran.
//!
//! ```text
//! C:        void f(void *in, void *inout, int *len, MPI_Datatype *datatype)
//! Fortran:  SUBROUTINE F(INVEC, INOUTVEC, LEN, TYPE)      TYPE an INTEGER, all by address
//! ```
//!
//! Step before: `functions::callback::op_create`. Step after: a reduction of C's.
//! Invariant: the count is passed by the address that C gives, whatever its size.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

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

/// The slots of the operations that are made of Fortran procedures.
static OPERATIONS: Mutex<Option<HashMap<Handle, usize>>> = Mutex::new(None);

/// An operation whose C function is known and whose handle is to come.
pub struct Making(usize);

impl Making {
    /// Takes a slot for a procedure.
    ///
    /// # Errors
    ///
    /// [`Full`]: the program has as many procedures in use already.
    pub fn new(procedure: *mut c_void) -> Result<Self, Full> {
        PROCEDURES.take(procedure as usize).map(Self)
    }

    /// The C function.
    pub fn function(&self) -> *mut c_void {
        FUNCTIONS[self.0 / 16][self.0 % 16] as *mut c_void
    }

    /// C has made the operation, or no operation.
    pub fn end(self, made: Option<Handle>) {
        match made {
            Some(operation) => {
                let mut operations = OPERATIONS.lock().unwrap_or_else(PoisonError::into_inner);
                operations.get_or_insert_default().insert(operation, self.0);
            }
            None => PROCEDURES.give_back(self.0),
        }
    }
}

/// An operation is freed.
pub fn freed(operation: Handle) {
    let mut operations = OPERATIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(slot) = operations.as_mut().and_then(|all| all.remove(&operation)) {
        PROCEDURES.give_back(slot);
    }
}
