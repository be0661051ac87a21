//! What a process learns of its machine: its name, its clock, its hardware.

use std::ffi::{c_char, c_int};

use pamir_driver::topology::host_name;

use crate::argument::{address, store, store_string};
use crate::constants::MPI_MAX_PROCESSOR_NAME;
use crate::error::{ErrorClass, Result};
use crate::functions::communicators::communicator::split_type::{RESOURCES, SCHEME, instances};
use crate::functions::management::info;
use crate::process::running;
use crate::state::State;
use crate::state::infos;
use crate::types::MPI_Info;

/// The name of the node that this process is on: the machine's, and where the machine is divided into
/// nodes (`mpiexec --nodes`), the node's number behind it, so that names tell nodes apart.
fn node_name(state: &State) -> Result<Vec<u8>> {
    let mut name = host_name().into_bytes();
    if name.is_empty() {
        return Err(ErrorClass::Other.with("the kernel does not tell the machine's name"));
    }
    let context = state.process.context();
    let job = context.job();
    if job.nodes() > 1 {
        name.extend_from_slice(format!("-node{}", job.node(context.task())).as_bytes());
    }
    Ok(name)
}

/// `MPI_Get_processor_name`, section 9.1.2.
///
/// # Safety
///
/// `name` is null or has room for `MPI_MAX_PROCESSOR_NAME` characters; `resultlen` is null
/// or writable.
pub unsafe fn get_processor_name(name: *mut c_char, resultlen: *mut c_int) -> Result {
    let state = running()?;
    address(resultlen, "resultlen")?;
    let host = node_name(&state)?;
    // SAFETY: the caller vouches for both.
    unsafe {
        let bytes = store_string(name, &host, MPI_MAX_PROCESSOR_NAME as usize, "name")?;
        store(resultlen, bytes, "resultlen")
    }
}

/// `MPI_Get_hw_resource_info`, section 9.1.2: whether this process is restricted to one
/// instance of each kind of hardware, by its name in hwloc.
///
/// # Safety
///
/// `hw_info` is null or writable.
pub unsafe fn get_hw_resource_info(hw_info: *mut MPI_Info) -> Result {
    let _state = running()?;
    let mut found = infos::empty();
    for ((name, _), instance) in RESOURCES.iter().zip(instances()) {
        let restricted = if instance.is_some() { "true" } else { "false" };
        found.set(format!("{SCHEME}{name}"), restricted)?;
    }
    // SAFETY: the caller vouches for it.
    unsafe { info::give(found, hw_info, "hw_info") }
}

/// `MPI_Wtime`, section 9.6: seconds since the machine was started, the same clock at all
/// ranks.
#[inline]
pub fn wtime() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the time is writable; the monotonic clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// `MPI_Wtick`, section 9.6: the clock's resolution in seconds.
pub fn wtick() -> f64 {
    let mut tick = libc::timespec {
        tv_sec: 0,
        tv_nsec: 1,
    };
    // SAFETY: as in `wtime`.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &mut tick) };
    tick.tv_sec as f64 + tick.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_by_its_ticks() {
        let start = wtime();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let passed = wtime() - start;
        assert!((2e-3..10.0).contains(&passed), "{passed}");
        assert!(wtick() > 0.0 && wtick() <= 1e-2);
    }
}
