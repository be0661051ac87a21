//! Variables of the tool interface that belong to an object, whose kind the variable tells.
//!
//! What: the functions that take the address of a handle of whatever kind. Step before: a tool. Step after: the library.
//! Invariant: the handle is read only where the library would read it.

use std::ffi::{c_char, c_int, c_void};

use crate::call::pamir_functions;
use crate::constant::{binding_out, verbosity_out};
use crate::handle;

/// The standard ABI's handle of an object that a variable is bound to.
///
/// # Safety
///
/// `object` is null or the address of a handle of the kind that the standard's `binding` names.
unsafe fn object_in(binding: c_int, object: *mut c_void) -> usize {
    if object.is_null() {
        return 0;
    }
    // SAFETY: the caller's promise.
    unsafe {
        match binding {
            2 => handle::comm_in(*object.cast()),
            3 => handle::datatype_in(*object.cast()),
            4 => handle::errhandler_in(*object.cast()),
            5 => handle::file_in(*object.cast()),
            6 => handle::group_in(*object.cast()),
            7 => handle::op_in(*object.cast()),
            8 => handle::request_in(*object.cast()),
            9 => handle::win_in(*object.cast()),
            10 => handle::message_in(*object.cast()),
            11 => handle::info_in(*object.cast()),
            12 => handle::session_in(*object.cast()),
            _ => 0,
        }
    }
}

/// Gives `allocate` the standard ABI's form of an object, whose kind `ask` writes.
///
/// # Safety
///
/// As for [`object_in`].
unsafe fn with_object(
    object: *mut c_void,
    ask: impl FnOnce(*mut c_int),
    allocate: impl FnOnce(*mut c_void) -> c_int,
) -> c_int {
    let mut binding = 0;
    ask(&raw mut binding);
    // SAFETY: the caller's promise.
    let mut standard = unsafe { object_in(binding, object) };
    allocate(match object.is_null() {
        true => object,
        false => (&raw mut standard).cast(),
    })
}

/// A place for what nobody asks for.
const NOT: *mut c_int = std::ptr::null_mut();
/// A place for a text that nobody asks for.
const NO_TEXT: *mut c_char = std::ptr::null_mut();
/// A place for a handle that nobody asks for.
const NO_HANDLE: *mut usize = std::ptr::null_mut();

/// `MPI_T_cvar_handle_alloc`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn t_cvar_handle_alloc(
    cvar_index: c_int,
    obj_handle: *mut c_void,
    handle: *mut usize,
    count: *mut c_int,
) -> c_int {
    let ask = |binding| {
        // SAFETY: what is null is not asked for.
        let info = unsafe { pamir_functions.MPI_T_cvar_get_info };
        // SAFETY: as above.
        unsafe {
            info(
                cvar_index, NO_TEXT, NOT, NOT, NO_HANDLE, NO_HANDLE, NO_TEXT, NOT, binding, NOT,
            )
        };
    };
    // SAFETY: the caller's promise.
    unsafe {
        with_object(obj_handle, ask, |object| {
            (pamir_functions.MPI_T_cvar_handle_alloc)(cvar_index, object, handle, count)
        })
    }
}

/// `MPI_T_pvar_handle_alloc`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn t_pvar_handle_alloc(
    session: usize,
    pvar_index: c_int,
    obj_handle: *mut c_void,
    handle: *mut usize,
    count: *mut c_int,
) -> c_int {
    let ask = |binding| {
        // SAFETY: what is null is not asked for.
        let info = unsafe { pamir_functions.MPI_T_pvar_get_info };
        // SAFETY: as above.
        unsafe {
            info(
                pvar_index, NO_TEXT, NOT, NOT, NOT, NO_HANDLE, NO_HANDLE, NO_TEXT, NOT, binding,
                NOT, NOT, NOT,
            )
        };
    };
    // SAFETY: as above.
    unsafe {
        with_object(obj_handle, ask, |object| {
            (pamir_functions.MPI_T_pvar_handle_alloc)(session, pvar_index, object, handle, count)
        })
    }
}

/// `MPI_T_event_handle_alloc`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn t_event_handle_alloc(
    event_index: c_int,
    obj_handle: *mut c_void,
    info: handle::Info,
    event_registration: *mut usize,
) -> c_int {
    let ask = |binding| {
        // SAFETY: what is null is not asked for.
        let info = unsafe { pamir_functions.MPI_T_event_get_info };
        let no_displacements = std::ptr::null_mut();
        // SAFETY: as above.
        unsafe {
            info(
                event_index,
                NO_TEXT,
                NOT,
                NOT,
                NO_HANDLE,
                no_displacements,
                NOT,
                NO_HANDLE,
                NO_HANDLE,
                NO_TEXT,
                NOT,
                binding,
            )
        };
    };
    // SAFETY: as above.
    unsafe {
        with_object(obj_handle, ask, |object| {
            let info = handle::info_in(info);
            (pamir_functions.MPI_T_event_handle_alloc)(
                event_index,
                object,
                info,
                event_registration,
            )
        })
    }
}

/// `MPI_T_event_get_info`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn t_event_get_info(
    event_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    array_of_datatypes: *mut handle::Datatype,
    array_of_displacements: *mut isize,
    num_elements: *mut c_int,
    enumtype: *mut usize,
    info: *mut handle::Info,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let room = if num_elements.is_null() {
            0
        } else {
            crate::array::length(*num_elements)
        };
        let mut datatypes = vec![0; room];
        let mut made = crate::place::Handle::new(info);
        let types = match array_of_datatypes.is_null() {
            true => std::ptr::null_mut(),
            false => datatypes.as_mut_ptr(),
        };
        let code = (pamir_functions.MPI_T_event_get_info)(
            event_index,
            name,
            name_len,
            verbosity,
            types,
            array_of_displacements,
            num_elements,
            enumtype,
            made.address(),
            desc,
            desc_len,
            bind,
        );
        if code == 0 {
            let written = if num_elements.is_null() {
                0
            } else {
                crate::array::length(*num_elements)
            };
            for (index, datatype) in datatypes.iter().take(written).enumerate() {
                if !array_of_datatypes.is_null() {
                    *array_of_datatypes.add(index) = handle::datatype_out(*datatype);
                }
            }
            made.give(handle::info_out);
            crate::place::give_integer(verbosity, verbosity_out);
            crate::place::give_integer(bind, binding_out);
        }
        code
    }
}
