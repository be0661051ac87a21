//! Attributes whose callbacks are C++ functions.
//!
//! What: `Create_keyval` of communicators, datatypes and windows; a callback may be C's and the other C++'s. Step
//! before: [`crate::methods`]. Step after: the C library, which calls [`copy`] and [`delete`]. Invariant: the functions
//! of a key live as long as the process, for nobody says when its last attribute is gone.

use std::ffi::{c_int, c_void};

use crate::c_library::*;
use crate::class;
use crate::kind::class_of;
use crate::object::Object;

type CopyC =
    unsafe extern "C" fn(usize, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
type CopyCxx = unsafe extern "C" fn(
    *const Object,
    c_int,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut bool,
) -> c_int;
type DeleteC = unsafe extern "C" fn(usize, c_int, *mut c_void, *mut c_void) -> c_int;
type DeleteCxx = unsafe extern "C" fn(*mut Object, c_int, *mut c_void, *mut c_void) -> c_int;

/// The objects that have attributes.
#[derive(Clone, Copy)]
pub enum Owner {
    /// Communicators.
    Comm,
    /// Datatypes.
    Type,
    /// Windows.
    Win,
}

impl Owner {
    fn object(self, handle: usize) -> Object {
        match self {
            Self::Comm => class_of(handle),
            Self::Type => class::Datatype(),
            Self::Win => class::Win(),
        }
        .with(handle)
    }
}

/// The functions of a key; of each pair one at most is there.
pub struct Key {
    /// What has the attribute.
    pub owner: Owner,
    /// C's.
    pub copy: Option<CopyC>,
    /// C++'s.
    pub copy_cxx: Option<CopyCxx>,
    /// C's.
    pub delete: Option<DeleteC>,
    /// C++'s.
    pub delete_cxx: Option<DeleteCxx>,
    /// What they are called with.
    pub extra: *mut c_void,
}

unsafe extern "C" fn copy(
    handle: usize,
    keyval: c_int,
    key: *const Key,
    value: *mut c_void,
    new: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the C library gives back what [`create`] gave it, and the program's functions are for these arguments.
    unsafe {
        let key = &*key;
        if let Some(function) = key.copy_cxx {
            let mut shall = false;
            let object = key.owner.object(handle);
            let code = function(&object, keyval, key.extra, value, new, &mut shall);
            *flag = shall.into();
            return code;
        }
        *flag = 0;
        match key.copy {
            Some(function) => function(handle, keyval, key.extra, value, new, flag),
            None => 0,
        }
    }
}

unsafe extern "C" fn delete(
    handle: usize,
    keyval: c_int,
    value: *mut c_void,
    key: *const Key,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let key = &*key;
        match (key.delete_cxx, key.delete) {
            (Some(function), _) => {
                function(&mut key.owner.object(handle), keyval, value, key.extra)
            }
            (None, Some(function)) => function(handle, keyval, value, key.extra),
            (None, None) => 0,
        }
    }
}

/// Makes a key: the C function's code.
pub fn create(key: Key, keyval: &mut c_int) -> c_int {
    let make = match key.owner {
        Owner::Comm => MPI_Comm_create_keyval,
        Owner::Type => MPI_Type_create_keyval,
        Owner::Win => MPI_Win_create_keyval,
    };
    let state: *const Key = Box::leak(Box::new(key));
    // SAFETY: the functions take the state, which lives as long as the process.
    unsafe {
        make(
            copy as *const c_void,
            delete as *const c_void,
            keyval,
            state.cast_mut().cast(),
        )
    }
}

/// A function that the program gave, or none.
///
/// # Safety
///
/// `F` is the type of an optional function.
pub unsafe fn function<F>(address: usize) -> F {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    // SAFETY: the caller's promise.
    unsafe { std::mem::transmute_copy(&address) }
}
