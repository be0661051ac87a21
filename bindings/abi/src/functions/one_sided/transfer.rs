//! Put and get, with and without requests (MPI-5.0 sections 12.3.1, 12.3.2 and 12.3.5).
//!
//! Contiguous data of predefined datatypes to and from memory that is mapped here is moved at once; all else goes the general way.

use std::ffi::{c_int, c_void};

use pamir_transport::active::Completion;

use super::request::Access;
use super::target::{
    Data, Far, Local, Place, Target, check_passive, place, truncated, usual_place,
};
use crate::argument::{address, store};
use crate::count::Count;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::state::requests::COMPLETED_SEND;
use crate::types::*;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Put,
    Get,
}

/// Moves data at once, where all is as usual; whether it did.
///
/// # Safety
///
/// The data is readable for a put, and writable for a get.
#[inline(always)]
unsafe fn move_here(state: &State, way: Way, data: Data, target: Target, win: MPI_Win) -> bool {
    let (rank, displacement, count, datatype) = target;
    // Any address that is not null: that of the target is not known here.
    let anywhere = data.0.wrapping_add(1);
    let spans = (
        state.datatypes.span(data.0, data.1, data.2),
        state.datatypes.span(anywhere, count, datatype),
    );
    let (Some(own), Some(far)) = spans else {
        return false;
    };
    if own.bytes != far.bytes {
        return false;
    }
    let moved = state.windows.with(win, |window| {
        let Some(place) = usual_place(window, rank, displacement, own.bytes) else {
            return false;
        };
        let (memory, Place { rank, at }) = (window.memory(), place);
        let context = state.process.context();
        // SAFETY: the caller vouches for the data; the bytes lie in the part.
        unsafe {
            match way {
                Way::Put => memory.put_here(context, rank, at, own.address, own.bytes),
                Way::Get => memory.get_here(context, rank, at, own.address, own.bytes),
            }
        }
    });
    moved == Some(true)
}

/// Moves any data.
///
/// # Safety
///
/// The data is readable for a put, and writable for a get, until `done` is called or the window is synchronised.
#[inline(never)]
unsafe fn move_any(
    state: &State,
    way: Way,
    data: Data,
    target: Target,
    win: MPI_Win,
    done: Option<Completion>,
) -> Result {
    let window = state.windows.named(win)?;
    let (rank, displacement, count, datatype) = target;
    let context = state.process.context();
    let local = Local::new(state, data.0, data.1, data.2)?;
    let far = Far::new(state, count, datatype)?;
    let nothing = |done: Option<Completion>| {
        if let Some(done) = done {
            done(context, Ok(()));
        }
        Ok(())
    };
    let Some(place) = place(&window, rank, displacement)? else {
        return nothing(done);
    };
    let bytes = match way {
        Way::Put => local.bytes(),
        Way::Get if far.bytes() > local.bytes() => {
            return Err(truncated(far.bytes(), local.bytes()));
        }
        Way::Get => far.bytes(),
    };
    let Some(remote) = far.remote(&window, place, bytes)? else {
        return nothing(done);
    };
    // SAFETY: the caller vouches for the data; `remote` was seen to lie in the part.
    unsafe {
        let machine = local.machine();
        match way {
            Way::Put => window.memory().put(context, remote, machine, done)?,
            Way::Get => window.memory().get(context, remote, machine, done)?,
        }
    }
    Ok(())
}

/// The same with a request.
///
/// # Safety
///
/// As for [`move_any`]; `request` is null or writable.
unsafe fn move_with_request(
    way: Way,
    data: Data,
    target: Target,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    address(request, "request")?;
    check_passive(&*state.windows.named(win)?, target.0)?;
    // SAFETY: as the caller vouches.
    unsafe {
        if move_here(&state, way, data, target, win) {
            return store(request, COMPLETED_SEND, "request");
        }
        let (access, done) = Access::new();
        move_any(&state, way, data, target, win, Some(done))?;
        access.give(&state, win, request)
    }
}

/// `MPI_Put`, section 12.3.1.
///
/// # Safety
///
/// The origin's data is readable until the access is synchronised.
pub unsafe fn put<C: Count>(
    origin_addr: *const c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result {
    let state = running()?;
    let data = (origin_addr.cast(), origin_count.to_i64(), origin_datatype);
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    // SAFETY: as the caller vouches.
    unsafe {
        if move_here(&state, Way::Put, data, target, win) {
            return Ok(());
        }
        move_any(&state, Way::Put, data, target, win, None)
    }
}

/// `MPI_Get`, section 12.3.2.
///
/// # Safety
///
/// The origin's data is writable until the access is synchronised.
pub unsafe fn get<C: Count>(
    origin_addr: *mut c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result {
    let state = running()?;
    let data = (
        origin_addr.cast_const().cast(),
        origin_count.to_i64(),
        origin_datatype,
    );
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    // SAFETY: as the caller vouches.
    unsafe {
        if move_here(&state, Way::Get, data, target, win) {
            return Ok(());
        }
        move_any(&state, Way::Get, data, target, win, None)
    }
}

/// `MPI_Rput`, section 12.3.5.
///
/// # Safety
///
/// The origin's data is readable until the request is complete; `request` is null or writable.
pub unsafe fn rput<C: Count>(
    origin_addr: *const c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result {
    let data = (origin_addr.cast(), origin_count.to_i64(), origin_datatype);
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    // SAFETY: as the caller vouches.
    unsafe { move_with_request(Way::Put, data, target, win, request) }
}

/// `MPI_Rget`, section 12.3.5.
///
/// # Safety
///
/// The origin's data is writable until the request is complete; `request` is null or writable.
pub unsafe fn rget<C: Count>(
    origin_addr: *mut c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result {
    let data = (
        origin_addr.cast_const().cast(),
        origin_count.to_i64(),
        origin_datatype,
    );
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    // SAFETY: as the caller vouches.
    unsafe { move_with_request(Way::Get, data, target, win, request) }
}
