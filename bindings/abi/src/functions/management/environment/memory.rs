//! `MPI_Alloc_mem` and `MPI_Free_mem` (MPI-5.0 section 9.2).
//!
//! The memory is the process's own, aligned to cache lines, or as info key
//! `mpi_minimum_memory_alignment` asks. How long each piece is stands in a table, since
//! freeing it names its address only.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::argument::{address, store};
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::infos;
use crate::types::*;

/// The length of a cache line.
const ALIGNMENT_BYTES: usize = 64;

static PIECES: LazyLock<Mutex<HashMap<usize, Layout>>> = LazyLock::new(Mutex::default);

fn pieces() -> MutexGuard<'static, HashMap<usize, Layout>> {
    PIECES.lock().unwrap_or_else(PoisonError::into_inner)
}

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
    let _state = running()?;
    address(baseptr, "baseptr")?;
    let Ok(bytes) = usize::try_from(size) else {
        return Err(ErrorClass::Arg.with(format!("{size} is no size of memory")));
    };
    let no_memory = || ErrorClass::NoMem.with(format!("there is no memory of {bytes} bytes"));
    // An empty piece has an address of its own too.
    let layout =
        Layout::from_size_align(bytes.max(1), alignment(info)?).map_err(|_| no_memory())?;
    // SAFETY: the layout is not empty.
    let base = unsafe { alloc(layout) };
    if base.is_null() {
        return Err(no_memory());
    }
    pieces().insert(base as usize, layout);
    // SAFETY: the caller vouches for it.
    unsafe { store(baseptr.cast(), base, "baseptr") }
}

/// `MPI_Free_mem`; of null it does nothing, as `free` in C.
///
/// # Safety
///
/// Nothing uses the memory any more.
pub unsafe fn free_mem(base: *mut c_void) -> Result {
    let _state = running()?;
    if base.is_null() {
        return Ok(());
    }
    let layout = pieces().remove(&(base as usize)).ok_or_else(|| {
        ErrorClass::Base.with(format!(
            "{base:p} is not what MPI_Alloc_mem gave, or was freed"
        ))
    })?;
    // SAFETY: it was allocated with this layout, and is freed once, since the table had it.
    unsafe { dealloc(base.cast(), layout) };
    Ok(())
}
