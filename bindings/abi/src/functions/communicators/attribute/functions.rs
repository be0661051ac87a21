//! The functions of a key, which the program passed: they are called when an object is duplicated or freed.
//!
//! Before: `MPI_Comm_create_keyval`, or that of another kind of object. After: `pamir_mpi::attribute` calls
//! them, with objects' tokens, which are handles here.

use std::ffi::{c_int, c_void};

use pamir_mpi::attribute::{AttributeFunctions, KeyvalId};

use crate::state::attributes::key;

/// The predefined function that copies an attribute as it is (`MPI_COMM_DUP_FN`,
/// `MPI_TYPE_DUP_FN`, `MPI_DUP_FN`).
const DUPLICATE: usize = 1;

/// `MPI_Comm_copy_attr_function`, or that of another kind of object with its handle.
pub type CopyFunction<H> = unsafe extern "C" fn(
    object: H,
    keyval: c_int,
    extra_state: *mut c_void,
    value: *mut c_void,
    copied: *mut c_void,
    flag: *mut c_int,
) -> c_int;

/// `MPI_Comm_delete_attr_function`, or that of another kind of object with its handle.
pub type DeleteFunction<H> = unsafe extern "C" fn(
    object: H,
    keyval: c_int,
    value: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;

/// What the program passed with a key of objects whose handles are `H`.
pub struct Functions<H> {
    /// Copies a value to a duplicate; none copies nothing.
    pub copy: Option<CopyFunction<H>>,
    /// Is told that a value goes.
    pub delete: Option<DeleteFunction<H>>,
    /// What both get.
    pub extra_state: usize,
    /// The handle of a token.
    pub handle: fn(usize) -> H,
}

impl<H> AttributeFunctions for Functions<H> {
    fn copy(
        &self,
        object: u64,
        keyval: KeyvalId,
        value: usize,
    ) -> std::result::Result<Option<usize>, i32> {
        let Some(function) = self.copy else {
            return Ok(None);
        };
        if function as usize == DUPLICATE {
            return Ok(Some(value));
        }
        let (mut copied, mut flag) = (0_usize, 0);
        let out: *mut usize = &mut copied;
        // SAFETY: the program gave the function for this; the addresses are good during the
        // call, and values travel as what they were given as.
        let code = unsafe {
            function(
                (self.handle)(object as usize),
                key(keyval),
                self.extra_state as *mut c_void,
                value as *mut c_void,
                out.cast(),
                &mut flag,
            )
        };
        match code {
            0 => Ok((flag != 0).then_some(copied)),
            code => Err(crate::face::code_in(code)),
        }
    }

    fn delete(&self, object: u64, keyval: KeyvalId, value: usize) -> std::result::Result<(), i32> {
        let Some(function) = self.delete else {
            return Ok(());
        };
        // SAFETY: as in `copy`.
        let code = unsafe {
            function(
                (self.handle)(object as usize),
                key(keyval),
                value as *mut c_void,
                self.extra_state as *mut c_void,
            )
        };
        match code {
            0 => Ok(()),
            code => Err(crate::face::code_in(code)),
        }
    }
}
