//! All of several requests: each is waited for in turn, while all progress.

use std::ffi::c_int;

use pamir_mpi::point_to_point::finish_quietly;

use super::super::completion::{complete, is_complete, status_if_complete};
use super::arrays::{Arrays, report};
use crate::argument::address;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Result};
use crate::process::running;
use crate::state::State;
use crate::state::requests::{COMPLETED_SEND, request_id};
use crate::types::*;

/// `MPI_Waitall`, section 3.7.5: each is waited for in turn, and all progress meanwhile.
///
/// # Safety
///
/// Both arrays have `count` entries; the statuses may be `MPI_STATUSES_IGNORE`.
pub unsafe fn waitall(
    count: c_int,
    requests: *mut MPI_Request,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, statuses)?;
    let mut first_error = None;
    for index in 0..arrays.count {
        if statuses.is_null() && finish_plain(&state, arrays.request(index))? {
            arrays.forget(index);
            continue;
        }
        let done = complete(&state, arrays.request(index))?;
        arrays.end(index, &done);
        let code = done.result.as_ref().err().map(Error::code);
        arrays.tell(
            index,
            done.status,
            code.or(first_error.as_ref().map(|_| MPI_SUCCESS)),
        );
        if let Err(error) = done.result
            && first_error.is_none()
        {
            (0..index).for_each(|earlier| arrays.settle_code(earlier));
            first_error = Some(error);
        }
    }
    match first_error {
        None => Ok(()),
        Some(first) => {
            let text = format!("a request has failed: {first}; the statuses tell which");
            Err(ErrorClass::InStatus
                .with(text)
                .on(first.object().unwrap_or(Object::Process)))
        }
    }
}

/// Waits for a request whose status nobody wants, if it is a message, and ends it unless it has
/// failed; whether it is ended.
#[inline(always)]
fn finish_plain(state: &State, request: MPI_Request) -> Result<bool> {
    if request == COMPLETED_SEND {
        return Ok(true);
    }
    let Some(id) = request_id(request) else {
        return Ok(false);
    };
    Ok(finish_quietly(state.process.context(), id)?)
}

/// `MPI_Testall`, section 3.7.5: all or none.
///
/// # Safety
///
/// As for [`waitall`]; `flag` is writable.
pub unsafe fn testall(
    count: c_int,
    requests: *mut MPI_Request,
    flag: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, statuses)?;
    address(flag, "flag")?;
    let found = state
        .process
        .context()
        .poll(|| all_complete(&state, &arrays))?;
    // SAFETY: the caller vouches for it.
    unsafe { flag.write(found.is_some().into()) };
    if found.is_none() {
        return Ok(());
    }
    let mut ended = Vec::with_capacity(arrays.count);
    for index in 0..arrays.count {
        let done = complete(&state, arrays.request(index))?;
        arrays.end(index, &done);
        ended.push((index, done));
    }
    report(&arrays, ended)
}

/// Something if all requests are complete.
fn all_complete(state: &State, arrays: &Arrays) -> Result<Option<()>> {
    for index in 0..arrays.count {
        if !is_complete(state, arrays.request(index))? {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// `MPI_Request_get_status_all`, section 3.7.6.
///
/// # Safety
///
/// The arrays have `count` entries; `flag` is writable; statuses may be ignored.
pub unsafe fn request_get_status_all(
    count: c_int,
    requests: *const MPI_Request,
    flag: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests.cast_mut(), statuses)?;
    address(flag, "flag")?;
    let status_of = |index| status_if_complete(&state, arrays.request(index));
    let look = || -> Result<Option<Vec<_>>> {
        let found: Vec<_> = (0..arrays.count).map(status_of).collect::<Result<_>>()?;
        Ok(found.into_iter().collect())
    };
    let found = state.process.context().poll(look)?;
    // SAFETY: the caller vouches for it.
    unsafe { flag.write(found.is_some().into()) };
    for (index, status) in found.into_iter().flatten().enumerate() {
        arrays.tell(index, status, None);
    }
    Ok(())
}

/// `MPI_Startall`, section 3.9.
///
/// # Safety
///
/// The array has `count` entries.
pub unsafe fn startall(count: c_int, requests: *mut MPI_Request) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, std::ptr::null_mut())?;
    (0..arrays.count).try_for_each(|index| state.requests.named(arrays.request(index))?.start())
}
