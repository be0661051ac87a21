//! Errors, in MPICH's C++: each method asks the object's error handler, which may be to throw.
//!
//! ```text
//! MPI_Send --code--> Send (inline, or crate::methods) --> Call_errhandler --> comm, win, file or world here
//!                                   the handler is ERRORS_THROW_EXCEPTIONS --> throw::note, and Call_errhandler throws
//!                                   one of C++ that MPI_Send called already --> nothing
//!                                   any other                               --> MPI_Comm_call_errhandler
//! ```
//!
//! What: that decision, and the handle of `MPI::ERRORS_THROW_EXCEPTIONS`, a C error handler that does nothing. Step
//! before: [`crate::methods`]. Step after: [`crate::throw`]. Invariant: an error reaches a C++ handler once.

use std::arch::asm;
use std::cell::Cell;
use std::ffi::c_int;

use crate::c_library::*;
use crate::kind::is_null;
use crate::object::{Object, handle};
use crate::throw;

thread_local! {
    /// The code for which the C library called an error handler of C++ and that no method has seen yet.
    static HANDLED: Cell<c_int> = const { Cell::new(0) };
}

/// An error handler of C++ is called with this code.
pub fn handled(code: c_int) {
    HANDLED.set(code);
}

/// The address of a variable where the program sees it, which may be in the executable.
macro_rules! variable {
    ($symbol:literal) => {{
        let place: *mut Object;
        // SAFETY: the loader has resolved the symbol.
        unsafe {
            asm!(concat!("mov {}, qword ptr [rip + ", $symbol, "@GOTPCREL]"), out(reg) place, options(pure, readonly, nostack));
        }
        place
    }};
}

extern "C" fn do_nothing(_object: *mut usize, _code: *mut c_int, _argument: usize) {}

extern "C" fn prepare() {
    let throw = variable!("_ZN3MPI23ERRORS_THROW_EXCEPTIONSE");
    // SAFETY: the loader runs this before the program's code; no one else uses the variable yet.
    unsafe {
        let handler = pamir_bound_errhandler(0, do_nothing, 0);
        *(crate::object::address(throw as usize) as *mut u32) = handler as u32;
    }
}

/// Has the loader call [`prepare`].
#[used]
#[unsafe(link_section = ".init_array")]
static PREPARE: extern "C" fn() = prepare;

/// Decides what an error comes to.
///
/// # Safety
///
/// The functions are for the object.
unsafe fn decide(
    object: usize,
    code: c_int,
    get: unsafe extern "C" fn(usize, *mut usize) -> c_int,
    call: unsafe extern "C" fn(usize, c_int) -> c_int,
) {
    if code == 0 {
        return;
    }
    let throw = variable!("_ZN3MPI23ERRORS_THROW_EXCEPTIONSE");
    let mut current = 0;
    // SAFETY: the caller's promise; the variable is an object.
    unsafe {
        let throws =
            get(object, &mut current) == 0 && current as u32 == handle(throw as usize) as u32;
        if current != 0 {
            MPI_Errhandler_free(&mut current);
        }
        if throws {
            throw::note(code);
        } else if HANDLED.replace(0) != code {
            call(object, code);
            HANDLED.set(0);
        }
    }
}

/// An error of a communicator.
///
/// # Safety
///
/// The handle is one.
pub unsafe fn comm(comm: usize, code: c_int) {
    let (get, call) = (MPI_Comm_get_errhandler, MPI_Comm_call_errhandler);
    // SAFETY: the caller's promise.
    unsafe {
        match is_null(comm) {
            true => world(0, code),
            false => decide(comm, code, get, call),
        }
    }
}

/// An error of a window.
///
/// # Safety
///
/// The handle is one.
pub unsafe fn win(win: usize, code: c_int) {
    // SAFETY: the caller's promise.
    unsafe { decide(win, code, MPI_Win_get_errhandler, MPI_Win_call_errhandler) };
}

/// An error of a file.
///
/// # Safety
///
/// The handle is one.
pub unsafe fn file(file: usize, code: c_int) {
    // SAFETY: the caller's promise.
    unsafe {
        decide(
            file,
            code,
            MPI_File_get_errhandler,
            MPI_File_call_errhandler,
        )
    };
}

/// An error of an object that has no error handler.
///
/// # Safety
///
/// None is needed.
pub unsafe fn world(_none: usize, code: c_int) {
    let world = variable!("_ZN3MPI10COMM_WORLDE");
    // SAFETY: the variable is an object, whose handle is a communicator's.
    unsafe {
        decide(
            handle(world as usize),
            code,
            MPI_Comm_get_errhandler,
            MPI_Comm_call_errhandler,
        );
    }
}
