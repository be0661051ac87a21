//! Values of info objects, and names of process sets, whose lengths C counts with the final zero.
//!
//! Step before: `entry`. Step after: C.
//! Invariant: a length is the number of characters here, one less than C's.

use crate::c::{self, Integer, c_char, c_int};
use crate::handle;
use crate::string::{Input, give};

/// `MPI_Info_get`.
pub unsafe fn info_get(
    call: c::MPI_Info_get,
    info: *mut Integer,
    key: *mut c_char,
    valuelen: *mut Integer,
    value: *mut c_char,
    flag: *mut Integer,
    key_length: usize,
    value_length: usize,
) -> c_int {
    // SAFETY: the program's arguments; C gets room for as many characters as it is told, and the zero.
    unsafe {
        let key = Input::both(key, key_length);
        let mut text = vec![0_u8; usize::try_from(*valuelen).unwrap_or(0) + 1];
        let code = call(
            handle::info::to_c(*info),
            key.as_ptr(),
            *valuelen,
            text.as_mut_ptr().cast(),
            flag,
        );
        if code == c::SUCCESS && *flag != 0 {
            give(&text, value, value_length);
        }
        code
    }
}

/// `MPI_Info_get_string`.
pub unsafe fn info_get_string(
    call: c::MPI_Info_get_string,
    info: *mut Integer,
    key: *mut c_char,
    buflen: *mut Integer,
    value: *mut c_char,
    flag: *mut Integer,
    key_length: usize,
    value_length: usize,
) -> c_int {
    // SAFETY: as for `info_get`.
    unsafe {
        let key = Input::both(key, key_length);
        let wanted = usize::try_from(*buflen).unwrap_or(0);
        let mut text = vec![0_u8; wanted + 1];
        let mut length = if wanted == 0 {
            0
        } else {
            (*buflen).saturating_add(1)
        };
        let code = call(
            handle::info::to_c(*info),
            key.as_ptr(),
            &raw mut length,
            text.as_mut_ptr().cast(),
            flag,
        );
        if code == c::SUCCESS && *flag != 0 {
            *buflen = (length - 1).max(0);
            if wanted > 0 {
                give(&text, value, value_length);
            }
        }
        code
    }
}

/// `MPI_Session_get_nth_pset`.
pub unsafe fn session_get_nth_pset(
    call: c::MPI_Session_get_nth_pset,
    session: *mut Integer,
    info: *mut Integer,
    n: *mut Integer,
    length: *mut Integer,
    name: *mut c_char,
    name_length: usize,
) -> c_int {
    // SAFETY: as for `info_get`.
    unsafe {
        let wanted = usize::try_from(*length).unwrap_or(0);
        let mut text = vec![0_u8; wanted + 1];
        let mut with_zero = if wanted == 0 {
            0
        } else {
            (*length).saturating_add(1)
        };
        let (session, info) = (handle::session::to_c(*session), handle::info::to_c(*info));
        let code = call(
            session,
            info,
            *n,
            &raw mut with_zero,
            text.as_mut_ptr().cast(),
        );
        if code == c::SUCCESS {
            *length = (with_zero - 1).max(0);
            if wanted > 0 {
                give(&text, name, name_length);
            }
        }
        code
    }
}
