//! Extensions: what this library offers beyond the interface, by name.
//!
//! Before: `PAMI_Extension_open`. After: `PAMI_Extension_symbol` gives the address of a function
//! or a variable. There is `EXT_torus_network` ([`crate::extension::torus`]), and `EXT_pamir`:
//!
//! | symbol    | what it is |
//! |-----------|------------|
//! | `version` | `const char[]`, the library's version |
//! | `wait`    | `pami_result_t (*)(pami_context_t, unsigned long long nanoseconds)`: sleeps until something may have come for the context |
//!
//! A new extension is a file with a name, a handle, and its symbols; [`open`] and [`symbol`] lead to it.

pub mod torus;

use std::ffi::{CStr, c_void};

use pamir_transport::active::ActiveError;

use crate::context::HeldHandle;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;

/// The extension's name.
const NAME: &str = "EXT_pamir";

/// What the extension's handle points to.
static EXTENSION: u64 = 0x5452_4958_4549_4D50;

static VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no NUL in it"),
    };

fn handle() -> *mut c_void {
    (&raw const EXTENSION).cast_mut().cast()
}

/// Whether a handle is that of an extension.
///
/// # Errors
///
/// [`Refusal::Handle`].
pub fn check(extension: *mut c_void) -> Result<(), Refusal> {
    if extension == handle() || extension == torus::handle() {
        return Ok(());
    }
    Err(Refusal::Handle {
        argument: "extension",
        kind: "extension",
    })
}

/// Sleeps until something may have come for a context.
extern "C" fn wait(context: HeldHandle, nanoseconds: u64) -> Code {
    let rest = || {
        let object = context.get()?;
        let rested = object
            .context()
            .rest(nanoseconds, || !object.work().is_empty());
        Ok(rested.map_err(ActiveError::from)?)
    };
    answer(rest())
}

/// Opens the extension of a name, for task `task` of `tasks`.
///
/// # Errors
///
/// [`Refusal::Extension`] where there is none, and what the extension refuses.
pub fn open(name: &str, task: usize, tasks: usize) -> Result<*mut c_void, Refusal> {
    match name {
        NAME => Ok(handle()),
        torus::NAME => torus::open(task, tasks),
        _ => {
            let (name, known) = (name.to_owned(), [NAME, torus::NAME].join(" and "));
            Err(Refusal::Extension { name, known })
        }
    }
}

/// What an extension has under a name; NULL if nothing.
pub fn symbol(extension: *mut c_void, name: &[u8]) -> *mut c_void {
    if extension == torus::handle() {
        return torus::symbol(name);
    }
    match name {
        b"version" => VERSION.as_ptr().cast_mut().cast(),
        b"wait" => wait as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}
