//! Calls that complete or inquire several requests (section 3.7.5 and 3.7.6).
//!
//! Each request is looked up once; waiting for all waits for each in turn, while all progress.

use std::ffi::c_int;

use super::{Done, complete, compound, is_complete, settled, status_if_complete, try_complete};
use pamir_mpi::point_to_point::finish_quietly;

use crate::argument::address;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Object, Result};
use crate::functions::point_to_point::{COMPLETED_SEND, request_id, write_status};
use crate::process::{State, running};
use crate::types::*;

/// The program's array of requests, and of statuses if it wants them.
struct Arrays {
    requests: *mut MPI_Request,
    statuses: *mut MPI_Status,
    count: usize,
}

impl Arrays {
    fn new(count: c_int, requests: *mut MPI_Request, statuses: *mut MPI_Status) -> Result<Self> {
        let Ok(count) = usize::try_from(count) else {
            return Err(ErrorClass::Count.with(format!("a count is at least 0, not {count}")));
        };
        if requests.is_null() && count > 0 {
            return Err(ErrorClass::Arg.with("the array of requests is null"));
        }
        Ok(Self {
            requests,
            statuses,
            count,
        })
    }

    /// Refuses a null array of indices, which has a place for each request.
    fn check_indices(&self, indices: *mut c_int) -> Result {
        if self.count == 0 {
            return Ok(());
        }
        address(indices, "array_of_indices")
    }

    fn request(&self, index: usize) -> MPI_Request {
        debug_assert!(index < self.count);
        // SAFETY: the program vouches for `count` entries, and every index is below it.
        unsafe { *self.requests.add(index) }
    }

    /// The handle of a request that has ended, and is not persistent, names nothing from now on.
    fn forget(&self, index: usize) {
        // SAFETY: as in `request`.
        unsafe { *self.requests.add(index) = MPI_REQUEST_NULL };
    }

    /// Notes that request `index` has ended.
    fn end(&self, index: usize, done: &Done) {
        if !done.stays {
            self.forget(index);
        }
    }

    /// Writes status number `index`, with an error code where the call reports errors that way.
    fn tell(&self, index: usize, status: MPI_Status, code: Option<c_int>) {
        if self.statuses.is_null() {
            return;
        }
        // SAFETY: the program vouches for as many statuses as requests.
        unsafe {
            let target = self.statuses.add(index);
            let code = code.unwrap_or((*target).MPI_ERROR);
            *target = MPI_Status {
                MPI_ERROR: code,
                ..status
            };
        }
    }
}

/// Turns the errors of several requests into one, and their codes into the statuses.
///
/// `done` has the place of each status and how its request ended. No call that uses this gives
/// back a status of a request that has not ended, so `MPI_ERR_PENDING` does not occur.
fn report(arrays: &Arrays, done: Vec<(usize, Done)>) -> Result {
    let failed = done.iter().position(|(_, done)| done.result.is_err());
    let Some(failed) = failed else {
        for (place, done) in &done {
            arrays.tell(*place, done.status, None);
        }
        return Ok(());
    };
    let mut first = None;
    for (number, (place, done)) in done.into_iter().enumerate() {
        let code = done.result.as_ref().err().map_or(MPI_SUCCESS, Error::code);
        arrays.tell(place, done.status, Some(code));
        if number == failed {
            first = done.result.err();
        }
    }
    let first = first.expect("a failed request has its error");
    let text = format!("a request has failed: {first}; the statuses tell which");
    Err(ErrorClass::InStatus
        .with(text)
        .on(first.object().unwrap_or(Object::Process)))
}

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
    if request.0 == COMPLETED_SEND {
        return Ok(true);
    }
    let Some(id) = request_id(request) else {
        return Ok(false);
    };
    Ok(finish_quietly(state.process.context(), id)?)
}

impl Arrays {
    /// Says of an earlier status that its request succeeded, now that codes matter.
    fn settle_code(&self, index: usize) {
        if !self.statuses.is_null() {
            // SAFETY: as in `tell`.
            unsafe { (*self.statuses.add(index)).MPI_ERROR = MPI_SUCCESS };
        }
    }
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

/// The first complete request that is not idle.
fn find_complete(state: &State, arrays: &Arrays) -> Result<Found> {
    let mut all_idle = true;
    for index in 0..arrays.count {
        let request = arrays.request(index);
        if is_idle(state, request)? {
            continue;
        }
        all_idle = false;
        if is_complete(state, request)? {
            return Ok(Found::At(index));
        }
    }
    Ok(if all_idle {
        Found::AllIdle
    } else {
        Found::Nothing
    })
}

/// Whether a request is null or inactive.
fn is_idle(state: &State, request: MPI_Request) -> Result<bool> {
    if request_id(request).is_some() {
        return Ok(false);
    }
    if let Some(done) = settled(request) {
        return Ok(done.idle);
    }
    let operation = compound(state, request)?;
    Ok(operation.is_persistent() && !operation.is_active())
}

enum Found {
    At(usize),
    Nothing,
    AllIdle,
}

impl Found {
    fn something(self) -> Option<Self> {
        (!matches!(self, Self::Nothing)).then_some(self)
    }
}

/// Polls once for a complete request that is not idle.
fn poll_for_any(state: &State, arrays: &Arrays) -> Result<Found> {
    let look = || Ok(find_complete(state, arrays)?.something());
    let found: Result<_> = state.process.context().poll(look);
    Ok(found?.unwrap_or(Found::Nothing))
}

/// Ends request `index`, or says that there was none.
///
/// # Safety
///
/// `indx` is writable, `status` is writable or ignored.
unsafe fn end_any(
    state: &State,
    arrays: &Arrays,
    found: Option<usize>,
    indx: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let Some(index) = found else {
        // SAFETY: the caller vouches for both.
        unsafe {
            indx.write(MPI_UNDEFINED);
            write_status(status, MPI_Status::empty());
        }
        return Ok(());
    };
    let done = complete(state, arrays.request(index))?;
    arrays.end(index, &done);
    // SAFETY: as above.
    unsafe {
        indx.write(index as c_int);
        write_status(status, done.status);
    }
    done.result
}

/// `MPI_Waitany`, section 3.7.5.
///
/// # Safety
///
/// The array has `count` entries; `indx` is writable; `status` is writable or ignored.
pub unsafe fn waitany(
    count: c_int,
    requests: *mut MPI_Request,
    indx: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, std::ptr::null_mut())?;
    address(indx, "indx")?;
    let found = wait_for_some(&state, &arrays)?;
    // SAFETY: the caller vouches for both.
    unsafe { end_any(&state, &arrays, found, indx, status) }
}

/// Waits until a request is complete; none if all are idle.
fn wait_for_some(state: &State, arrays: &Arrays) -> Result<Option<usize>> {
    let mut found = Ok(Found::Nothing);
    state.process.context().advance_until(|| {
        found = find_complete(state, arrays);
        !matches!(found, Ok(Found::Nothing))
    })?;
    Ok(match found? {
        Found::At(index) => Some(index),
        Found::AllIdle | Found::Nothing => None,
    })
}

/// `MPI_Testany`, section 3.7.5.
///
/// # Safety
///
/// As for [`waitany`]; `flag` is writable.
pub unsafe fn testany(
    count: c_int,
    requests: *mut MPI_Request,
    indx: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, std::ptr::null_mut())?;
    address(indx, "indx")?;
    address(flag, "flag")?;
    let found = match poll_for_any(&state, &arrays)? {
        Found::At(index) => Some(index),
        Found::AllIdle => None,
        Found::Nothing => {
            // SAFETY: the caller vouches for both.
            unsafe {
                flag.write(0);
                indx.write(MPI_UNDEFINED);
            }
            return Ok(());
        }
    };
    // SAFETY: as above.
    unsafe {
        flag.write(1);
        end_any(&state, &arrays, found, indx, status)
    }
}

/// Ends all complete requests, something if there were any or all are idle; their number is
/// `MPI_UNDEFINED` if all are idle.
fn end_some(
    state: &State,
    arrays: &Arrays,
    indices: *mut c_int,
    outcount: *mut c_int,
) -> Result<Option<()>> {
    let (mut ended, mut all_idle) = (Vec::new(), true);
    for index in 0..arrays.count {
        let request = arrays.request(index);
        if is_idle(state, request)? {
            continue;
        }
        all_idle = false;
        if let Some(done) = try_complete(state, request)? {
            arrays.end(index, &done);
            // SAFETY: the program vouches for as many indices as requests.
            unsafe { indices.add(ended.len()).write(index as c_int) };
            ended.push((ended.len(), done));
        }
    }
    let number = if all_idle {
        MPI_UNDEFINED
    } else {
        ended.len() as c_int
    };
    // SAFETY: the program vouches for it.
    unsafe { outcount.write(number) };
    report(arrays, ended)?;
    Ok((number != 0).then_some(()))
}

/// `MPI_Waitsome`, section 3.7.5.
///
/// # Safety
///
/// The arrays have `incount` entries; `outcount` is writable; statuses may be ignored.
pub unsafe fn waitsome(
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(incount, requests, statuses)?;
    address(outcount, "outcount")?;
    arrays.check_indices(indices)?;
    wait_for_some(&state, &arrays)?;
    end_some(&state, &arrays, indices, outcount).map(drop)
}

/// `MPI_Testsome`, section 3.7.5.
///
/// # Safety
///
/// As for [`waitsome`].
pub unsafe fn testsome(
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(incount, requests, statuses)?;
    address(outcount, "outcount")?;
    arrays.check_indices(indices)?;
    let look = || end_some(&state, &arrays, indices, outcount);
    state.process.context().poll(look).map(drop)
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

/// `MPI_Request_get_status_any`, section 3.7.6.
///
/// # Safety
///
/// The array has `count` entries; the results are writable; `status` may be ignored.
pub unsafe fn request_get_status_any(
    count: c_int,
    requests: *const MPI_Request,
    indx: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests.cast_mut(), std::ptr::null_mut())?;
    address(indx, "indx")?;
    address(flag, "flag")?;
    let found = poll_for_any(&state, &arrays)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        flag.write((!matches!(found, Found::Nothing)).into());
        indx.write(MPI_UNDEFINED);
        match found {
            Found::At(index) => {
                indx.write(index as c_int);
                if let Some(found) = status_if_complete(&state, arrays.request(index))? {
                    write_status(status, found);
                }
            }
            Found::AllIdle => write_status(status, MPI_Status::empty()),
            Found::Nothing => {}
        }
    }
    Ok(())
}

/// `MPI_Request_get_status_some`, section 3.7.6.
///
/// # Safety
///
/// The arrays have `incount` entries; `outcount` is writable; statuses may be ignored.
pub unsafe fn request_get_status_some(
    incount: c_int,
    requests: *const MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result {
    let state = running()?;
    let arrays = Arrays::new(incount, requests.cast_mut(), statuses)?;
    address(outcount, "outcount")?;
    arrays.check_indices(indices)?;
    // SAFETY: the caller vouches for the array.
    let look = || unsafe { tell_some(&state, &arrays, indices) };
    let number = state.process.context().poll(look)?;
    // SAFETY: the caller vouches for it.
    unsafe { outcount.write(number.unwrap_or(0)) };
    Ok(())
}

/// Tells of all complete requests: their number, `MPI_UNDEFINED` if all are idle, nothing if there are none.
///
/// # Safety
///
/// `indices` is writable for as many as there are requests.
unsafe fn tell_some(state: &State, arrays: &Arrays, indices: *mut c_int) -> Result<Option<c_int>> {
    let (mut number, mut all_idle) = (0, true);
    for index in 0..arrays.count {
        let request = arrays.request(index);
        if is_idle(state, request)? {
            continue;
        }
        all_idle = false;
        if let Some(status) = status_if_complete(state, request)? {
            // SAFETY: the caller vouches for the array.
            unsafe { indices.add(number).write(index as c_int) };
            arrays.tell(number, status, None);
            number += 1;
        }
    }
    Ok(match number {
        0 if all_idle => Some(MPI_UNDEFINED),
        0 => None,
        number => Some(number as c_int),
    })
}

/// `MPI_Startall`, section 3.9.
///
/// # Safety
///
/// The array has `count` entries.
pub unsafe fn startall(count: c_int, requests: *mut MPI_Request) -> Result {
    let state = running()?;
    let arrays = Arrays::new(count, requests, std::ptr::null_mut())?;
    (0..arrays.count).try_for_each(|index| compound(&state, arrays.request(index))?.start(&state))
}
