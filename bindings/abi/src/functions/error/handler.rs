//! Error handlers (MPI-5.0 section 9.3).
//!
//! Before: `error::raise` with an error and its object. After: the handler that was set on
//! that object, and the code that the C function returns.
//!
//! A handler of the program's has one handle, whoever asks for it, and counts how often it
//! was given out. Its function lives as long as a handle or an object has it.

use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;

use pamir_mpi::error_handler::ErrorHandler;

use crate::argument::{address, store};
use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Raised, Result, fatal};
use crate::functions::communicator::named;
use crate::functions::error::code;
use crate::process::{State, running};
use crate::types::*;

/// An error handler that the program made for communicators.
#[derive(Debug)]
pub struct ProgramHandler {
    function: MPI_Comm_errhandler_function,
    /// 0 while no handle is out.
    handle: Cell<usize>,
    /// How often the handle was given out and not freed.
    given: Cell<usize>,
}

fn handler(state: &State, errhandler: MPI_Errhandler) -> Result<ErrorHandler> {
    match errhandler {
        MPI_ERRORS_ARE_FATAL => Ok(ErrorHandler::AreFatal),
        MPI_ERRORS_ABORT => Ok(ErrorHandler::Abort),
        MPI_ERRORS_RETURN => Ok(ErrorHandler::Return),
        made => {
            let found = state.error_handlers.get(made.0);
            Ok(ErrorHandler::Program(
                found.ok_or_else(|| no_handler(errhandler))?,
            ))
        }
    }
}

#[cold]
fn no_handler(errhandler: MPI_Errhandler) -> Error {
    let what = if errhandler == MPI_ERRHANDLER_NULL {
        "MPI_ERRHANDLER_NULL is"
    } else {
        "this handle is freed, or"
    };
    ErrorClass::Errhandler.with(format!("{what} no error handler ({:#x})", errhandler.0))
}

/// A handle of a handler, which the program is to free.
fn give(state: &State, handler: &ErrorHandler) -> MPI_Errhandler {
    match handler {
        ErrorHandler::AreFatal => MPI_ERRORS_ARE_FATAL,
        ErrorHandler::Abort => MPI_ERRORS_ABORT,
        ErrorHandler::Return => MPI_ERRORS_RETURN,
        ErrorHandler::Program(own) => {
            let own = own.clone().downcast::<ProgramHandler>();
            let own = own.expect("objects have handlers of this chapter only");
            if own.given.get() == 0 {
                own.handle.set(state.error_handlers.insert(own.clone()));
            }
            own.given.set(own.given.get() + 1);
            MPI_Errhandler(own.handle.get())
        }
    }
}

/// `MPI_Comm_create_errhandler`, section 9.3.1.
///
/// # Safety
///
/// `errhandler` is null or writable; the function may be called as long as an object has it.
pub unsafe fn comm_create_errhandler(
    comm_errhandler_fn: MPI_Comm_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result {
    let state = running()?;
    if comm_errhandler_fn.is_none() {
        return Err(ErrorClass::Arg.with("the error handler's function is a null pointer"));
    }
    address(errhandler, "errhandler")?;
    let made = Rc::new(ProgramHandler {
        function: comm_errhandler_fn,
        handle: Cell::new(0),
        given: Cell::new(0),
    });
    let handle = give(&state, &ErrorHandler::Program(made));
    // SAFETY: as the caller vouches.
    unsafe { store(errhandler, handle, "errhandler") }
}

/// `MPI_Comm_set_errhandler`, section 9.3.1.
pub fn comm_set_errhandler(comm: MPI_Comm, errhandler: MPI_Errhandler) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
    communicator.set_error_handler(handler(&state, errhandler)?);
    Ok(())
}

/// `MPI_Comm_get_errhandler`, section 9.3.1.
///
/// # Safety
///
/// `errhandler` is null or writable.
pub unsafe fn comm_get_errhandler(comm: MPI_Comm, errhandler: *mut MPI_Errhandler) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
    address(errhandler, "errhandler")?;
    let handle = give(&state, &communicator.error_handler());
    // SAFETY: as the caller vouches.
    unsafe { store(errhandler, handle, "errhandler") }
}

/// `MPI_Errhandler_free`, section 9.3.4: objects that have the handler keep it.
///
/// # Safety
///
/// `errhandler` is null or points to a handle.
pub unsafe fn errhandler_free(errhandler: *mut MPI_Errhandler) -> Result {
    let state = running()?;
    address(errhandler, "errhandler")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let handle = unsafe { errhandler.read() };
    // Predefined handlers are given out by MPI_Comm_get_errhandler, and so are freed too.
    if let ErrorHandler::Program(_) = handler(&state, handle)? {
        let own = state.error_handlers.get(handle.0);
        let own = own.ok_or_else(|| no_handler(handle))?;
        own.given.set(own.given.get() - 1);
        if own.given.get() == 0 {
            state.error_handlers.remove(handle.0);
        }
    }
    // SAFETY: as above.
    unsafe { store(errhandler, MPI_ERRHANDLER_NULL, "errhandler") }
}

/// `MPI_Comm_call_errhandler`, section 9.5.
pub fn comm_call_errhandler(comm: MPI_Comm, errorcode: c_int) -> Result {
    let state = running()?;
    named(&state, comm)?;
    code::check(errorcode)?;
    let raised = Raised {
        object: Object::Communicator(comm),
        code: errorcode,
        function: "MPI_Comm_call_errhandler",
        detail: "the program called the error handler",
    };
    drop(state);
    dispatch(&raised);
    Ok(())
}

/// Calls the error handler of a raised error's object, and gives the code to return.
pub fn dispatch(raised: &Raised<'_>) -> c_int {
    // Files return their errors unless told otherwise (MPI-5.0 section 14.7).
    if let Object::File(_) = raised.object {
        return raised.code;
    }
    let Ok(state) = running() else {
        fatal(raised);
    };
    let own = || (state.process.own().clone(), MPI_COMM_SELF);
    let (communicator, mut comm) = match raised.object {
        Object::Communicator(comm) => match named(&state, comm) {
            Ok(communicator) => (communicator, comm),
            // There is no object: MPI_COMM_SELF decides.
            Err(_) => own(),
        },
        _ => own(),
    };
    match communicator.error_handler() {
        ErrorHandler::Return => {}
        ErrorHandler::AreFatal | ErrorHandler::Abort => fatal(raised),
        ErrorHandler::Program(handler) => {
            let own = handler.downcast_ref::<ProgramHandler>();
            let function = own.and_then(|own| own.function);
            let mut code = raised.code;
            if let Some(function) = function {
                // SAFETY: the program gave the function for this, and both addresses are good
                // during the call. No state is borrowed, so it may call MPI.
                unsafe { function(&mut comm, &mut code) };
            }
        }
    }
    raised.code
}
