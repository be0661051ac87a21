//! Initialization, termination, versions, clocks, memory and inquiry.

pub mod interface;
pub mod machine;
pub mod memory;

use std::ffi::{c_char, c_int};

use pamir_driver::job::Job;
use pamir_mpi::process::{Process, ProcessError};

pub use interface::{
    abi_get_fortran_booleans, abi_get_fortran_info, abi_get_info, abi_get_version,
    abi_set_fortran_booleans, abi_set_fortran_info, get_library_version, get_version,
};
pub use machine::{get_hw_resource_info, get_processor_name, wtick, wtime};
pub use memory::{alloc_mem, free_mem};

use crate::argument::{address, store};
use crate::constants::*;
use crate::engine;
use crate::error::{self, ErrorClass, Object, Result};
use crate::functions::management::error::handler;
use crate::process::{
    forked, inherited, is_finalized, is_forked, is_initialized, own_thread, running, start, stop,
};
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
/// `provided` is null or writable.
pub unsafe fn init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> Result {
    address(provided, "provided")?;
    let level = provided_level(required);
    initialise(level)?;
    // SAFETY: the caller vouches for it.
    unsafe { store(provided, level, "provided") }
}

/// The lowest level of thread support that is enough; `MPI_THREAD_MULTIPLE` is the highest there is.
pub fn provided_level(required: c_int) -> c_int {
    let levels = [
        MPI_THREAD_SINGLE,
        MPI_THREAD_FUNNELED,
        MPI_THREAD_SERIALIZED,
        MPI_THREAD_MULTIPLE,
    ];
    let enough = levels.into_iter().find(|level| *level >= required);
    enough.unwrap_or(MPI_THREAD_MULTIPLE)
}

fn initialise(level: c_int) -> Result {
    if is_forked() {
        return Err(forked());
    }
    if is_initialized() {
        return Err(
            ErrorClass::Other.with("MPI is initialised once, and not again after MPI_Finalize")
        );
    }
    let process = Process::from_environment().map_err(refused)?;
    error::set_process_name(format!("rank {} in MPI_COMM_WORLD", process.world().rank()));
    error::set_abort(abort_job);
    error::set_handler(handler::dispatch);
    let thread = engine::thread::configured(&process)?;
    let multiple = level == MPI_THREAD_MULTIPLE || thread.is_some();
    start(process, level, multiple)?;
    match thread {
        Some(thread) => engine::thread::start(thread, abort_job),
        None => {
            engine::service::lend();
            Ok(())
        }
    }
}

/// Why MPI is not there. A bad setting ends the job in one line, whatever handles errors.
fn refused(error: ProcessError) -> error::Error {
    if error.is_setting() {
        Job::told_by_one(|| eprintln!("pamir: {error}"));
        std::process::exit(1);
    }
    ErrorClass::Other.with(error.to_string())
}

/// Tells the launcher, and ends this process.
fn abort_job(code: c_int) -> ! {
    if let Ok(state) = running() {
        state.process.give_up(code);
    }
    if is_forked() {
        // SAFETY: the process ends. What its parent has written and not flushed is the parent's to write.
        unsafe { libc::_exit(exit_code(code)) };
    }
    std::process::exit(exit_code(code))
}

/// The exit code of a process that gives up: what the kernel keeps of an error code is its
/// lowest byte, which must not say success.
fn exit_code(code: c_int) -> c_int {
    match code & 0xFF {
        0 => 1,
        byte => byte,
    }
}

/// `MPI_Finalize`, section 11.2.2. The attributes of `MPI_COMM_SELF` are deleted first, last
/// set first, while MPI still works (section 11.2.4).
pub fn finalize() -> Result {
    if is_forked() {
        // An exit handler's, most likely: there is nothing to end here.
        return Ok(());
    }
    let state = running()?;
    let own = state.process.own();
    if let Err(failed) = own.attributes().delete_all(MPI_COMM_SELF.0 as u64) {
        // The others wait for this process, so it goes on whatever the handler does.
        let failed = error::Error::from(failed);
        error::raise(Object::Process, failed, "MPI_Finalize");
    }
    state.process.finalize()?;
    engine::thread::stop();
    engine::service::stop();
    state.process.leave();
    stop();
    Ok(())
}

/// `MPI_Initialized`, section 11.2.3.
///
/// # Safety
///
/// `flag` is null or writable.
pub unsafe fn initialized(flag: *mut c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { store(flag, is_initialized().into(), "flag") }
}

/// `MPI_Finalized`, section 11.2.3.
///
/// # Safety
///
/// `flag` is null or writable.
pub unsafe fn finalized(flag: *mut c_int) -> Result {
    // SAFETY: the caller vouches for it.
    unsafe { store(flag, is_finalized().into(), "flag") }
}

/// `MPI_Is_thread_main`, section 11.6.2.
///
/// # Safety
///
/// `flag` is null or writable.
pub unsafe fn is_thread_main(flag: *mut c_int) -> Result {
    let state = running()?;
    let is_main = state.main_thread == own_thread();
    // SAFETY: the caller vouches for it.
    unsafe { store(flag, is_main.into(), "flag") }
}

/// `MPI_Query_thread`, section 11.6.2.
///
/// # Safety
///
/// `provided` is null or writable.
pub unsafe fn query_thread(provided: *mut c_int) -> Result {
    let state = running()?;
    // SAFETY: the caller vouches for it.
    unsafe { store(provided, state.thread_level, "provided") }
}

/// `MPI_Pcontrol`, section 15.2.4. Level 0 stops the profile of a run under `mpiexec
/// --profile-comm`, 1 goes on with it, 2 asks for what is done anyway (a flush), and any other
/// level begins a portion of that number. Without a profile nothing is done.
pub fn pcontrol(level: c_int) -> Result {
    if let Ok(state) = running()
        && let Some(counter) = state.process.context().traffic()
        && level != 2
    {
        counter.enter(level);
    }
    Ok(())
}

/// `MPI_Abort`, section 9.7. The whole job ends, whatever the communicator.
pub fn abort(comm: MPI_Comm, errorcode: c_int) -> Result {
    if let Some(process) = inherited() {
        abort_of_child(process, errorcode);
    }
    let state = running()?;
    let name = match state.communicator(comm) {
        Ok(communicator) => String::from_utf8_lossy(&communicator.name()).into_owned(),
        Err(_) => String::new(),
    };
    let on = if name.is_empty() {
        format!("{:#x}", comm.0)
    } else {
        name
    };
    eprintln!(
        "rank {} in MPI_COMM_WORLD: MPI_Abort was called on communicator {on} with error code \
         {errorcode}",
        state.process.world().rank()
    );
    abort_job(errorcode)
}

/// `MPI_Abort` in a child by fork: the launcher is told, and the rank's process, which it watches, is killed.
fn abort_of_child(process: &Process, code: c_int) -> ! {
    eprintln!(
        "rank {} in MPI_COMM_WORLD: MPI_Abort was called in a child by fork with error code {code}",
        process.world().rank()
    );
    process.give_up_for_parent(code);
    abort_job(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_code_becomes_a_good_exit() {
        assert_eq!([0, 1, 256, 512 + 7, -1].map(exit_code), [1, 1, 1, 7, 255]);
    }
}
