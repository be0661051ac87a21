//! Sessions (MPI-5.0 section 11.3): the error handlers that programs give to them.
//!
//! Sessions themselves are left for later. `MPI_Session_init` is written here all the same: a
//! program calls it before `MPI_Init`, so the error handler that it gives must be found then.

use crate::argument::{address, store};
use crate::error::{ErrorClass, Result, set_handler};
use crate::functions::management::error::handler::{HandlerFunction, create, dispatch};
use crate::types::*;

/// `MPI_Session_create_errhandler`, section 9.3.4; also before `MPI_Init` and after
/// `MPI_Finalize`.
///
/// # Safety
///
/// `errhandler` is writable; the function may be called as long as a handle names it.
pub unsafe fn session_create_errhandler(
    session_errhandler_fn: MPI_Session_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result {
    let made = create(HandlerFunction::Session(session_errhandler_fn))?;
    // SAFETY: as the caller vouches.
    unsafe { store(errhandler, made, "errhandler") }
}

/// `MPI_Session_init`, section 11.3.1: there are none, which the given error handler is told.
pub fn session_init(
    _info: MPI_Info,
    _errhandler: MPI_Errhandler,
    session: *mut MPI_Session,
) -> Result {
    set_handler(dispatch);
    address(session, "session")?;
    Err(ErrorClass::UnsupportedOperation.with(
        "MPI_Session_init is not supported by this version of the library: call MPI_Init instead",
    ))
}
