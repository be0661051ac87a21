//! What the environment says about the heap, and what is said back.
//!
//! Before: `mpiexec --shared-heap` has set the variables. After: the heap is made or not (`demand.rs`).
//!
//! Invariant: nothing here allocates.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::ptr::NonNull;

use pamir_settings::kind::Kind;
use pamir_settings::{SHARED_HEAP, SHARED_HEAP_LEAST, Setting};

/// Whether the heap was asked for.
pub fn asked_for() -> bool {
    value(&SHARED_HEAP) != 0
}

/// Shortest block that should come from the heap, in bytes.
pub fn least_bytes() -> usize {
    value(&SHARED_HEAP_LEAST)
}

/// Says something on standard error, if that was asked for; allocates nothing.
pub fn say(what: std::fmt::Arguments<'_>) {
    if value(&SHARED_HEAP) != 2 {
        return;
    }
    let mut line = [0; 256];
    let mut rest = &mut line[..];
    // What is too long is cut.
    let _ = std::io::Write::write_fmt(&mut rest, format_args!("pamir: {what}\n"));
    let length = 256 - rest.len();
    // SAFETY: the line has these bytes. Nobody can be told that this fails.
    unsafe { libc::write(2, line.as_ptr().cast(), length) };
}

/// A setting that is a number; read without allocating.
fn value<K: Kind<Value = usize>>(setting: &Setting<K>) -> usize {
    // SAFETY: the name ends with a zero; the environment is not changed while a program's first
    // large block is allocated, as far as any library can rely on it.
    let value = NonNull::new(unsafe { libc::getenv(setting.c_name().as_ptr()) });
    // SAFETY: getenv's strings end with a zero.
    let value = value.map(|value| unsafe { CStr::from_ptr(value.as_ptr()) });
    setting.value_of(value.map(|value| OsStr::from_bytes(value.to_bytes())))
}
