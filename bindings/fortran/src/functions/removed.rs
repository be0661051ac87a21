//! Functions that MPI-3.0 removed, made from those that took their place.
//!
//! What: their addresses and displacements are `INTEGER`s. Old programs call them still.
//! Step before: `entry`. Step after: the successor in C.
//! Invariant: a value that does not fit an `INTEGER` is an error, never cut.

use crate::c::{self, Integer, c_int, c_void};
use crate::error::raise;
use crate::functions::structure::type_create_struct;
use crate::handle;

/// Gives a value that has to fit.
unsafe fn narrow(function: &str, value: i64, to: *mut Integer) -> c_int {
    match Integer::try_from(value) {
        Ok(value) => {
            // SAFETY: the program's place.
            unsafe { *to = value };
            c::SUCCESS
        }
        Err(_) => raise(
            c::ERR_ARG,
            &format!(
                "{function}: {value} does not fit an INTEGER of four bytes; use the function that MPI-2 put in its \
             place, with INTEGER(KIND=MPI_ADDRESS_KIND)"
            ),
        ),
    }
}

/// `MPI_Address`.
pub unsafe fn address(
    call: c::MPI_Get_address,
    location: *mut c_void,
    address: *mut Integer,
) -> c_int {
    let mut place = 0;
    // SAFETY: the program's arguments.
    unsafe {
        let code = call(crate::address::choice(location), &raw mut place);
        if code == c::SUCCESS {
            narrow("MPI_Address", place, address)
        } else {
            code
        }
    }
}

macro_rules! bound {
    ($name:ident, $text:literal, |$lower:ident, $extent:ident| $bound:expr) => {
        #[doc = concat!("`", $text, "`.")]
        pub unsafe fn $name(
            call: c::MPI_Type_get_extent,
            datatype: *mut Integer,
            bound: *mut Integer,
        ) -> c_int {
            let (mut $lower, mut $extent) = (0, 0);
            // SAFETY: the program's arguments.
            unsafe {
                let code = call(
                    handle::datatype::to_c(*datatype),
                    &raw mut $lower,
                    &raw mut $extent,
                );
                if code == c::SUCCESS {
                    narrow($text, $bound, bound)
                } else {
                    code
                }
            }
        }
    };
}

bound!(type_extent, "MPI_Type_extent", |_lower, extent| extent);
bound!(type_lb, "MPI_Type_lb", |lower, _extent| lower);
bound!(type_ub, "MPI_Type_ub", |lower, extent| lower + extent);

unsafe fn wide(displacements: *mut Integer, count: *mut Integer) -> Vec<i64> {
    // SAFETY: the program's count and array.
    let read = |index| i64::from(unsafe { *displacements.add(index) });
    // SAFETY: as above.
    let count = unsafe { *count };
    (0..usize::try_from(count).unwrap_or(0)).map(read).collect()
}

/// `MPI_Type_hindexed`.
pub unsafe fn type_hindexed(
    call: c::MPI_Type_create_hindexed,
    count: *mut Integer,
    lengths: *mut Integer,
    displacements: *mut Integer,
    oldtype: *mut Integer,
    newtype: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let mut displacements = wide(displacements, count);
        let oldtype = handle::datatype::to_c(*oldtype);
        handle::made(newtype, handle::datatype::to_fortran, |made| {
            call(*count, lengths, displacements.as_mut_ptr(), oldtype, made)
        })
    }
}

/// `MPI_Type_hvector`.
pub unsafe fn type_hvector(
    call: c::MPI_Type_create_hvector,
    count: *mut Integer,
    length: *mut Integer,
    stride: *mut Integer,
    oldtype: *mut Integer,
    newtype: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let oldtype = handle::datatype::to_c(*oldtype);
        handle::made(newtype, handle::datatype::to_fortran, |made| {
            call(*count, *length, i64::from(*stride), oldtype, made)
        })
    }
}

/// `MPI_Type_struct`.
pub unsafe fn type_struct(
    call: c::MPI_Type_create_struct,
    count: *mut Integer,
    lengths: *mut Integer,
    displacements: *mut Integer,
    types: *mut Integer,
    newtype: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments, and displacements of this function's.
    unsafe {
        let mut displacements = wide(displacements, count);
        type_create_struct(
            call,
            count,
            lengths,
            displacements.as_mut_ptr(),
            types,
            newtype,
        )
    }
}
