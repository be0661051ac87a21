//! Blocking collective operations.

use std::ffi::{c_int, c_void};

use crate::count::Count;
use crate::data::output;
use crate::error::Result;
use crate::functions::communicator::named;
use crate::process::running;
use crate::types::*;

/// `MPI_Barrier`, section 6.3.
pub fn barrier(comm: MPI_Comm) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
    Ok(pamir_mpi::collective::barrier(
        state.process.context(),
        &communicator,
    )?)
}

/// `MPI_Bcast`, section 6.4.
///
/// # Safety
///
/// `buffer` is good for `count` elements of `datatype`.
pub unsafe fn bcast<C: Count>(
    buffer: *mut c_void,
    count: C,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result {
    let state = running()?;
    let communicator = named(&state, comm)?;
    // SAFETY: the caller vouches for it.
    let mut data = unsafe { output(&state, buffer.cast(), count.to_i64(), datatype)? };
    let context = state.process.context();
    pamir_mpi::collective::broadcast(context, &communicator, root as usize, &mut data)?;
    data.finish();
    Ok(())
}
