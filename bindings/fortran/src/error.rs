//! Error codes on their way back, and errors of this library's own.
//!
//! Step before: a C function's code. Step after: the program's `ierror`, if it gave one.
//! Invariant: an error of this library goes through the program's error handler, as C's do.

use crate::c::{self, Integer, c_int};
use crate::handle;

/// Gives a code to the program, which may not want it.
#[inline(always)]
pub unsafe fn finish(ierror: *mut Integer, code: c_int) {
    if !ierror.is_null() {
        // SAFETY: an argument that is there is an INTEGER of the program's.
        unsafe { *ierror = code };
    }
}

/// What an error belongs to: its error handler is called (MPI-5.0, section 9.3).
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// A communicator.
    Communicator(Integer),
    /// A window.
    Window(Integer),
    /// A session.
    Session(Integer),
    /// None: the communicator of this process alone stands for it.
    Process,
}

/// Raises an error of a class that belongs to no object.
#[cold]
pub fn raise(class: c_int, text: &str) -> c_int {
    raise_on(Object::Process, class, text)
}

/// Raises an error of a class, with what a user can do about it; gives the code.
#[cold]
pub fn raise_on(object: Object, class: c_int, text: &str) -> c_int {
    let mut code = class;
    let text: Vec<_> = text.bytes().chain([0]).collect();
    // SAFETY: the arguments are places of this function, a string with its end, and the program's object.
    unsafe {
        if c::symbol::PMPI_Add_error_code(class, &raw mut code) == c::SUCCESS {
            c::symbol::PMPI_Add_error_string(code, text.as_ptr().cast_mut().cast());
        }
        use c::symbol as mpi;
        match object {
            Object::Communicator(comm) => {
                mpi::PMPI_Comm_call_errhandler(handle::comm::to_c(comm), code)
            }
            Object::Window(win) => mpi::PMPI_Win_call_errhandler(handle::win::to_c(win), code),
            Object::Session(session) => {
                mpi::PMPI_Session_call_errhandler(handle::session::to_c(session), code)
            }
            Object::Process => {
                mpi::PMPI_Comm_call_errhandler(handle::comm::to_c(c::COMM_SELF), code)
            }
        };
    }
    code
}
