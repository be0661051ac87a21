//! C++ functions that C calls: operations, error handlers, requests of the program's.
//!
//! What: functions with C's arguments that make objects of these and call the C++ function, whose address is the
//! argument or stands in a state of theirs. Step before: the C library. Step after: the program's function.
//! Invariant: an object that is made here lives as long as the call. A program's function may not throw: the exception
//! would pass frames of Rust's.

use std::ffi::{c_int, c_void};

use crate::c_library::*;
use crate::class;
use crate::error;
use crate::kind::class_of;
use crate::object::{Object, Status, address, place};

/// `MPI::User_function`.
type Operation = unsafe extern "C" fn(*const c_void, *mut c_void, c_int, *const Object);

/// What the C library calls for an operation of C++.
///
/// # Safety
///
/// As the standard says; the function is the one that the operation was made with.
#[cfg_attr(face = "openmpi", unsafe(export_name = "ompi_mpi_cxx_op_intercept"))]
pub unsafe extern "C" fn operate(
    incoming: *mut c_void,
    inout: *mut c_void,
    count: *mut c_int,
    datatype: *mut super::Element,
    function: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let function = std::mem::transmute::<usize, Operation>(function);
        let datatype = class::Datatype().with(*datatype as usize);
        function(incoming, inout, *count, &datatype);
    }
}

/// `MPI::Op::Init`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn op_init(this: usize, function: usize, commute: usize) -> usize {
    let commute = (commute as u8 != 0).into();
    // SAFETY: the object is the program's; the function of the operation takes the argument that it is given here.
    unsafe {
        let code = MPI_Op_create(operate as *const c_void, commute, address(this));
        if code == 0 {
            pamir_bound_op(crate::object::handle(this), function);
        }
        error::world(0, code);
    }
    0
}

/// `MPI::Comm::Errhandler_function`, and those of windows and files.
type Handler = unsafe extern "C" fn(*mut Object, *mut c_int, ...);

/// Calls an error handler of C++ with an object.
///
/// # Safety
///
/// The function takes an object of this class.
unsafe fn handle_error(mut object: Object, code: *mut c_int, function: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let function = std::mem::transmute::<usize, Handler>(function);
        error::handled(*code);
        function(&mut object, code);
    }
}

unsafe extern "C" fn handle_comm(comm: *mut usize, code: *mut c_int, function: usize) {
    // SAFETY: the function is that of an error handler of communicators.
    unsafe { handle_error(class_of(*comm).with(*comm), code, function) };
}

unsafe extern "C" fn handle_win(win: *mut usize, code: *mut c_int, function: usize) {
    // SAFETY: as above, of windows.
    unsafe { handle_error(class::Win().with(*win), code, function) };
}

unsafe extern "C" fn handle_file(file: *mut usize, code: *mut c_int, function: usize) {
    // SAFETY: as above, of files.
    unsafe { handle_error(class::File().with(*file), code, function) };
}

/// Makes an error handler of C++ in a place.
///
/// # Safety
///
/// There is room for an object.
unsafe fn create(
    room: usize,
    owner: c_int,
    intercept: ErrorFunction,
    function: usize,
    maker: crate::object::Maker,
) -> usize {
    // SAFETY: the caller's promise; the intercepting function takes the argument.
    unsafe {
        place(room, maker);
        let handler = pamir_bound_errhandler(owner, intercept, function);
        *(address(room) as *mut super::Element) = handler as super::Element;
    }
    room
}

/// `MPI::Comm::Create_errhandler`.
///
/// # Safety
///
/// As the standard says; there is room for an object.
pub unsafe fn comm_create_errhandler(
    room: usize,
    function: usize,
    maker: crate::object::Maker,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { create(room, 1, handle_comm, function, maker) }
}

/// `MPI::Win::Create_errhandler`.
///
/// # Safety
///
/// As above.
pub unsafe fn win_create_errhandler(
    room: usize,
    function: usize,
    maker: crate::object::Maker,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { create(room, 2, handle_win, function, maker) }
}

/// `MPI::File::Create_errhandler`.
///
/// # Safety
///
/// As above.
pub unsafe fn file_create_errhandler(
    room: usize,
    function: usize,
    maker: crate::object::Maker,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { create(room, 3, handle_file, function, maker) }
}

/// The functions of a generalized request, as both libraries have them.
#[repr(C)]
pub struct Request {
    /// What they are called with.
    pub extra: *mut c_void,
    /// Fills in the status.
    pub query: unsafe extern "C" fn(*mut c_void, *mut Status) -> c_int,
    /// Is called when the request is freed.
    pub free: unsafe extern "C" fn(*mut c_void) -> c_int,
    /// Is called when the request is cancelled.
    pub cancel: unsafe extern "C" fn(*mut c_void, bool) -> c_int,
}

/// What the C library calls for a request's status.
///
/// # Safety
///
/// `request` is the state that the request was made with.
#[cfg_attr(
    face = "openmpi",
    unsafe(export_name = "ompi_mpi_cxx_grequest_query_fn_intercept")
)]
pub unsafe extern "C" fn query(request: *mut Request, status: *mut c_void) -> c_int {
    let words = super::STATUS_BYTES;
    // SAFETY: the caller's promise.
    unsafe {
        let mut shown = Status::new(&class::Status(), [0; 3]);
        let inner = (&raw mut shown.status).cast::<u8>();
        inner.copy_from(status.cast(), words);
        let code = ((*request).query)((*request).extra, &mut shown);
        inner.copy_to(status.cast(), words);
        code
    }
}

/// What the C library calls when the request is freed.
///
/// # Safety
///
/// As above; nobody uses the state afterwards.
#[cfg_attr(
    face = "openmpi",
    unsafe(export_name = "ompi_mpi_cxx_grequest_free_fn_intercept")
)]
pub unsafe extern "C" fn free(request: *mut Request) -> c_int {
    // SAFETY: the caller's promise; the state is of `new`.
    unsafe {
        let code = ((*request).free)((*request).extra);
        crate::object::delete(request as usize);
        code
    }
}

/// What the C library calls when the request is cancelled.
///
/// # Safety
///
/// As for [`query`].
#[cfg_attr(
    face = "openmpi",
    unsafe(export_name = "ompi_mpi_cxx_grequest_cancel_fn_intercept")
)]
pub unsafe extern "C" fn cancel(request: *mut Request, complete: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { ((*request).cancel)((*request).extra, complete != 0) }
}
