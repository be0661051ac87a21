//! The tool information interface (MPI-5.0 chapter 15.3), of a library without variables.
//!
//! Before: a C call, also before `MPI_Init` and after `MPI_Finalize`, from any thread. After: a
//! code; no error handler is called (section 15.3.10).
//!
//! The standard leaves to the library which variables, categories, events and enumerations
//! there are. Here are none: numbers are 0, every index and name is refused, and no handle is
//! right. What a tool can make all the same, the interface itself and sessions of performance
//! variables, is counted as the standard says.

mod category;
mod control;
mod event;
mod performance;

pub use category::*;
pub use control::*;
pub use event::*;
pub use performance::*;

use std::ffi::{c_char, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::argument::string;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};

/// What the tool has made.
struct Interface {
    /// How often it was initialised and not finalized.
    users: usize,
    /// Handles of the sessions of performance variables that were not freed.
    sessions: Vec<usize>,
    /// The handle of the last session.
    last_session: usize,
}

/// Below it are the predefined handles.
const LAST_PREDEFINED: usize = 0xFFF;

static INTERFACE: Mutex<Interface> = Mutex::new(Interface {
    users: 0,
    sessions: Vec::new(),
    last_session: LAST_PREDEFINED,
});

fn interface() -> MutexGuard<'static, Interface> {
    INTERFACE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The interface, if it is initialised.
fn initialised() -> Result<MutexGuard<'static, Interface>> {
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
unsafe fn none(number: *mut c_int) -> Result {
    drop(initialised()?);
    // SAFETY: as the caller vouches.
    unsafe { number.write(0) };
    Ok(())
}

/// Refuses an index: there are none of `what`.
fn no_index(index: c_int, what: &str) -> Result {
    drop(initialised()?);
    let text = format!("there is no {what} {index}: this library has none");
    Err(ErrorClass::ToolInvalidIndex.with(text))
}

/// Refuses a name: there are none of `what`.
///
/// # Safety
///
/// `name` is null or a string.
unsafe fn no_name(name: *const c_char, what: &str) -> Result {
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
fn no_handle(handle: usize, what: &str) -> Result {
    drop(initialised()?);
    let text = format!("{handle:#x} is no {what}: this library has none");
    Err(ErrorClass::ToolInvalidHandle.with(text))
}

/// `MPI_T_init_thread`, section 15.3.4: any thread may call at any time.
///
/// # Safety
///
/// `provided` is writable.
pub unsafe fn t_init_thread(required: c_int, provided: *mut c_int) -> Result {
    let levels = [
        MPI_THREAD_SINGLE,
        MPI_THREAD_FUNNELED,
        MPI_THREAD_SERIALIZED,
        MPI_THREAD_MULTIPLE,
    ];
    let enough = levels.into_iter().find(|level| *level >= required);
    interface().users += 1;
    // SAFETY: as the caller vouches.
    unsafe { provided.write(enough.unwrap_or(MPI_THREAD_MULTIPLE)) };
    Ok(())
}

/// `MPI_T_finalize`, section 15.3.4, once for each `MPI_T_init_thread`. The last one ends the
/// sessions too.
pub fn t_finalize() -> Result {
    let mut interface = initialised()?;
    interface.users -= 1;
    if interface.users == 0 {
        interface.sessions.clear();
    }
    Ok(())
}
