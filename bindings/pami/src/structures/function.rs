//! Types of the program's functions, as `include/pami.h` declares them.
//!
//! Before: a program names a function and a cookie. After: the rooms above call it with both.

use std::ffi::c_void;

use crate::structures::code::Code;

/// `pami_event_function`.
pub type EventFunction =
    Option<unsafe extern "C" fn(context: *mut c_void, cookie: *mut c_void, result: Code)>;
/// `pami_work_function`; it returns a `pami_result_t` of the program's, which may be any number.
pub type WorkFunction =
    Option<unsafe extern "C" fn(context: *mut c_void, cookie: *mut c_void) -> i32>;
/// `pami_data_function`.
pub type DataFunction = Option<
    unsafe extern "C" fn(
        target: *mut c_void,
        source: *mut c_void,
        bytes: usize,
        cookie: *mut c_void,
    ),
>;
