//! Functions that only one ABI has.
//!
//! What: what the library knows of accelerators (nothing), predefined callbacks, later names of older functions; and
//! callbacks with an argument, for the C++ library (`faces/cxx`), whose functions C's have no room for.
//! Step before: `table/functions.txt` of a face names them. Step after: none, or the library.
//! Invariant: a function that both ABIs have says the same in both.

// Each face has those that its table names.
#![allow(dead_code)]

use std::ffi::{c_char, c_int, c_void};

use pamir_interface::face::{ErrorFunction, Owner};

use crate::call::pamir_functions;
use crate::constant::error_in;
use crate::handle;

/// `MPIX_Query_cuda_support`: buffers are in the memory of the processors.
pub fn mpix_query_cuda_support() -> c_int {
    0
}

/// `MPIX_Query_hip_support`: as above.
pub fn mpix_query_hip_support() -> c_int {
    0
}

/// `MPIX_Query_ze_support`: as above.
pub fn mpix_query_ze_support() -> c_int {
    0
}

/// `MPIX_Query_rocm_support`: as above.
pub fn mpix_query_rocm_support() -> c_int {
    0
}

/// `MPIX_GPU_query_support`.
///
/// # Safety
///
/// The place is null or writable.
pub unsafe fn mpix_gpu_query_support(_gpu_type: c_int, is_supported: *mut c_int) -> c_int {
    // SAFETY: the caller's promise.
    if let Some(place) = unsafe { is_supported.as_mut() } {
        *place = 0;
    }
    0
}

/// `MPIX_Delete_error_class`, which MPI-5.0 calls `MPI_Remove_error_class`.
pub fn mpix_delete_error_class(errorclass: c_int) -> c_int {
    // SAFETY: the function takes any integer.
    unsafe { (pamir_functions.MPI_Remove_error_class)(error_in(errorclass)) }
}

/// `MPIX_Delete_error_code`, which MPI-5.0 calls `MPI_Remove_error_code`.
pub fn mpix_delete_error_code(errorcode: c_int) -> c_int {
    // SAFETY: as above.
    unsafe { (pamir_functions.MPI_Remove_error_code)(error_in(errorcode)) }
}

/// `MPIX_Delete_error_string`, which MPI-5.0 calls `MPI_Remove_error_string`.
pub fn mpix_delete_error_string(errorcode: c_int) -> c_int {
    // SAFETY: as above.
    unsafe { (pamir_functions.MPI_Remove_error_string)(error_in(errorcode)) }
}

/// Open MPI's texts have this length.
const AFFINITY: usize = 1024;

/// `OMPI_Affinity_str`: where the process is bound, in the words of the kernel.
///
/// # Safety
///
/// The texts have room for 1024 characters.
pub unsafe fn ompi_affinity_str(
    _format: c_int,
    ompi_bound: *mut c_char,
    current_binding: *mut c_char,
    exists: *mut c_char,
) -> c_int {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let (bound, there) = (allowed.unwrap_or("").trim(), online.trim());
    for (text, place) in [
        (bound, ompi_bound),
        (bound, current_binding),
        (there, exists),
    ] {
        let bytes = &text.as_bytes()[..text.len().min(AFFINITY - 1)];
        // SAFETY: the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), place, bytes.len());
            *place.add(bytes.len()) = 0;
        }
    }
    0
}

/// A predefined callback copies the attribute.
///
/// # Safety
///
/// The places are writable.
pub unsafe fn duplicate(value: *mut c_void, copied: *mut c_void, flag: *mut c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        *copied.cast::<*mut c_void>() = value;
        *flag = 1;
    }
    0
}

/// A predefined callback copies nothing.
///
/// # Safety
///
/// The place is writable.
pub unsafe fn copy_nothing(flag: *mut c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { *flag = 0 };
    0
}

/// `MPIR_Dup_fn`, which MPICH's header calls `MPI_COMM_DUP_FN` and the like.
///
/// # Safety
///
/// As for a callback of the standard's.
#[cfg(face = "mpich")]
pub unsafe fn mpir_dup_fn(
    _object: c_int,
    _keyval: c_int,
    _extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { duplicate(attribute_val_in, attribute_val_out, flag) }
}

#[cfg(face = "openmpi")]
macro_rules! predefined {
    ($($delete:ident $copy:ident $duplicate:ident)*) => {$(
        /// The predefined callback of this name.
        pub fn $delete(_object: usize, _keyval: c_int, _value: *mut c_void, _extra_state: *mut c_void) -> c_int {
            0
        }

        /// The predefined callback of this name.
        ///
        /// # Safety
        ///
        /// As for a callback of the standard's.
        pub unsafe fn $copy(
            _object: usize,
            _keyval: c_int,
            _extra_state: *mut c_void,
            _value: *mut c_void,
            _copied: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { copy_nothing(flag) }
        }

        /// The predefined callback of this name.
        ///
        /// # Safety
        ///
        /// As for a callback of the standard's.
        pub unsafe fn $duplicate(
            _object: usize,
            _keyval: c_int,
            _extra_state: *mut c_void,
            value: *mut c_void,
            copied: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { duplicate(value, copied, flag) }
        }
    )*};
}

#[cfg(face = "openmpi")]
predefined! {
    ompi_c_mpi_comm_null_delete_fn ompi_c_mpi_comm_null_copy_fn ompi_c_mpi_comm_dup_fn
    ompi_c_mpi_type_null_delete_fn ompi_c_mpi_type_null_copy_fn ompi_c_mpi_type_dup_fn
    ompi_c_mpi_win_null_delete_fn ompi_c_mpi_win_null_copy_fn ompi_c_mpi_win_dup_fn
    ompi_c_mpi_null_delete_fn ompi_c_mpi_null_copy_fn ompi_c_mpi_dup_fn
}

/// Makes an error handler for all objects (0), communicators (1), windows (2) or files (3).
#[unsafe(no_mangle)]
pub extern "C" fn pamir_bound_errhandler(
    owner: c_int,
    function: ErrorFunction,
    argument: usize,
) -> handle::Errhandler {
    let owner = match owner {
        1 => Owner::Communicator,
        2 => Owner::Window,
        3 => Owner::File,
        _ => Owner::Any,
    };
    // SAFETY: the loader has resolved the table.
    let header = unsafe { &pamir_functions.header };
    handle::errhandler_out((header.make_error_handler)(owner, function, argument))
}

/// Has an operation's function called with an argument.
#[unsafe(no_mangle)]
pub extern "C" fn pamir_bound_op(op: handle::Op, argument: *mut c_void) {
    // SAFETY: as above.
    let header = unsafe { &pamir_functions.header };
    (header.set_operation_argument)(handle::op_in(op), argument as usize);
}

/// The name under which C++ programs that were built for Open MPI call it.
#[cfg(face = "openmpi")]
#[unsafe(no_mangle)]
pub extern "C" fn ompi_op_set_cxx_callback(op: handle::Op, function: *mut c_void) {
    pamir_bound_op(op, function);
}
