//! `MPI_Alloc_mem` and `MPI_Free_mem` (MPI-5.0 section 9.2).
//!
//! The memory is of the job's file, which other ranks can map, aligned to cache lines, or as info key
//! `mpi_minimum_memory_alignment` asks: `pamir_mpi::window::allocation`.

use std::alloc::Layout;
use std::ffi::c_void;

use crate::argument::{address, store};
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::infos;
use crate::types::*;

/// The length of a cache line.
const ALIGNMENT_BYTES: usize = 64;

/// The alignment that the hints ask for.
fn alignment(info: MPI_Info) -> Result<usize> {
    let hints = infos::hints(info)?;
    let asked = hints.get("mpi_minimum_memory_alignment")?;
    let bytes = asked
        .and_then(|text| std::str::from_utf8(text).ok())
        .and_then(|text| text.parse::<usize>().ok())
        .filter(|bytes| bytes.is_power_of_two());
    Ok(bytes.unwrap_or(1).max(ALIGNMENT_BYTES))
}

/// `MPI_Alloc_mem`.
///
/// # Safety
///
/// `baseptr` is null or the address of a pointer.
pub unsafe fn alloc_mem(size: MPI_Aint, info: MPI_Info, baseptr: *mut c_void) -> Result {
    let state = running()?;
    address(baseptr, "baseptr")?;
    let Ok(bytes) = usize::try_from(size) else {
        return Err(ErrorClass::Arg.with(format!("{size} is no size of memory")));
    };
    let no_memory = || ErrorClass::NoMem.with(format!("there is no memory of {bytes} bytes"));
    // An empty piece has an address of its own too.
    let layout =
        Layout::from_size_align(bytes.max(1), alignment(info)?).map_err(|_| no_memory())?;
    let job = state.process.context().job();
    let base = state.allocations.allocate(job, layout);
    let base = base.map_err(|error| ErrorClass::NoMem.with(error.to_string()))?;
    // SAFETY: the caller vouches for it.
    unsafe { store(baseptr.cast(), base, "baseptr") }
}

/// `MPI_Free_mem`; of null it does nothing, as `free` in C. Nothing uses the memory any more.
pub fn free_mem(base: *mut c_void) -> Result {
    let state = running()?;
    if base.is_null()
        || state
            .allocations
            .free(state.process.context().job(), base as usize)
    {
        return Ok(());
    }
    let text = format!("{base:p} is not what MPI_Alloc_mem gave, or was freed");
    Err(ErrorClass::Base.with(text))
}
