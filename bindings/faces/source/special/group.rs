//! `MPI_Group_translate_ranks`: ranks in arrays, `MPI_PROC_NULL` among them.
//!
//! Step before: a program's ranks. Step after: their ranks in the other group. Invariant: the program's first array is
//! not changed.

use std::ffi::c_int;

use crate::array::{Array, length};
use crate::call::pamir_functions;
use crate::constant::{rank_in, rank_out};
use crate::handle;

/// `MPI_Group_translate_ranks`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn group_translate_ranks(
    group1: handle::Group,
    n: c_int,
    ranks1: *const c_int,
    group2: handle::Group,
    ranks2: *mut c_int,
) -> c_int {
    let (first, second) = (handle::group_in(group1), handle::group_in(group2));
    // SAFETY: the caller's promise.
    unsafe {
        let mut ranks = Array::new(ranks1, length(n), rank_in);
        let code =
            (pamir_functions.MPI_Group_translate_ranks)(first, n, ranks.address(), second, ranks2);
        if code == 0 {
            for index in 0..length(n) {
                *ranks2.add(index) = rank_out(*ranks2.add(index));
            }
        }
        code
    }
}
