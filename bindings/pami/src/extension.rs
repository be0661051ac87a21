//! Extensions: what this library offers beyond the interface, by name.
//!
//! Before: `PAMI_Extension_open`. After: `PAMI_Extension_symbol` gives the address of a function
//! or a variable. There is `EXT_torus_network` ([`crate::torus`]), and `EXT_pamir`:
//!
//! | symbol    | what it is |
//! |-----------|------------|
//! | `version` | `const char[]`, the library's version |
//! | `wait`    | `pami_result_t (*)(pami_context_t, unsigned long long nanoseconds)`: sleeps until something may have come for the context |

use std::ffi::{CStr, c_char, c_void};

use pamir_transport::active::ActiveError;

use crate::client::client_of;
use crate::context::context_of;
use crate::refusal::{Code, Refusal, answer};
use crate::torus;

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

fn check(extension: *mut c_void) -> Result<(), Refusal> {
    if extension == handle() || extension == torus::handle() {
        return Ok(());
    }
    Err(Refusal::Handle {
        argument: "extension",
        kind: "extension",
    })
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself.
unsafe extern "C" fn wait(context: *mut c_void, nanoseconds: u64) -> Code {
    // SAFETY: the caller vouches for the handle.
    let outcome = unsafe { context_of(context) }.and_then(|object| {
        // SAFETY: the caller vouches for having the context.
        let rested = unsafe { object.context() }.rest(nanoseconds, || !object.work().is_empty());
        Ok(rested.map_err(ActiveError::from)?)
    });
    answer(outcome)
}

/// # Safety
///
/// `client` is a client's handle, `name` a string, `extension` writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Extension_open(
    client: *mut c_void,
    name: *const c_char,
    extension: *mut *mut c_void,
) -> Code {
    let open = || {
        // SAFETY: the caller vouches for the handle.
        let client = unsafe { client_of(client)? }.client();
        if name.is_null() || extension.is_null() {
            let argument = "name or extension";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the string.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let opened = match name.as_ref() {
            NAME => handle(),
            torus::NAME => torus::open(client.task(), client.tasks())?,
            _ => {
                let (name, known) = (name.into_owned(), [NAME, torus::NAME].join(" and "));
                return Err(Refusal::Extension { name, known });
            }
        };
        // SAFETY: the caller vouches for the address.
        unsafe { *extension = opened };
        Ok(())
    };
    answer(open())
}

/// Nothing is kept for an extension that is open.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Extension_close(extension: *mut c_void) -> Code {
    answer(check(extension))
}

/// # Safety
///
/// `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Extension_symbol(
    extension: *mut c_void,
    name: *const c_char,
) -> *mut c_void {
    if check(extension).is_err() || name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the caller vouches for the string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if extension == torus::handle() {
        return torus::symbol(name);
    }
    match name {
        b"version" => VERSION.as_ptr().cast_mut().cast(),
        b"wait" => wait as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}
