//! Procedures that copy and delete attributes.
//!
//! ```text
//! C:        int copy(MPI_Comm, int key, void *extra, void *in, void *out, int *flag)
//! Fortran:  SUBROUTINE COPY(COMM, KEY, EXTRA, IN, OUT, FLAG, IERROR)   values of address size, or
//!                                                                      INTEGERs, as MPI-1 had them
//! ```
//!
//! Step before: `functions::callback`. Step after: C, when an object is duplicated or freed.
//! Invariant: a copy gets a cell of its own, so that each cell is deleted once.

use super::record::Records;
use crate::attribute;
use crate::c::{self, Handle, Integer, c_int, c_void};
use crate::handle;

/// The procedures of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Copies a value.
    pub copy: usize,
    /// Deletes a value.
    pub delete: usize,
    /// What the program wants to see again.
    pub extra_state: i64,
    /// Whether values are `INTEGER`s.
    pub is_narrow: bool,
}

static KEYS: Records<Key> = Records::new();

impl Key {
    /// The address that C carries.
    pub fn address(self) -> *mut c_void {
        KEYS.address(self)
    }
}

type Copy = unsafe extern "C" fn(
    *mut Integer,
    *mut c_int,
    *mut i64,
    *mut i64,
    *mut i64,
    *mut Integer,
    *mut Integer,
);
type Delete = unsafe extern "C" fn(*mut Integer, *mut c_int, *mut i64, *mut i64, *mut Integer);

/// Calls the program's copy. A narrow value is the lower half of the wide one, where its address is.
unsafe fn copy(
    mut object: Integer,
    mut keyval: c_int,
    key: *mut c_void,
    from: *mut c_void,
    to: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: C gives back the key's address and places for the value and the flag.
    unsafe {
        let key = *key.cast::<Key>();
        let procedure: Copy = std::mem::transmute(key.copy);
        let (mut extra, mut value, mut code) = (key.extra_state, attribute::read(from), c::SUCCESS);
        // Where a procedure writes an INTEGER only, the rest is what it was.
        let mut copied = if key.is_narrow { 0 } else { value };
        let mut copies = c::logical(false);
        procedure(
            &raw mut object,
            &raw mut keyval,
            &raw mut extra,
            &raw mut value,
            &raw mut copied,
            &raw mut copies,
            &raw mut code,
        );
        *flag = c_int::from(copies != 0);
        if *flag != 0 {
            let copied = if key.is_narrow {
                i64::from(copied as Integer)
            } else {
                copied
            };
            *to.cast::<*mut c_void>() = attribute::store(copied);
        }
        code
    }
}

unsafe fn delete(
    mut object: Integer,
    mut keyval: c_int,
    value: *mut c_void,
    key: *mut c_void,
) -> c_int {
    // SAFETY: C gives back the key's address.
    unsafe {
        let key = *key.cast::<Key>();
        let procedure: Delete = std::mem::transmute(key.delete);
        let (mut extra, mut content, mut code) =
            (key.extra_state, attribute::read(value), c::SUCCESS);
        procedure(
            &raw mut object,
            &raw mut keyval,
            &raw mut content,
            &raw mut extra,
            &raw mut code,
        );
        if code == c::SUCCESS {
            attribute::delete(value);
        }
        code
    }
}

macro_rules! kind {
    ($name:ident) => {
        /// The C functions for the attributes of one kind of object.
        pub mod $name {
            use super::*;

            /// C's copy function.
            pub unsafe extern "C" fn copy(
                object: Handle,
                keyval: c_int,
                key: *mut c_void,
                from: *mut c_void,
                to: *mut c_void,
                flag: *mut c_int,
            ) -> c_int {
                // SAFETY: handed on from C.
                unsafe {
                    super::copy(
                        handle::$name::to_fortran(object),
                        keyval,
                        key,
                        from,
                        to,
                        flag,
                    )
                }
            }

            /// C's delete function.
            pub unsafe extern "C" fn delete(
                object: Handle,
                keyval: c_int,
                value: *mut c_void,
                key: *mut c_void,
            ) -> c_int {
                // SAFETY: handed on from C.
                unsafe { super::delete(handle::$name::to_fortran(object), keyval, value, key) }
            }
        }
    };
}

kind!(comm);
kind!(datatype);
kind!(win);
