//! What the standard ABI's library is told of Fortran when MPI has begun (MPI-5.0, section 20.5).
//!
//! What: the sizes of Fortran's types and its two truth values.
//! Step before: `environment`. Step after: C.
//! Invariant: what somebody told C before stays.

use std::sync::Once;

use crate::c::{self, Handle, Integer, c_char, c_int, c_void};

static TOLD: Once = Once::new();

/// C's `MPI_INFO_NULL`, which has the same number in both languages.
const INFO_NULL: Handle = c::number::MPI_INFO_NULL as Handle;

unsafe extern "C" {
    /// `PMPI_Abi_set_fortran_info`, which has no Fortran form.
    fn PMPI_Abi_set_fortran_info(info: Handle) -> c_int;
    /// `PMPI_Abi_get_fortran_booleans`, which has no Fortran form.
    fn PMPI_Abi_get_fortran_booleans(
        size: c_int,
        truth: *mut c_void,
        falsehood: *mut c_void,
        is_set: *mut c_int,
    ) -> c_int;
    /// `PMPI_Abi_set_fortran_booleans`, which has no Fortran form.
    fn PMPI_Abi_set_fortran_booleans(
        size: c_int,
        truth: *mut c_void,
        falsehood: *mut c_void,
    ) -> c_int;
}

/// The sizes of Fortran's types, as gfortran and flang have them.
const SIZES: [(&[u8], &[u8]); 4] = [
    (b"mpi_logical_size\0", b"4\0"),
    (b"mpi_integer_size\0", b"4\0"),
    (b"mpi_real_size\0", b"4\0"),
    (b"mpi_double_precision_size\0", b"8\0"),
];

/// Tells C once, after a beginning that gave this code.
pub fn tell_of_fortran(code: c_int) {
    if code == c::SUCCESS {
        TOLD.call_once(|| {
            tell_sizes();
            tell_truth_values();
        });
    }
}

fn tell_sizes() {
    let text = |text: &[u8]| text.as_ptr().cast_mut().cast::<c_char>();
    let mut info = INFO_NULL;
    // SAFETY: the place is this function's, the strings end with a zero.
    unsafe {
        let known =
            c::symbol::PMPI_Abi_get_fortran_info(&raw mut info) != c::SUCCESS || info != INFO_NULL;
        if !known && c::symbol::PMPI_Info_create(&raw mut info) == c::SUCCESS {
            for (key, value) in SIZES {
                c::symbol::PMPI_Info_set(info, text(key), text(value));
            }
            PMPI_Abi_set_fortran_info(info);
        }
        if info != INFO_NULL {
            c::symbol::PMPI_Info_free(&raw mut info);
        }
    }
}

fn tell_truth_values() {
    let (mut truth, mut falsehood, mut known) = (0, 0, 0);
    let size = size_of::<Integer>() as c_int;
    // SAFETY: the places are this function's, of the size that C is told.
    unsafe {
        let place = |value: &mut Integer| std::ptr::from_mut(value).cast();
        let code = PMPI_Abi_get_fortran_booleans(
            size,
            place(&mut truth),
            place(&mut falsehood),
            &raw mut known,
        );
        if code == c::SUCCESS && known == 0 {
            (truth, falsehood) = (c::logical(true), c::logical(false));
            PMPI_Abi_set_fortran_booleans(size, place(&mut truth), place(&mut falsehood));
        }
    }
}
