//! Generalized requests: operations of the program's own (section 13.2).

use std::cell::Cell;
use std::ffi::c_void;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::process::running;
use crate::state::requests::Compound;
use crate::types::*;

/// The program's functions, and whether it has said that its operation is complete.
struct Generalized {
    query: MPI_Grequest_query_function,
    free: MPI_Grequest_free_function,
    cancel: MPI_Grequest_cancel_function,
    extra: *mut c_void,
    complete: Cell<bool>,
    released: Cell<bool>,
}

fn result(code: i32, what: &'static str) -> Result {
    if code == MPI_SUCCESS {
        Ok(())
    } else {
        Err(Error::from_code(crate::face::code_in(code), what))
    }
}

impl Generalized {
    fn query(&self) -> (MPI_Status, Result) {
        let mut status = MPI_Status::empty();
        let Some(query) = self.query else {
            return (status, Ok(()));
        };
        // SAFETY: the program gave the function for this, with its own extra state.
        let call = |shown| unsafe { query(self.extra, shown) };
        let code = crate::face::with_status(&mut status, call);
        (
            status,
            result(code, "the query function of a generalized request failed"),
        )
    }

    fn free(&self) -> Result {
        let Some(free) = self.free else { return Ok(()) };
        // SAFETY: as in `query`; it is called once, when the request ends.
        let code = unsafe { free(self.extra) };
        result(code, "the free function of a generalized request failed")
    }
}

impl Compound for Generalized {
    fn is_complete(&self) -> bool {
        self.complete.get()
    }

    fn finish(&self) -> (MPI_Status, Result) {
        let (status, queried) = self.query();
        let freed = self.free();
        (status, queried.and(freed))
    }

    fn status(&self) -> MPI_Status {
        self.query().0
    }

    fn cancel(&self) -> Result {
        let Some(cancel) = self.cancel else {
            return Ok(());
        };
        // SAFETY: as in `query`.
        let code = unsafe { cancel(self.extra, self.complete.get().into()) };
        result(code, "the cancel function of a generalized request failed")
    }

    fn released(&self) -> Result<bool> {
        if !self.complete.get() {
            // `MPI_Grequest_complete` is still to come, with the same handle.
            self.released.set(true);
            return Ok(false);
        }
        self.free()?;
        Ok(true)
    }

    fn mark_complete(&self) -> Result<bool> {
        if self.complete.replace(true) {
            let text = "the generalized request has been completed before";
            return Err(ErrorClass::Request.with(text));
        }
        if self.released.get() {
            self.free()?;
        }
        Ok(self.released.get())
    }
}

/// `MPI_Grequest_start`.
///
/// # Safety
///
/// The functions may be called with `extra_state` until the request ends; `request` is writable.
pub unsafe fn grequest_start(
    query_fn: MPI_Grequest_query_function,
    free_fn: MPI_Grequest_free_function,
    cancel_fn: MPI_Grequest_cancel_function,
    extra_state: *mut c_void,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    crate::argument::address(request, "request")?;
    let operation = Generalized {
        query: query_fn,
        free: free_fn,
        cancel: cancel_fn,
        extra: extra_state,
        complete: Cell::new(false),
        released: Cell::new(false),
    };
    let handle = state.requests.insert(operation);
    // SAFETY: the caller vouches for it.
    unsafe { request.write(handle) };
    Ok(())
}

/// `MPI_Grequest_complete`.
pub fn grequest_complete(request: MPI_Request) -> Result {
    let state = running()?;
    let operation = state.requests.named(request)?;
    if operation.mark_complete()? {
        state.requests.remove(request);
    }
    Ok(())
}
