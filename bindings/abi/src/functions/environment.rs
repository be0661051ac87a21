//! Initialization, termination, versions, clocks, memory and inquiry.

use std::ffi::{c_char, c_int};
use std::sync::OnceLock;
use std::time::Instant;

use pamir_mpi::process::Process;

use crate::constants::*;
use crate::error::{self, ErrorClass, Result};
use crate::process::{is_finalized, is_initialized, running, start, stop};
use crate::types::*;

/// `MPI_Init`, section 11.2.1.
///
/// # Safety
///
/// The arguments are ignored.
pub unsafe fn init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> Result {
    initialise(MPI_THREAD_SINGLE)
}

/// `MPI_Init_thread`, section 11.6.2.
///
/// # Safety
///
/// `provided` is writable.
pub unsafe fn init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> Result {
    let level = required.clamp(MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
    initialise(level)?;
    // SAFETY: the caller vouches for it.
    unsafe { provided.write(level) };
    Ok(())
}

fn initialise(level: c_int) -> Result {
    if is_initialized() {
        return Err(
            ErrorClass::Other.with("MPI is initialised once, and not again after MPI_Finalize")
        );
    }
    let process =
        Process::from_environment().map_err(|error| ErrorClass::Other.with(error.to_string()))?;
    error::set_process_name(format!("rank {} in MPI_COMM_WORLD", process.world().rank()));
    error::set_abort(abort_job);
    CLOCK.get_or_init(Instant::now);
    start(process, level, level == MPI_THREAD_MULTIPLE)
}

/// Tells the launcher, and ends this process.
fn abort_job(code: c_int) -> ! {
    if let Ok(state) = running() {
        state.process.give_up(code);
    }
    std::process::exit(if code == 0 { 1 } else { code })
}

/// `MPI_Finalize`, section 11.2.2.
pub fn finalize() -> Result {
    running()?.process.finalize()?;
    stop();
    Ok(())
}

/// `MPI_Initialized`, section 11.2.3.
///
/// # Safety
///
/// `flag` is writable.
pub unsafe fn initialized(flag: *mut c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { flag.write(is_initialized().into()) };
    Ok(())
}

/// `MPI_Finalized`, section 11.2.3.
///
/// # Safety
///
/// `flag` is writable.
pub unsafe fn finalized(flag: *mut c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { flag.write(is_finalized().into()) };
    Ok(())
}

/// `MPI_Abort`, section 9.7.
pub fn abort(_comm: MPI_Comm, errorcode: c_int) -> Result {
    eprintln!("MPI_Abort was called with error code {errorcode}");
    abort_job(errorcode)
}

static CLOCK: OnceLock<Instant> = OnceLock::new();

/// `MPI_Wtime`, section 9.6: seconds since MPI was initialised here.
pub fn wtime() -> f64 {
    CLOCK.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// `MPI_Wtick`, section 9.6: the clock counts nanoseconds.
pub fn wtick() -> f64 {
    1e-9
}
