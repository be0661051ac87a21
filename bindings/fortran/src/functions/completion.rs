//! Completing, starting and freeing requests.
//!
//! What: arrays of requests become arrays of handles and back, indices count from 1, and what
//! `pending` keeps for a request is done.
//! Step before: `entry`. Step after: C's functions of the same names.
//! Invariants: each request is written back whatever the code is, since some may be complete when one
//! has failed. Nothing is looked up in `pending` while nothing is there.

use crate::address;
use crate::c::{self, Handle, Integer, Status, c_int};
use crate::handle::{Array, request};
use crate::pending;

/// The program's requests during a call.
struct Requests {
    integers: *mut Integer,
    count: usize,
    handles: Array,
}

impl Requests {
    unsafe fn new(integers: *mut Integer, count: *mut Integer) -> Self {
        // SAFETY: the program's count and array; a count that C refuses has no elements.
        unsafe {
            let count = usize::try_from(*count).unwrap_or(0);
            let handles = Array::new(integers, count, request::to_c);
            Self {
                integers,
                count,
                handles,
            }
        }
    }

    /// Writes a request back, and does what waited for its completion.
    unsafe fn give_back(&mut self, index: usize, code: c_int) {
        // SAFETY: the index is below the count.
        unsafe {
            give_back(
                self.integers.add(index),
                self.handles.as_mut_slice()[index],
                code == c::SUCCESS,
            )
        };
    }

    unsafe fn give_all_back(&mut self, code: c_int) {
        for index in 0..self.count {
            // SAFETY: the index is below the count.
            unsafe { self.give_back(index, code) };
        }
    }
}

/// Writes a request back; does what `pending` has for it, if it is complete: C says so, or has ended it.
#[inline(always)]
unsafe fn give_back(integer: *mut Integer, handle: Handle, is_complete: bool) {
    let after = request::to_fortran(handle);
    // SAFETY: the program's request.
    unsafe {
        if pending::is_any() {
            let is_gone = after == c::REQUEST_NULL;
            if is_complete || is_gone && *integer != after {
                pending::completed(*integer, is_gone);
            }
        }
        *integer = after;
    }
}

/// `MPI_Wait`.
#[inline(always)]
pub unsafe fn wait(call: c::MPI_Wait, integer: *mut Integer, status: *mut Status) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let mut handle = request::to_c(*integer);
        let code = call(&raw mut handle, address::status(status));
        give_back(integer, handle, code == c::SUCCESS);
        code
    }
}

/// `MPI_Test`.
#[inline(always)]
pub unsafe fn test(
    call: c::MPI_Test,
    integer: *mut Integer,
    flag: *mut Integer,
    status: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let mut handle = request::to_c(*integer);
        let code = call(&raw mut handle, flag, address::status(status));
        give_back(integer, handle, code == c::SUCCESS && *flag != 0);
        code
    }
}

/// `MPI_Waitall`.
pub unsafe fn waitall(
    call: c::MPI_Waitall,
    count: *mut Integer,
    integers: *mut Integer,
    statuses: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let mut requests = Requests::new(integers, count);
        let code = call(
            *count,
            requests.handles.as_mut_ptr(),
            address::statuses(statuses),
        );
        requests.give_all_back(code);
        code
    }
}

/// `MPI_Testall`.
pub unsafe fn testall(
    call: c::MPI_Testall,
    count: *mut Integer,
    integers: *mut Integer,
    flag: *mut Integer,
    statuses: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let mut requests = Requests::new(integers, count);
        let code = call(
            *count,
            requests.handles.as_mut_ptr(),
            flag,
            address::statuses(statuses),
        );
        if code != c::SUCCESS || *flag != 0 {
            requests.give_all_back(code);
        }
        code
    }
}

/// `MPI_Waitany`.
pub unsafe fn waitany(
    call: c::MPI_Waitany,
    count: *mut Integer,
    integers: *mut Integer,
    index: *mut Integer,
    status: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        *index = c::UNDEFINED;
        let mut requests = Requests::new(integers, count);
        let code = call(
            *count,
            requests.handles.as_mut_ptr(),
            index,
            address::status(status),
        );
        give_one_back(&mut requests, index, code);
        code
    }
}

/// `MPI_Testany`.
pub unsafe fn testany(
    call: c::MPI_Testany,
    count: *mut Integer,
    integers: *mut Integer,
    index: *mut Integer,
    flag: *mut Integer,
    status: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        *index = c::UNDEFINED;
        let mut requests = Requests::new(integers, count);
        let code = call(
            *count,
            requests.handles.as_mut_ptr(),
            index,
            flag,
            address::status(status),
        );
        give_one_back(&mut requests, index, code);
        code
    }
}

/// Gives the request at C's index back, and makes the index Fortran's.
unsafe fn give_one_back(requests: &mut Requests, index: *mut Integer, code: c_int) {
    // SAFETY: C has written the index, or left it.
    unsafe {
        if let Some(at) = usize::try_from(*index)
            .ok()
            .filter(|at| *at < requests.count)
        {
            requests.give_back(at, code);
            *index += 1;
        }
    }
}

macro_rules! some {
    ($name:ident, $type:ident) => {
        #[doc = concat!("`", stringify!($type), "`.")]
        pub unsafe fn $name(
            call: c::$type,
            count: *mut Integer,
            integers: *mut Integer,
            outcount: *mut Integer,
            indices: *mut Integer,
            statuses: *mut Status,
        ) -> c_int {
            // SAFETY: the program's arguments.
            unsafe {
                *outcount = c::UNDEFINED;
                let mut requests = Requests::new(integers, count);
                let code = call(
                    *count,
                    requests.handles.as_mut_ptr(),
                    outcount,
                    indices,
                    address::statuses(statuses),
                );
                for at in 0..usize::try_from(*outcount).unwrap_or(0) {
                    give_one_back(&mut requests, indices.add(at), code);
                }
                code
            }
        }
    };
}

some!(waitsome, MPI_Waitsome);
some!(testsome, MPI_Testsome);

/// `MPI_Request_get_status`.
pub unsafe fn request_get_status(
    call: c::MPI_Request_get_status,
    integer: *mut Integer,
    flag: *mut Integer,
    status: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let code = call(request::to_c(*integer), flag, address::status(status));
        if code == c::SUCCESS && *flag != 0 && pending::is_any() {
            pending::seen(*integer);
        }
        code
    }
}

/// `MPI_Request_get_status_all`.
pub unsafe fn request_get_status_all(
    call: c::MPI_Request_get_status_all,
    count: *mut Integer,
    integers: *mut Integer,
    flag: *mut Integer,
    statuses: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let mut requests = Requests::new(integers, count);
        let handles = requests.handles.as_mut_ptr();
        let code = call(*count, handles, flag, address::statuses(statuses));
        if code == c::SUCCESS && *flag != 0 && pending::is_any() {
            (0..requests.count).for_each(|index| pending::seen(*integers.add(index)));
        }
        code
    }
}

/// `MPI_Request_get_status_any`.
pub unsafe fn request_get_status_any(
    call: c::MPI_Request_get_status_any,
    count: *mut Integer,
    integers: *mut Integer,
    index: *mut Integer,
    flag: *mut Integer,
    status: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        *index = c::UNDEFINED;
        let mut requests = Requests::new(integers, count);
        let handles = requests.handles.as_mut_ptr();
        let code = call(*count, handles, index, flag, address::status(status));
        see_one(&requests, index, code);
        code
    }
}

/// `MPI_Request_get_status_some`.
pub unsafe fn request_get_status_some(
    call: c::MPI_Request_get_status_some,
    count: *mut Integer,
    integers: *mut Integer,
    outcount: *mut Integer,
    indices: *mut Integer,
    statuses: *mut Status,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        *outcount = c::UNDEFINED;
        let mut requests = Requests::new(integers, count);
        let (handles, statuses) = (requests.handles.as_mut_ptr(), address::statuses(statuses));
        let code = call(*count, handles, outcount, indices, statuses);
        for at in 0..usize::try_from(*outcount).unwrap_or(0) {
            see_one(&requests, indices.add(at), code);
        }
        code
    }
}

/// Makes C's index Fortran's; the request there is complete, and goes on.
unsafe fn see_one(requests: &Requests, index: *mut Integer, code: c_int) {
    // SAFETY: C has written the index, or left it at nothing.
    unsafe {
        let at = usize::try_from(*index).ok();
        if let Some(at) = at.filter(|at| *at < requests.count) {
            if code == c::SUCCESS && pending::is_any() {
                pending::seen(*requests.integers.add(at));
            }
            *index += 1;
        }
    }
}

/// `MPI_Start`.
pub unsafe fn start(call: c::MPI_Start, integer: *mut Integer) -> c_int {
    // SAFETY: the program's request.
    unsafe {
        if pending::is_any() {
            pending::started(*integer);
        }
        let mut handle = request::to_c(*integer);
        call(&raw mut handle)
    }
}

/// `MPI_Startall`.
pub unsafe fn startall(
    call: c::MPI_Startall,
    count: *mut Integer,
    integers: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let mut requests = Requests::new(integers, count);
        if pending::is_any() {
            (0..requests.count).for_each(|index| pending::started(*integers.add(index)));
        }
        call(*count, requests.handles.as_mut_ptr())
    }
}

/// `MPI_Request_free`.
pub unsafe fn request_free(call: c::MPI_Request_free, integer: *mut Integer) -> c_int {
    // SAFETY: the program's request.
    unsafe {
        let mut handle = request::to_c(*integer);
        let code = call(&raw mut handle);
        if code == c::SUCCESS && pending::is_any() {
            pending::forget(*integer);
        }
        *integer = request::to_fortran(handle);
        code
    }
}
