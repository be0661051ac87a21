//! Data representations of files, whose conversions are C++ functions.
//!
//! What: `Register_datarep`, in Open MPI of C's and C++'s functions in all pairs. Step before: [`crate::methods`]. Step
//! after: the C library, which calls [`read`], [`write`] and [`extent`]. Invariant: a representation lives as long as the
//! process; C++'s functions of Open MPI return nothing, which is success.

use std::ffi::{c_int, c_void};

use super::Element;
use crate::c_library::MPI_Register_datarep;
use crate::class;
use crate::error;
use crate::object::Object;

#[cfg(face = "openmpi")]
type ConvertC =
    unsafe extern "C" fn(*mut c_void, Element, c_int, *mut c_void, i64, *mut c_void) -> c_int;
type ConvertCxx =
    unsafe extern "C" fn(*mut c_void, *mut Object, c_int, *mut c_void, i64, *mut c_void) -> c_int;
type Extent = unsafe extern "C" fn(*const Object, *mut isize, *mut c_void) -> c_int;

/// A conversion.
#[derive(Clone, Copy)]
enum Convert {
    #[cfg(face = "openmpi")]
    C(ConvertC),
    Cxx(ConvertCxx),
}

struct Representation {
    read: Option<Convert>,
    write: Option<Convert>,
    extent: Option<Extent>,
    extra: *mut c_void,
}

/// What a function of C++ says.
fn answer(code: c_int) -> c_int {
    match cfg!(face = "mpich") {
        true => code,
        false => 0,
    }
}

/// Converts with the program's function.
///
/// # Safety
///
/// As the standard says.
unsafe fn convert(
    function: Option<Convert>,
    user: *mut c_void,
    datatype: Element,
    count: c_int,
    file: *mut c_void,
    position: i64,
    extra: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        match function {
            #[cfg(face = "openmpi")]
            Some(Convert::C(function)) => function(user, datatype, count, file, position, extra),
            Some(Convert::Cxx(function)) => {
                let mut datatype = class::Datatype().with(datatype as usize);
                answer(function(user, &mut datatype, count, file, position, extra))
            }
            None => 0,
        }
    }
}

macro_rules! conversions {
    ($($name:ident)*) => { $(
        unsafe extern "C" fn $name(
            user: *mut c_void,
            datatype: Element,
            count: c_int,
            file: *mut c_void,
            position: i64,
            state: *const Representation,
        ) -> c_int {
            // SAFETY: the C library gives back what [`register`] gave it.
            unsafe {
                let (function, extra) = ((*state).$name, (*state).extra);
                convert(function, user, datatype, count, file, position, extra)
            }
        }
    )* };
}

conversions! { read write }

unsafe extern "C" fn extent(
    datatype: Element,
    bytes: *mut isize,
    state: *const Representation,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let datatype = class::Datatype().with(datatype as usize);
        match (*state).extent {
            Some(function) => answer(function(&datatype, bytes, (*state).extra)),
            None => 0,
        }
    }
}

/// Registers a representation.
///
/// # Safety
///
/// As the standard says.
unsafe fn register(name: usize, representation: Representation) -> usize {
    // `MPI_CONVERSION_FN_NULL` is a null pointer, and is C's matter.
    let given = |function: &Option<Convert>, own: *const c_void| match function {
        Some(_) => own,
        None => std::ptr::null(),
    };
    let read = given(&representation.read, read as *const c_void);
    let write = given(&representation.write, write as *const c_void);
    let state: *const Representation = Box::leak(Box::new(representation));
    // SAFETY: the functions take the state, which lives as long as the process; errors are the world's.
    unsafe {
        let extent = extent as *const c_void;
        let code = MPI_Register_datarep(name, read, write, extent, state.cast_mut().cast());
        error::world(0, code);
    }
    0
}

/// A conversion of C's.
#[cfg(face = "openmpi")]
unsafe fn c(function: usize) -> Option<Convert> {
    // SAFETY: the caller says that it is one, or null.
    unsafe { super::attribute::function::<Option<ConvertC>>(function) }.map(Convert::C)
}

/// A conversion of C++'s.
unsafe fn cxx(function: usize) -> Option<Convert> {
    // SAFETY: the caller says that it is one, or null.
    unsafe { super::attribute::function::<Option<ConvertCxx>>(function) }.map(Convert::Cxx)
}

macro_rules! registrations {
    ($($name:ident: $read:ident $write:ident)*) => { $(
        /// `MPI::Register_datarep`.
        ///
        /// # Safety
        ///
        /// As the standard says.
        pub unsafe fn $name(
            name: usize,
            read: usize,
            write: usize,
            extent: usize,
            extra: usize,
        ) -> usize {
            // SAFETY: the caller's promise.
            unsafe {
                let representation = Representation {
                    read: $read(read),
                    write: $write(write),
                    extent: super::attribute::function(extent),
                    extra: extra as *mut c_void,
                };
                register(name, representation)
            }
        }
    )* };
}

registrations! {
    register_cxx_cxx: cxx cxx
}

#[cfg(face = "openmpi")]
registrations! {
    register_c_cxx: c cxx
    register_cxx_c: cxx c
    register_c_c: c c
}
