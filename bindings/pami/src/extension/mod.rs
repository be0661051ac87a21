//! Extensions: what this library offers beyond the interface, by name.
//!
//! Before: `PAMI_Extension_open`. After: `PAMI_Extension_symbol` gives the address of a function
//! or a variable. There are `EXT_torus_network` ([`torus`]), `EXT_async_progress` ([`async_progress`]),
//! `EXT_collsel` ([`collsel`]), `EXT_test_extension` ([`test_extension`]), and `EXT_pamir`:
//!
//! | symbol    | what it is |
//! |-----------|------------|
//! | `version` | `const char[]`, the library's version |
//! | `put_notify`, `get_notify` | puts and gets that tell the other task ([`notify`]) |
//! | `wait`    | `pami_result_t (*)(pami_context_t, unsigned long long nanoseconds)`: sleeps until something may have come for the context |
//!
//! A new extension is a file with a name, a handle, and its symbols; [`open`] and [`symbol`] lead to it.

pub mod async_progress;
pub mod collsel;
pub mod notify;
pub mod test_extension;
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

/// What is behind a handle.
type Symbols = fn(&[u8]) -> *mut c_void;

/// The symbols of the extension with a handle.
///
/// # Errors
///
/// [`Refusal::Handle`] where it is that of none.
fn symbols_of(extension: *mut c_void) -> Result<Symbols, Refusal> {
    let known: [(*mut c_void, Symbols); 5] = [
        (handle(), own_symbol),
        (torus::handle(), torus::symbol),
        (async_progress::handle(), async_progress::symbol),
        (collsel::handle(), collsel::symbol),
        (test_extension::handle(), test_extension::symbol),
    ];
    let found = known.into_iter().find(|(handle, _)| *handle == extension);
    found.map(|(_, symbols)| symbols).ok_or(Refusal::Handle {
        argument: "extension",
        kind: "extension",
    })
}

/// Whether a handle is that of an extension.
///
/// # Errors
///
/// [`Refusal::Handle`].
pub fn check(extension: *mut c_void) -> Result<(), Refusal> {
    symbols_of(extension).map(drop)
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

/// Opens the extension of a name; `task` gives this task and the number of all, if the extension asks for them.
///
/// # Errors
///
/// [`Refusal::Extension`] where there is none, and what the extension or `task` refuses.
pub fn open(
    name: &str,
    task: impl FnOnce() -> Result<(usize, usize), Refusal>,
) -> Result<*mut c_void, Refusal> {
    match name {
        NAME => Ok(handle()),
        async_progress::NAME => Ok(async_progress::handle()),
        collsel::NAME => Ok(collsel::handle()),
        test_extension::NAME => Ok(test_extension::handle()),
        torus::NAME => {
            let (task, tasks) = task()?;
            torus::open(task, tasks)
        }
        _ => {
            let known = [
                NAME,
                torus::NAME,
                async_progress::NAME,
                collsel::NAME,
                test_extension::NAME,
            ];
            let (name, known) = (name.to_owned(), known.join(", "));
            Err(Refusal::Extension { name, known })
        }
    }
}

/// What an extension has under a name; NULL if nothing.
pub fn symbol(extension: *mut c_void, name: &[u8]) -> *mut c_void {
    symbols_of(extension).map_or(std::ptr::null_mut(), |symbols| symbols(name))
}

fn own_symbol(name: &[u8]) -> *mut c_void {
    match name {
        b"version" => VERSION.as_ptr().cast_mut().cast(),
        b"put_notify" => notify::put_notify as *mut c_void,
        b"get_notify" => notify::get_notify as *mut c_void,
        b"wait" => wait as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}
