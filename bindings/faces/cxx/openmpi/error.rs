//! Errors, in Open MPI's C++ as Debian builds it: without exceptions.
//!
//! ```text
//! MPI_Send --error, the handler is ERRORS_THROW_EXCEPTIONS--> report: MPI::mpi_errno, and a line on the error output
//!          --any other handler------------------------------> the C library's
//! ```
//!
//! What: the error handler that `MPI::ERRORS_THROW_EXCEPTIONS` names. Step before: the C library. Step after: the
//! program looks at `MPI::mpi_errno`. Invariant: methods need not look at codes, for handlers have seen them.

use std::arch::asm;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::c_library::pamir_bound_errhandler;

/// An error handler of C++ is called with this code.
pub fn handled(_code: c_int) {}

/// The address of a variable where the program sees it, which may be in the executable.
macro_rules! variable {
    ($symbol:literal) => {{
        let place: usize;
        // SAFETY: the loader has resolved the symbol.
        unsafe {
            asm!(concat!("mov {}, qword ptr [rip + ", $symbol, "@GOTPCREL]"), out(reg) place, options(pure, readonly, nostack));
        }
        place
    }};
}

unsafe extern "C" fn report(_object: *mut usize, code: *mut c_int, _argument: usize) {
    let errno = variable!("_ZN3MPI9mpi_errnoE") as *const AtomicI32;
    // SAFETY: the variable is an integer, and the caller's code is one.
    let code = unsafe {
        // Relaxed: the thread that has the error looks at it.
        (*errno).store(*code, Ordering::Relaxed);
        *code
    };
    eprintln!("Pamir: MPI::ERRORS_THROW_EXCEPTIONS throws nothing here; MPI::mpi_errno is {code}");
}

extern "C" fn prepare() {
    let throw = variable!("_ZN3MPI23ERRORS_THROW_EXCEPTIONSE");
    // SAFETY: the loader runs this before the program's code; no one else uses the variable yet.
    unsafe {
        let handler = pamir_bound_errhandler(0, report, 0);
        *(crate::object::address(throw) as *mut usize) = handler;
    }
}

/// Has the loader call [`prepare`].
#[used]
#[unsafe(link_section = ".init_array")]
static PREPARE: extern "C" fn() = prepare;

/// An error of a communicator: its handler has seen it.
///
/// # Safety
///
/// None is needed.
pub unsafe fn comm(_comm: usize, _code: c_int) {}

/// An error of an object that has no error handler: as above.
///
/// # Safety
///
/// None is needed.
pub unsafe fn world(_none: usize, _code: c_int) {}
