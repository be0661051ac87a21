//! Error handlers (MPI-5.0 section 9.3).
//!
//! Before: `error::raise` with an error and its object. After: the handler that was set on
//! that object, and the code that the C function returns.
//!
//! A handler of the program's has one handle for all callers, and counts how often it
//! was given out. Its function lives as long as a handle or an object has it. The handles have
//! a lock of their own: those of sessions exist before MPI is initialised.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pamir_interface::face::{ErrorFunction, Kind, Owner};
use pamir_mpi::error_handler::ErrorHandler;
use pamir_mpi::process::Process;

use crate::argument::store;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Raised, Result, fatal};
use crate::functions::management::error::code;
use crate::process::{inherited, running};
use crate::state::handles::{self, Slots, names_nothing};
use crate::types::*;

/// The function of an error handler, and what it is called with.
#[derive(Clone, Copy, Debug)]
pub enum HandlerFunction {
    /// A communicator's.
    Communicator(MPI_Comm_errhandler_function),
    /// A session's.
    Session(MPI_Session_errhandler_function),
    /// A window's.
    Window(MPI_Win_errhandler_function),
    /// One that a face made for a binding of another language, and its argument.
    Bound(Owner, ErrorFunction, usize),
}

impl HandlerFunction {
    /// What it was made for.
    fn owner(self) -> &'static str {
        match self {
            Self::Communicator(_) => "communicators",
            Self::Session(_) => "sessions",
            Self::Window(_) => "windows",
            Self::Bound(Owner::Any, ..) => "all objects",
            Self::Bound(Owner::Communicator, ..) => "communicators",
            Self::Bound(Owner::Window, ..) => "windows",
            Self::Bound(Owner::File, ..) => "files",
        }
    }

    /// Whether it may be set on such an object.
    fn serves(self, owner: &str) -> bool {
        matches!(self, Self::Bound(Owner::Any, ..)) || self.owner() == owner
    }
}

/// An error handler that the program made.
#[derive(Debug)]
pub struct ProgramHandler {
    function: HandlerFunction,
    /// 0 while no handle is out. Changes under the lock of [`GIVEN`] only.
    handle: AtomicUsize,
}

/// A handler whose handle the program has, and how often.
#[derive(Debug)]
struct Given {
    handler: Arc<ProgramHandler>,
    times: usize,
}

static GIVEN: Mutex<Slots<Given>> = Mutex::new(Slots::new(handles::Kind::ErrorHandler));

fn given() -> MutexGuard<'static, Slots<Given>> {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn handler(errhandler: MPI_Errhandler) -> Result<ErrorHandler> {
    match errhandler {
        MPI_ERRORS_ARE_FATAL => Ok(ErrorHandler::AreFatal),
        MPI_ERRORS_ABORT => Ok(ErrorHandler::Abort),
        MPI_ERRORS_RETURN => Ok(ErrorHandler::Return),
        made => {
            let given = given();
            let found = given.get(made.0).ok_or_else(|| no_handler(errhandler))?;
            Ok(ErrorHandler::Program(found.handler.clone()))
        }
    }
}

/// The handler of a handle, for an object of those that `owner` names.
fn handler_for(errhandler: MPI_Errhandler, owner: &str) -> Result<ErrorHandler> {
    let handler = handler(errhandler)?;
    if let ErrorHandler::Program(own) = &handler
        && let Some(own) = own.downcast_ref::<ProgramHandler>()
        && !own.function.serves(owner)
    {
        let made_for = own.function.owner();
        let text = format!("the error handler was made for {made_for}, not for {owner}");
        return Err(ErrorClass::Errhandler.with(text));
    }
    Ok(handler)
}

#[cold]
fn no_handler(errhandler: MPI_Errhandler) -> Error {
    let null = (errhandler == MPI_ERRHANDLER_NULL).then_some("MPI_ERRHANDLER_NULL");
    names_nothing(ErrorClass::Errhandler, errhandler.0, null, "error handler")
}

/// A handle of a handler, which the program is to free.
fn give(handler: &ErrorHandler) -> MPI_Errhandler {
    match handler {
        ErrorHandler::AreFatal => MPI_ERRORS_ARE_FATAL,
        ErrorHandler::Abort => MPI_ERRORS_ABORT,
        ErrorHandler::Return => MPI_ERRORS_RETURN,
        ErrorHandler::Program(own) => {
            let own = own.clone().downcast::<ProgramHandler>();
            give_own(own.expect("objects have handlers of this chapter only"))
        }
    }
}

fn give_own(own: Arc<ProgramHandler>) -> MPI_Errhandler {
    let mut given = given();
    // Relaxed: the lock orders those who read and write it.
    let handle = own.handle.load(Ordering::Relaxed);
    if let Some(known) = given.get_mut(handle) {
        known.times += 1;
        return MPI_Errhandler(handle);
    }
    let handle = given.insert(Given {
        handler: own.clone(),
        times: 1,
    });
    // Relaxed: as above.
    own.handle.store(handle, Ordering::Relaxed);
    MPI_Errhandler(handle)
}

/// Makes an error handler and gives its first handle.
pub fn create(function: HandlerFunction) -> Result<MPI_Errhandler> {
    let absent = match function {
        HandlerFunction::Communicator(function) => function.is_none(),
        HandlerFunction::Session(function) => function.is_none(),
        HandlerFunction::Window(function) => function.is_none(),
        HandlerFunction::Bound(..) => false,
    };
    if absent {
        return Err(ErrorClass::Arg.with("the error handler's function is a null pointer"));
    }
    Ok(give_own(Arc::new(ProgramHandler {
        function,
        handle: AtomicUsize::new(0),
    })))
}

/// Makes an error handler for a binding of another language (`Header::make_error_handler` of the faces).
pub extern "C" fn make(owner: Owner, function: ErrorFunction, argument: usize) -> usize {
    let handler = ProgramHandler {
        function: HandlerFunction::Bound(owner, function, argument),
        handle: AtomicUsize::new(0),
    };
    give_own(Arc::new(handler)).0
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
    running()?;
    let made = create(HandlerFunction::Communicator(comm_errhandler_fn))?;
    // SAFETY: as the caller vouches.
    unsafe { store(errhandler, made, "errhandler") }
}

/// `MPI_Comm_set_errhandler`, section 9.3.1.
pub fn comm_set_errhandler(comm: MPI_Comm, errhandler: MPI_Errhandler) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let handler = handler_for(errhandler, "communicators")?;
    communicator.set_error_handler(handler);
    Ok(())
}

/// `MPI_Comm_get_errhandler`, section 9.3.1.
///
/// # Safety
///
/// `errhandler` is null or writable.
pub unsafe fn comm_get_errhandler(comm: MPI_Comm, errhandler: *mut MPI_Errhandler) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let handle = give(&communicator.error_handler());
    // SAFETY: as the caller vouches.
    unsafe { store(errhandler, handle, "errhandler") }
}

/// `MPI_Win_create_errhandler`, section 9.3.2.
///
/// # Safety
///
/// `errhandler` is null or writable; the function may be called as long as an object has it.
pub unsafe fn create_for_windows(
    function: MPI_Win_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result {
    running()?;
    let made = create(HandlerFunction::Window(function))?;
    // SAFETY: as the caller vouches.
    unsafe { store(errhandler, made, "errhandler") }
}

/// `MPI_Win_set_errhandler`, section 9.3.2.
pub fn set_for_window(win: MPI_Win, errhandler: MPI_Errhandler) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    window.set_error_handler(handler_for(errhandler, "windows")?);
    Ok(())
}

/// `MPI_Win_get_errhandler`, section 9.3.2.
///
/// # Safety
///
/// `errhandler` is null or writable.
pub unsafe fn get_for_window(win: MPI_Win, errhandler: *mut MPI_Errhandler) -> Result {
    let state = running()?;
    let handle = give(&state.windows.named(win)?.error_handler());
    // SAFETY: as the caller vouches.
    unsafe { store(errhandler, handle, "errhandler") }
}

/// Calls an object's error handler because the program does, with the text of a code that it added.
fn call_for_program(object: Object, code: c_int, function: &'static str) {
    let text = code::added_text(code);
    let detail = text
        .as_deref()
        .unwrap_or("the program called the error handler");
    dispatch(&Raised {
        object,
        code,
        function,
        detail,
    });
}

/// `MPI_Win_call_errhandler`, section 9.5.
pub fn call_for_window(win: MPI_Win, errorcode: c_int) -> Result {
    let state = running()?;
    state.windows.named(win)?;
    code::check(errorcode)?;
    drop(state);
    call_for_program(Object::Window(win), errorcode, "MPI_Win_call_errhandler");
    Ok(())
}

/// `MPI_Errhandler_free`, section 9.3.4: objects that have the handler keep it.
///
/// # Safety
///
/// `errhandler` points to a handle.
pub unsafe fn errhandler_free(errhandler: *mut MPI_Errhandler) -> Result {
    // SAFETY: as the caller vouches.
    let handle = unsafe { errhandler.read() };
    // Predefined handlers are given out by MPI_Comm_get_errhandler, and so are freed too.
    if let ErrorHandler::Program(_) = handler(handle)? {
        take_back(handle)?;
    }
    // SAFETY: as above.
    unsafe { store(errhandler, MPI_ERRHANDLER_NULL, "errhandler") }
}

fn take_back(handle: MPI_Errhandler) -> Result {
    let mut given = given();
    let own = given.get_mut(handle.0).ok_or_else(|| no_handler(handle))?;
    own.times -= 1;
    if own.times == 0 {
        given.remove(handle.0);
    }
    Ok(())
}

/// `MPI_Comm_call_errhandler`, section 9.5.
pub fn comm_call_errhandler(comm: MPI_Comm, errorcode: c_int) -> Result {
    let state = running()?;
    state.communicator(comm)?;
    code::check(errorcode)?;
    drop(state);
    call_for_program(
        Object::Communicator(comm),
        errorcode,
        "MPI_Comm_call_errhandler",
    );
    Ok(())
}

/// Calls the error handler of a raised error's object, and gives the code to return.
pub fn dispatch(raised: &Raised<'_>) -> c_int {
    // Files return their errors unless told otherwise (MPI-5.0 section 14.7).
    if let Object::File(_) = raised.object {
        return raised.code;
    }
    if let Object::Unmade(errhandler) = raised.object {
        let Ok(handler) = handler(errhandler) else {
            fatal(raised);
        };
        return call(&handler, MPI_COMM_NULL, raised);
    }
    let Ok(state) = running() else {
        return outside(raised);
    };
    if let Object::Window(win) = raised.object
        && let Ok(window) = state.windows.named(win)
    {
        let handler = window.error_handler();
        return call(&handler, MPI_COMM_NULL, raised);
    }
    let (handler, comm) = match raised.object {
        Object::Communicator(comm) => match state.communicator(comm) {
            Ok(communicator) => (communicator.error_handler(), comm),
            Err(_) => without_object(&state.process),
        },
        _ => without_object(&state.process),
    };
    call(&handler, comm, raised)
}

/// Where there is no object `MPI_COMM_SELF` decides; but many programs set a handler on
/// `MPI_COMM_WORLD` alone, as was right before MPI-4.0, and mean these errors too.
fn without_object(process: &Process) -> (ErrorHandler, MPI_Comm) {
    match process.own().chosen_error_handler() {
        Some(chosen) => (chosen, MPI_COMM_SELF),
        None => (process.world().error_handler(), MPI_COMM_WORLD),
    }
}

/// The same where MPI does not run. A child by fork returns errors if its parent did; functions of the
/// program's are not called there, since they may call MPI and fail as well.
fn outside(raised: &Raised<'_>) -> c_int {
    match inherited().map(|process| without_object(process).0) {
        Some(ErrorHandler::Return) => raised.code,
        _ => fatal(raised),
    }
}

/// Lets a handler decide; gives the code to return.
fn call(handler: &ErrorHandler, mut comm: MPI_Comm, raised: &Raised<'_>) -> c_int {
    let own = match handler {
        ErrorHandler::Return => None,
        ErrorHandler::AreFatal | ErrorHandler::Abort => fatal(raised),
        ErrorHandler::Program(handler) => handler.downcast_ref::<ProgramHandler>(),
    };
    let mut code = crate::face::code_out(raised.code);
    let shown = |kind, handle: usize| crate::face::handle_out(kind, handle);
    // SAFETY: the program gave the functions for this, and both addresses are good during the
    // call. No state is borrowed and no lock of this file held, so they may call MPI.
    unsafe {
        match own.map(|own| own.function) {
            Some(HandlerFunction::Communicator(Some(function))) => {
                comm.0 = shown(Kind::Communicator, comm.0);
                function(&mut comm, &mut code);
            }
            Some(HandlerFunction::Session(Some(function))) => {
                let none = shown(Kind::Session, MPI_SESSION_NULL.0);
                function(&mut MPI_Session(none), &mut code);
            }
            Some(HandlerFunction::Window(Some(function))) => {
                let win = match raised.object {
                    Object::Window(win) => win,
                    _ => MPI_WIN_NULL,
                };
                function(&mut MPI_Win(shown(Kind::Window, win.0)), &mut code);
            }
            Some(HandlerFunction::Bound(_, function, argument)) => {
                let mut object = match raised.object {
                    Object::Window(win) => shown(Kind::Window, win.0),
                    _ => shown(Kind::Communicator, comm.0),
                };
                function(&mut object, &mut code, argument);
            }
            _ => {}
        }
    }
    raised.code
}
