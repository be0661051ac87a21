//! What a tool has made, and the refusals of all that this library has none of.

use std::ffi::{c_char, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::argument::string;
use crate::error::{Error, ErrorClass, Result};

/// What the tool has made.
pub struct Interface {
    /// How often it was initialised and not finalized.
    pub users: usize,
    /// Handles of the sessions of performance variables that were not freed.
    pub sessions: Vec<usize>,
    /// The handle of the last session.
    pub last_session: usize,
}

/// Below it are the predefined handles.
const LAST_PREDEFINED: usize = 0xFFF;

static INTERFACE: Mutex<Interface> = Mutex::new(Interface {
    users: 0,
    sessions: Vec::new(),
    last_session: LAST_PREDEFINED,
});

/// What the tool has made, whether the interface is initialised or not.
pub fn interface() -> MutexGuard<'static, Interface> {
    INTERFACE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The interface, if it is initialised.
pub fn initialised() -> Result<MutexGuard<'static, Interface>> {
    let interface = interface();
    if interface.users == 0 {
        return Err(not_initialised());
    }
    Ok(interface)
}

#[cold]
fn not_initialised() -> Error {
    ErrorClass::ToolNotInitialized
        .with("the tool interface is not initialised: call MPI_T_init_thread first")
}

/// Tells that there are none of something.
///
/// # Safety
///
/// `number` is writable.
pub unsafe fn none(number: *mut c_int) -> Result {
    drop(initialised()?);
    // SAFETY: as the caller vouches.
    unsafe { number.write(0) };
    Ok(())
}

/// Refuses an index: there are none of `what`.
pub fn no_index(index: c_int, what: &str) -> Result {
    drop(initialised()?);
    let text = format!("there is no {what} {index}: this library has none");
    Err(ErrorClass::ToolInvalidIndex.with(text))
}

/// Refuses a name: there are none of `what`.
///
/// # Safety
///
/// `name` is null or a string.
pub unsafe fn no_name(name: *const c_char, what: &str) -> Result {
    drop(initialised()?);
    // SAFETY: as the caller vouches.
    let Ok(name) = (unsafe { string(name, "name") }) else {
        return Err(ErrorClass::ToolInvalid.with("argument name is a null pointer"));
    };
    let name = String::from_utf8_lossy(name);
    let text = format!("there is no {what} `{name}`: this library has none");
    Err(ErrorClass::ToolInvalidName.with(text))
}

/// Refuses a handle: there are none of `what`.
pub fn no_handle(handle: usize, what: &str) -> Result {
    drop(initialised()?);
    let text = format!("{handle:#x} is no {what}: this library has none");
    Err(ErrorClass::ToolInvalidHandle.with(text))
}
