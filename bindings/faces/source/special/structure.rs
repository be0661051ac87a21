//! Structures with markers of their bounds, `MPI_LB` and `MPI_UB`, which MPI-3.0 removed and old programs have.
//!
//! ```text
//! struct(8 at 0: MPI_DOUBLE, 1 at 96: MPI_UB)  -->  resized(struct(8 at 0: MPI_DOUBLE), 0, 96)
//! ```
//!
//! Step before: a program makes a structure. Step after: the library makes it, without the markers.
//! Invariant: of several markers of a kind the outermost counts.

use std::ffi::c_int;

use crate::array::{Array, length};
use crate::call::pamir_functions;
use crate::handle;

/// The numbers that the markers come in as; see the generator's `handle`.
const LOWER: usize = 0x2fe;
const UPPER: usize = 0x2ff;

/// `MPI_Type_create_struct`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn type_create_struct(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const isize,
    array_of_types: *const handle::Datatype,
    newtype: *mut handle::Datatype,
) -> c_int {
    let mut made = 0;
    // SAFETY: the caller's promise.
    unsafe {
        let mut types = Array::new(array_of_types, length(count), handle::datatype_in);
        let given = Given {
            lengths: array_of_blocklengths,
            displacements: array_of_displacements,
            types: types.address(),
            count: length(count),
        };
        let code = match given.has_markers() {
            true => given.make_bounded(&raw mut made),
            false => (pamir_functions.MPI_Type_create_struct)(
                count,
                given.lengths,
                given.displacements,
                given.types,
                if newtype.is_null() {
                    std::ptr::null_mut()
                } else {
                    &raw mut made
                },
            ),
        };
        if code == 0 {
            *newtype = handle::datatype_out(made);
        }
        code
    }
}

/// `MPI_Type_struct`, by its name of MPI-1.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn type_struct(
    count: c_int,
    array_of_blocklengths: *mut c_int,
    array_of_displacements: *mut isize,
    array_of_types: *mut handle::Datatype,
    newtype: *mut handle::Datatype,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        type_create_struct(
            count,
            array_of_blocklengths,
            array_of_displacements,
            array_of_types,
            newtype,
        )
    }
}

/// The members of a structure.
struct Given {
    lengths: *const c_int,
    displacements: *const isize,
    types: *const usize,
    count: usize,
}

impl Given {
    /// # Safety
    ///
    /// There are as many types as the count says, or none at all.
    unsafe fn has_markers(&self) -> bool {
        // SAFETY: the caller's promise.
        let is_marker = |index| matches!(unsafe { *self.types.add(index) }, LOWER | UPPER);
        !self.types.is_null() && (0..self.count).any(is_marker)
    }

    /// Makes the structure without the markers, and gives it the bounds that they say.
    ///
    /// # Safety
    ///
    /// All arrays have as many elements as the count says.
    unsafe fn make_bounded(&self, made: *mut usize) -> c_int {
        let (mut lower, mut upper) = (None::<isize>, None::<isize>);
        let (mut lengths, mut displacements, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..self.count {
            // SAFETY: the caller's promise.
            let (length, displacement, datatype) = unsafe {
                (
                    *self.lengths.add(index),
                    *self.displacements.add(index),
                    *self.types.add(index),
                )
            };
            match datatype {
                LOWER => lower = Some(lower.map_or(displacement, |known| known.min(displacement))),
                UPPER => upper = Some(upper.map_or(displacement, |known| known.max(displacement))),
                _ => {
                    lengths.push(length);
                    displacements.push(displacement);
                    types.push(datatype);
                }
            }
        }
        let mut plain = 0;
        // SAFETY: the arrays are this function's.
        unsafe {
            let count = lengths.len() as c_int;
            let create = pamir_functions.MPI_Type_create_struct;
            let code = create(
                count,
                lengths.as_ptr(),
                displacements.as_ptr(),
                types.as_ptr(),
                &raw mut plain,
            );
            if code != 0 {
                return code;
            }
            let (mut begin, mut extent) = (0, 0);
            let code =
                (pamir_functions.MPI_Type_get_extent)(plain, &raw mut begin, &raw mut extent);
            if code != 0 {
                return code;
            }
            let (first, end) = (lower.unwrap_or(begin), upper.unwrap_or(begin + extent));
            let code = (pamir_functions.MPI_Type_create_resized)(plain, first, end - first, made);
            (pamir_functions.MPI_Type_free)(&raw mut plain);
            code
        }
    }
}
