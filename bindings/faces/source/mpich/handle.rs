//! MPICH's handles: integers.
//!
//! ```text
//! 0x44000000   MPI_COMM_WORLD           predefined: the tables, generated
//! 0x4c00ssnn   a plain datatype of ss bytes with the number nn
//! 0x8c00000n   a pair of a number and an index
//! 0x980iiiii   a message's request: place i of PLACES
//! 0x9900000n   a request that was complete when it was made
//! 0xC.......   an object that was made: the standard ABI's handle with the highest bit
//! 0xF.......   a message's request whose number is too great for PLACES: the standard ABI's integer
//! 0x80000...   a predefined one that MPICH's header has no name for
//! ```
//!
//! Step before: a function's arguments. Step after: the library's.
//! Invariant: a place of [`PLACES`] has the request that was last given its number, so a request that has ended is
//! refused by its generation, as in the standard ABI.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::call::pamir_functions;

include!(concat!(env!("OUT_DIR"), "/handles.rs"));

/// `MPI_Comm`.
pub type Comm = c_int;
/// `MPI_Group`.
pub type Group = c_int;
/// `MPI_Datatype`.
pub type Datatype = c_int;
/// `MPI_Op`.
pub type Op = c_int;
/// `MPI_Request`.
pub type Request = c_int;
/// `MPI_Message`.
pub type Message = c_int;
/// `MPI_Errhandler`.
pub type Errhandler = c_int;
/// `MPI_Info`.
pub type Info = c_int;
/// `MPI_Win`.
pub type Win = c_int;
/// `MPI_File`, the one handle that is a pointer.
pub type File = usize;
/// `MPI_Session`.
pub type Session = c_int;

const MADE: u32 = 0xC000_0000;
const HIGHEST: u32 = 0x8000_0000;
const PREDEFINED: usize = 0x1000;

/// The standard handle of what no table has.
#[cold]
fn other(handle: c_int) -> usize {
    match handle as u32 {
        // Without a name in MPICH's header.
        bits @ HIGHEST..0x8000_1000 => (bits & !HIGHEST) as usize,
        // Nothing, whatever the kind.
        bits => 1 << 32 | bits as usize,
    }
}

#[inline(always)]
fn out(standard: usize) -> c_int {
    match BY_STANDARD.get(standard) {
        Some(0) | None => (standard as u32 | HIGHEST) as c_int,
        Some(own) => *own as c_int,
    }
}

macro_rules! kind {
    ($into:ident, $out:ident, $c2f:ident, $f2c:ident, $predefined:ident) => {
        /// The standard ABI's handle.
        #[inline(always)]
        pub fn $into(handle: c_int) -> usize {
            if handle as u32 >= MADE {
                return (handle as u32 & !HIGHEST) as usize;
            }
            $predefined(handle).unwrap_or_else(|| other(handle))
        }

        /// The program's handle.
        #[inline(always)]
        pub fn $out(standard: usize) -> c_int {
            out(standard)
        }

        /// Fortran's integer is the handle.
        pub fn $c2f(handle: c_int) -> c_int {
            handle
        }

        /// As above.
        pub fn $f2c(integer: c_int) -> c_int {
            integer
        }
    };
}

kind!(comm_in, comm_out, comm_c2f, comm_f2c, comm_predefined);
kind!(group_in, group_out, group_c2f, group_f2c, group_predefined);
kind!(
    datatype_in,
    datatype_out,
    datatype_c2f,
    datatype_f2c,
    plain_or_predefined
);
kind!(op_in, op_out, op_c2f, op_f2c, op_predefined);
kind!(
    message_in,
    message_out,
    message_c2f,
    message_f2c,
    message_predefined
);
kind!(
    errhandler_in,
    errhandler_out,
    errhandler_c2f,
    errhandler_f2c,
    errhandler_predefined
);
kind!(info_in, info_out, info_c2f, info_f2c, info_predefined);
kind!(win_in, win_out, win_c2f, win_f2c, win_predefined);
kind!(
    session_in,
    session_out,
    session_c2f,
    session_f2c,
    session_predefined
);

/// A predefined datatype; the plain ones, which small messages have, by their number alone.
#[inline(always)]
fn plain_or_predefined(handle: c_int) -> Option<usize> {
    if handle as u32 >> 24 == 0x4c {
        let standard = PLAIN_DATATYPES[(handle & 0xff) as usize];
        return (standard != 0).then_some(standard as usize);
    }
    datatype_predefined(handle)
}

/// So many messages' requests have a place.
const COUNT: usize = 1 << 20;
const MESSAGE: u32 = 0x9800_0000;
const SETTLED: u32 = 0x9900_0000;
const GREAT: u32 = 0xF000_0000;
/// Marks of the standard ABI's handles.
const STANDARD_MESSAGE: usize = 1 << 63;
const STANDARD_SETTLED: usize = 1 << 62;

static PLACES: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];

/// The standard ABI's request.
#[inline(always)]
pub fn request_in(handle: c_int) -> usize {
    match PLACES.get((handle as u32 ^ MESSAGE) as usize) {
        // Whoever got the handle from another thread got the place's content with it.
        Some(place) => place.load(Ordering::Relaxed),
        None => other_request_in(handle),
    }
}

fn other_request_in(handle: c_int) -> usize {
    match handle as u32 {
        // SAFETY: the function takes any integer.
        GREAT.. => unsafe { (pamir_functions.MPI_Request_fromint)(handle) },
        bits @ MADE.. => (bits & !HIGHEST) as usize,
        bits if bits >> 24 == SETTLED >> 24 => STANDARD_SETTLED | (bits & 0xff) as usize,
        _ => request_predefined(handle).unwrap_or_else(|| other(handle)),
    }
}

/// The program's request.
#[inline(always)]
pub fn request_out(standard: usize) -> c_int {
    let index = standard as u32 as usize;
    match PLACES.get(index) {
        Some(place) if standard & STANDARD_MESSAGE != 0 => {
            place.store(standard, Ordering::Relaxed);
            (MESSAGE | index as u32) as c_int
        }
        _ => other_request_out(standard),
    }
}

fn other_request_out(standard: usize) -> c_int {
    if standard & STANDARD_MESSAGE != 0 {
        // SAFETY: the library gave this handle.
        return unsafe { (pamir_functions.MPI_Request_toint)(standard) };
    }
    match standard & STANDARD_SETTLED != 0 {
        true => (SETTLED | (standard as u32 & 0xff)) as c_int,
        false => out(standard),
    }
}

/// Fortran's integer is the handle.
pub fn request_c2f(handle: c_int) -> c_int {
    handle
}

/// As above.
pub fn request_f2c(integer: c_int) -> c_int {
    integer
}

/// `MPI_FILE_NULL` of the standard ABI; MPICH's is 0.
const FILE_NULL: usize = 0x118;

/// The standard ABI's file.
pub fn file_in(file: File) -> usize {
    match file {
        0 => FILE_NULL,
        FILE_NULL => 1 << 32,
        made => made,
    }
}

/// The program's file.
pub fn file_out(standard: usize) -> File {
    match standard {
        FILE_NULL => 0,
        made => made,
    }
}

/// Fortran's integer.
pub fn file_c2f(file: File) -> c_int {
    match file {
        0 => 0,
        // SAFETY: the function takes any handle.
        made => unsafe { (pamir_functions.MPI_File_toint)(made) },
    }
}

/// The file of Fortran's integer.
pub fn file_f2c(integer: c_int) -> File {
    match integer {
        0 => 0,
        // SAFETY: the function takes any integer.
        made => file_out(unsafe { (pamir_functions.MPI_File_fromint)(made) }),
    }
}

const _: () = assert!(BY_STANDARD.len() < PREDEFINED);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predefined_handles_go_both_ways() {
        assert_eq!(
            (comm_in(0x4400_0000), comm_out(0x101)),
            (0x101, 0x4400_0000)
        );
        assert_eq!(datatype_in(0x4c00_0405), 0x209);
        for standard in (0x200..0x2f0).filter(|standard| BY_STANDARD[*standard] != 0) {
            assert_eq!(
                datatype_in(datatype_out(standard)),
                standard,
                "{standard:#x}"
            );
        }
    }

    #[test]
    fn made_handles_go_both_ways() {
        for standard in [0x4000_0000, 0x4812_3456, 0x63ff_ffff] {
            assert_eq!(info_in(info_out(standard)), standard);
        }
        for standard in [
            STANDARD_MESSAGE | 7 << 32 | 12,
            STANDARD_SETTLED | 2,
            0x5c00_0001,
            0x180,
        ] {
            assert_eq!(request_in(request_out(standard)), standard);
        }
    }

    #[test]
    fn what_is_no_handle_is_none_of_any_kind() {
        for wrong in [0, 0x101, 0x4400_0002, 0x4c00_04ee] {
            assert!(
                comm_in(wrong) > 1 << 31 && datatype_in(wrong) > 1 << 31,
                "{wrong:#x}"
            );
        }
    }
}
