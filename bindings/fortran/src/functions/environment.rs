//! Beginning, and what C has with other arguments.
//!
//! Step before: `entry`. Step after: C.
//! Invariant: once MPI has begun, C is told what Fortran's types are, unless somebody told it before
//! (MPI-5.0, section 20.5): their sizes and the two truth values.

use std::sync::Once;

use crate::c::{self, Handle, Integer, c_char, c_int};

static TOLD: Once = Once::new();

/// `MPI_Init`.
pub unsafe fn init(call: c::MPI_Init) -> c_int {
    // SAFETY: C takes null for both.
    let code = unsafe { call(std::ptr::null_mut(), std::ptr::null_mut()) };
    tell_of_fortran(code);
    code
}

/// `MPI_Init_thread`.
pub unsafe fn init_thread(
    call: c::MPI_Init_thread,
    required: *mut Integer,
    provided: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments; C takes null for the others.
    let code = unsafe {
        call(
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            *required,
            provided,
        )
    };
    tell_of_fortran(code);
    code
}

/// `MPI_Pcontrol`.
pub unsafe fn pcontrol(call: c::MPI_Pcontrol, level: *mut Integer) -> c_int {
    // SAFETY: the program's argument.
    unsafe { call(*level) }
}

/// The sizes of Fortran's types, as gfortran and flang have them.
const SIZES: [(&[u8], &[u8]); 4] = [
    (b"mpi_logical_size\0", b"4\0"),
    (b"mpi_integer_size\0", b"4\0"),
    (b"mpi_real_size\0", b"4\0"),
    (b"mpi_double_precision_size\0", b"8\0"),
];

fn tell_of_fortran(code: c_int) {
    if code == c::SUCCESS {
        TOLD.call_once(|| {
            tell_sizes();
            tell_truth_values();
        });
    }
}

fn tell_sizes() {
    let text = |text: &[u8]| text.as_ptr().cast_mut().cast::<c_char>();
    let mut info: Handle = c::INFO_NULL;
    // SAFETY: the place is this function's, the strings end with a zero.
    unsafe {
        let known = c::symbol::PMPI_Abi_get_fortran_info(&raw mut info) != c::SUCCESS
            || info != c::INFO_NULL;
        if !known && c::symbol::PMPI_Info_create(&raw mut info) == c::SUCCESS {
            for (key, value) in SIZES {
                c::symbol::PMPI_Info_set(info, text(key), text(value));
            }
            c::PMPI_Abi_set_fortran_info(info);
        }
        if info != c::INFO_NULL {
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
        let code = c::PMPI_Abi_get_fortran_booleans(
            size,
            place(&mut truth),
            place(&mut falsehood),
            &raw mut known,
        );
        if code == c::SUCCESS && known == 0 {
            (truth, falsehood) = (c::logical(true), c::logical(false));
            c::PMPI_Abi_set_fortran_booleans(size, place(&mut truth), place(&mut falsehood));
        }
    }
}
