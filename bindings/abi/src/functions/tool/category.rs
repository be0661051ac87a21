//! Categories of variables and events (MPI-5.0 section 15.3.9): there are none.

use std::ffi::{c_char, c_int};

use super::interface::{no_index, no_name, none};
use crate::error::Result;

/// `MPI_T_category_get_num`.
///
/// # Safety
///
/// `num_cat` is writable.
pub unsafe fn t_category_get_num(num_cat: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { none(num_cat) }
}

/// `MPI_T_category_get_info`.
pub fn t_category_get_info(
    cat_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _num_cvars: *mut c_int,
    _num_pvars: *mut c_int,
    _num_categories: *mut c_int,
) -> Result {
    no_index(cat_index, "category")
}

/// `MPI_T_category_get_num_events`.
pub fn t_category_get_num_events(cat_index: c_int, _num_events: *mut c_int) -> Result {
    no_index(cat_index, "category")
}

/// `MPI_T_category_get_index`.
///
/// # Safety
///
/// `name` is null or a string.
pub unsafe fn t_category_get_index(name: *const c_char, _cat_index: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { no_name(name, "category") }
}

/// `MPI_T_category_get_cvars`.
pub fn t_category_get_cvars(cat_index: c_int, _len: c_int, _indices: *mut c_int) -> Result {
    no_index(cat_index, "category")
}

/// `MPI_T_category_get_pvars`.
pub fn t_category_get_pvars(cat_index: c_int, _len: c_int, _indices: *mut c_int) -> Result {
    no_index(cat_index, "category")
}

/// `MPI_T_category_get_events`.
pub fn t_category_get_events(cat_index: c_int, _len: c_int, _indices: *mut c_int) -> Result {
    no_index(cat_index, "category")
}

/// `MPI_T_category_get_categories`.
pub fn t_category_get_categories(cat_index: c_int, _len: c_int, _indices: *mut c_int) -> Result {
    no_index(cat_index, "category")
}

/// `MPI_T_category_changed`.
///
/// # Safety
///
/// `update_number` is writable.
pub unsafe fn t_category_changed(update_number: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { none(update_number) }
}
