//! What the environment says about the heap, and what is said back.
//!
//! Before: `mpiexec --shared-heap` has set the variables. After: the heap is made or not (`demand.rs`).
//!
//! Invariant: nothing here allocates.

use std::ffi::CStr;
use std::ptr::NonNull;

/// Set by `mpiexec --shared-heap`; without it, nothing is replaced. 2 says what is worth knowing.
const ASKED_FOR: &CStr = c"PAMIR_SHARED_HEAP";
/// Shortest block that comes from the heap, in bytes.
const LEAST: &CStr = c"PAMIR_SHARED_HEAP_LEAST";
const DEFAULT_LEAST: usize = 32 << 10;

/// Whether the heap was asked for.
pub fn asked_for() -> bool {
    number(ASKED_FOR).is_some_and(|value| value != 0)
}

/// Shortest block that should come from the heap, in bytes.
pub fn least_bytes() -> usize {
    number(LEAST).unwrap_or(DEFAULT_LEAST)
}

/// Says something on standard error, if that was asked for; allocates nothing.
pub fn say(what: std::fmt::Arguments<'_>) {
    if number(ASKED_FOR) != Some(2) {
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

/// An environment variable that is a number; read without allocating.
fn number(name: &CStr) -> Option<usize> {
    // SAFETY: the name ends with a zero; the environment is not changed while a program's first
    // large block is allocated, as far as any library can rely on it.
    let value = NonNull::new(unsafe { libc::getenv(name.as_ptr()) })?;
    // SAFETY: getenv's strings end with a zero.
    let value = unsafe { CStr::from_ptr(value.as_ptr()) };
    value.to_str().ok()?.trim().parse().ok()
}
