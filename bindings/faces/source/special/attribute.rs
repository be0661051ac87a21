//! Predefined attributes, whose values mean something.
//!
//! What: the values of `MPI_IO`, `MPI_HOST`, `MPI_LASTUSEDCODE` and of windows' flavor and model in the program's
//! constants. Step before: a program asks for an attribute. Step after: it follows the address that it gets.
//! Invariant: an address that is given out stays good, and what is there changes only as the attribute does.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::call::pamir_functions;
use crate::constant::*;
use crate::handle;

/// Where a program reads a translated value.
struct Shown(AtomicI32);

/// Translates the integer that an attribute's value points to.
///
/// # Safety
///
/// `value` is where the library has written the address of an integer.
unsafe fn show(shown: &'static Shown, value: *mut c_void, to_own: impl Fn(c_int) -> c_int) {
    let value: *mut *const c_int = value.cast();
    // SAFETY: the caller's promise.
    unsafe {
        if !(*value).is_null() {
            shown.0.store(to_own(**value), Ordering::Relaxed);
        }
        *value = shown.0.as_ptr();
    }
}

static IO: Shown = Shown(AtomicI32::new(0));
static HOST: Shown = Shown(AtomicI32::new(0));
static LAST_USED: Shown = Shown(AtomicI32::new(0));

/// Keys of the standard ABI.
const KEY_IO: c_int = 502;
const KEY_HOST: c_int = 503;
const KEY_LAST_USED: c_int = 506;
const KEY_FLAVOR: c_int = 604;
const KEY_MODEL: c_int = 605;

/// `MPI_Comm_get_attr`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn comm_get_attr(
    comm: handle::Comm,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let key = communicator_key_in(comm_keyval);
    let comm = handle::comm_in(comm);
    // SAFETY: the caller's promise; the library has written both when it says so.
    unsafe {
        let code = (pamir_functions.MPI_Comm_get_attr)(comm, key, attribute_val, flag);
        if code == 0 && *flag != 0 {
            match key {
                KEY_IO => show(&IO, attribute_val, rank_out),
                KEY_HOST => show(&HOST, attribute_val, rank_out),
                KEY_LAST_USED => show(&LAST_USED, attribute_val, error_out),
                _ => {}
            }
        }
        code
    }
}

/// `MPI_Attr_get`, by its name of MPI-1.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn attr_get(
    comm: handle::Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { comm_get_attr(comm, keyval, attribute_val, flag) }
}

/// The four values of flavors, and the two of models: windows differ, so each value has a place of its own.
static FLAVORS: [Shown; 4] = [const { Shown(AtomicI32::new(0)) }; 4];
static MODELS: [Shown; 2] = [const { Shown(AtomicI32::new(0)) }; 2];

/// The first of the standard's flavors and models.
const FIRST_FLAVOR: c_int = 311;
const FIRST_MODEL: c_int = 321;

/// The place for a value that the library gave.
///
/// # Safety
///
/// `value` is where the library has written the address of an integer.
unsafe fn place(all: &'static [Shown], first: c_int, value: *mut c_void) -> Option<&'static Shown> {
    // SAFETY: the caller's promise.
    let number = unsafe { (*value.cast::<*const c_int>()).as_ref() }?;
    usize::try_from(number - first)
        .ok()
        .and_then(|index| all.get(index))
}

/// `MPI_Win_get_attr`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn win_get_attr(
    win: handle::Win,
    win_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let key = window_key_in(win_keyval);
    let win = handle::win_in(win);
    // SAFETY: the caller's promise; the library has written both when it says so.
    unsafe {
        let code = (pamir_functions.MPI_Win_get_attr)(win, key, attribute_val, flag);
        if code == 0 && *flag != 0 {
            let shown = match key {
                KEY_FLAVOR => place(&FLAVORS, FIRST_FLAVOR, attribute_val),
                KEY_MODEL => place(&MODELS, FIRST_MODEL, attribute_val),
                _ => None,
            };
            match (shown, key) {
                (Some(shown), KEY_FLAVOR) => show(shown, attribute_val, flavor_out),
                (Some(shown), _) => show(shown, attribute_val, model_out),
                _ => {}
            }
        }
        code
    }
}
