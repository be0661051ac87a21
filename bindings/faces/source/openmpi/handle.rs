//! Open MPI's handles: addresses.
//!
//! ```text
//! predefined   the address of an Object of the library's, or of the executable's copy of it
//!              Object: | the standard ABI's handle | Fortran's integer | unused, up to Open MPI's size |
//! made         2^61 + the standard ABI's handle, which is below 2^31
//! requests of messages, and requests that were complete when they were made: the standard ABI's handle, from 2^62 on
//! ```
//!
//! No address of a process is as great as 2^48, so one shift tells which it is. Step before: a function's arguments.
//! Step after: the library's. Invariant: executables hold copies of the objects, so that the address of one is looked up
//! where the loader says, and what it says is the same in all copies.

use std::ffi::c_int;

use crate::call::pamir_functions;

/// A predefined object, whose address is the handle. `REST` fills it up to Open MPI's size.
#[repr(C, align(16))]
pub struct Object<const REST: usize> {
    standard: usize,
    fortran: i64,
    rest: [u8; REST],
}

impl<const REST: usize> Object<REST> {
    const fn new(standard: usize, fortran: i64) -> Self {
        let rest = [0; REST];
        Self {
            standard,
            fortran,
            rest,
        }
    }
}

/// The address of an object, as the loader says.
#[repr(transparent)]
pub struct Address(*const ());

// SAFETY: the address of a constant.
unsafe impl Sync for Address {}

impl Address {
    const NONE: Self = Self(std::ptr::null());

    const fn of<const REST: usize>(object: *const Object<REST>) -> Self {
        Self(object.cast())
    }
}

include!(concat!(env!("OUT_DIR"), "/handles.rs"));

/// `MPI_Comm`.
pub type Comm = usize;
/// `MPI_Group`.
pub type Group = usize;
/// `MPI_Datatype`.
pub type Datatype = usize;
/// `MPI_Op`.
pub type Op = usize;
/// `MPI_Request`.
pub type Request = usize;
/// `MPI_Message`.
pub type Message = usize;
/// `MPI_Errhandler`.
pub type Errhandler = usize;
/// `MPI_Info`.
pub type Info = usize;
/// `MPI_Win`.
pub type Win = usize;
/// `MPI_File`.
pub type File = usize;
/// `MPI_Session`.
pub type Session = usize;

const MADE_SHIFT: u32 = 61;
const MADE: usize = 1 << MADE_SHIFT;
/// No object is below it, where the kernel gives no memory: a null pointer, or a number.
const FIRST: usize = 1 << 16;
/// A handle of nothing, whatever the kind.
const NOTHING: usize = 1 << 32;

/// What a predefined object says.
///
/// # Safety
///
/// A number below [`FIRST`], or the address of an object.
#[inline(always)]
unsafe fn object(handle: usize) -> (usize, i64) {
    if handle < FIRST {
        return (NOTHING, -1);
    }
    // The standard ABI's handle and Fortran's integer; a copy of an object may be less aligned than the object.
    let object = std::ptr::with_exposed_provenance::<[i64; 2]>(handle);
    // SAFETY: the caller's promise.
    let [standard, fortran] = unsafe { object.read_unaligned() };
    (standard as usize, fortran)
}

#[inline(always)]
fn standard(handle: usize) -> usize {
    match handle >> MADE_SHIFT {
        // SAFETY: what a program has for a handle is one of ours, null, or a copy of an object.
        0 => unsafe { object(handle) }.0,
        1 => handle & !MADE,
        _ => handle,
    }
}

#[inline(always)]
fn own(standard: usize) -> usize {
    match BY_STANDARD.get(standard) {
        Some(Address(object)) if !object.is_null() => object.expose_provenance(),
        _ if standard >> MADE_SHIFT != 0 => standard,
        _ => standard | MADE,
    }
}

macro_rules! kind {
    ($into:ident, $out:ident, $c2f:ident, $f2c:ident, $toint:ident, $fromint:ident, $by_fortran:ident) => {
        /// The standard ABI's handle.
        #[inline(always)]
        pub fn $into(handle: usize) -> usize {
            standard(handle)
        }

        /// The program's handle.
        #[inline(always)]
        pub fn $out(standard: usize) -> usize {
            own(standard)
        }

        /// Fortran's integer.
        pub fn $c2f(handle: usize) -> c_int {
            if handle >> MADE_SHIFT == 0 {
                // SAFETY: as in `standard`.
                return unsafe { object(handle) }.1 as c_int;
            }
            // SAFETY: the library gave this handle.
            unsafe { (pamir_functions.$toint)(standard(handle)) }
        }

        /// The handle of Fortran's integer.
        pub fn $f2c(integer: c_int) -> usize {
            let object = usize::try_from(integer)
                .ok()
                .and_then(|index| $by_fortran.get(index));
            match object {
                Some(Address(object)) if !object.is_null() => object.expose_provenance(),
                // SAFETY: the function takes any integer.
                _ => own(unsafe { (pamir_functions.$fromint)(integer) }),
            }
        }
    };
}

kind!(
    comm_in,
    comm_out,
    comm_c2f,
    comm_f2c,
    MPI_Comm_toint,
    MPI_Comm_fromint,
    COMM_BY_FORTRAN
);
kind!(
    group_in,
    group_out,
    group_c2f,
    group_f2c,
    MPI_Group_toint,
    MPI_Group_fromint,
    GROUP_BY_FORTRAN
);
kind!(
    datatype_in,
    datatype_out,
    datatype_c2f,
    datatype_f2c,
    MPI_Type_toint,
    MPI_Type_fromint,
    DATATYPE_BY_FORTRAN
);
kind!(
    op_in,
    op_out,
    op_c2f,
    op_f2c,
    MPI_Op_toint,
    MPI_Op_fromint,
    OP_BY_FORTRAN
);
kind!(
    request_in,
    request_out,
    request_c2f,
    request_f2c,
    MPI_Request_toint,
    MPI_Request_fromint,
    REQUEST_BY_FORTRAN
);
kind!(
    message_in,
    message_out,
    message_c2f,
    message_f2c,
    MPI_Message_toint,
    MPI_Message_fromint,
    MESSAGE_BY_FORTRAN
);
kind!(
    errhandler_in,
    errhandler_out,
    errhandler_c2f,
    errhandler_f2c,
    MPI_Errhandler_toint,
    MPI_Errhandler_fromint,
    ERRHANDLER_BY_FORTRAN
);
kind!(
    info_in,
    info_out,
    info_c2f,
    info_f2c,
    MPI_Info_toint,
    MPI_Info_fromint,
    INFO_BY_FORTRAN
);
kind!(
    win_in,
    win_out,
    win_c2f,
    win_f2c,
    MPI_Win_toint,
    MPI_Win_fromint,
    WIN_BY_FORTRAN
);
kind!(
    file_in,
    file_out,
    file_c2f,
    file_f2c,
    MPI_File_toint,
    MPI_File_fromint,
    FILE_BY_FORTRAN
);
kind!(
    session_in,
    session_out,
    session_c2f,
    session_f2c,
    MPI_Session_toint,
    MPI_Session_fromint,
    SESSION_BY_FORTRAN
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_go_both_ways() {
        for made in [
            0x101,
            0x209,
            0x2c1,
            0x180,
            0x4000_0000,
            1 << 63 | 5 << 32 | 9,
            1 << 62 | 1,
        ] {
            assert_eq!(standard(own(made)), made, "{made:#x}");
        }
        assert_eq!((comm_c2f(own(0x101)), comm_f2c(1)), (0, own(0x102)));
        assert_eq!(standard(0), NOTHING);
    }
}
