//! Events and their sources (MPI-5.0 section 15.3.8): there are none.

use std::ffi::{c_char, c_int, c_void};

use super::interface::{no_handle, no_index, no_name, none};
use crate::error::Result;
use crate::types::*;

/// `MPI_T_source_get_num`.
///
/// # Safety
///
/// `num_sources` is writable.
pub unsafe fn t_source_get_num(num_sources: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { none(num_sources) }
}

/// `MPI_T_source_get_info`.
pub fn t_source_get_info(
    source_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _ordering: *mut MPI_T_source_order,
    _ticks_per_second: *mut MPI_Count,
    _max_ticks: *mut MPI_Count,
    _info: *mut MPI_Info,
) -> Result {
    no_index(source_index, "source of events")
}

/// `MPI_T_source_get_timestamp`.
pub fn t_source_get_timestamp(source_index: c_int, _timestamp: *mut MPI_Count) -> Result {
    no_index(source_index, "source of events")
}

/// `MPI_T_event_get_num`.
///
/// # Safety
///
/// `num_events` is writable.
pub unsafe fn t_event_get_num(num_events: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { none(num_events) }
}

/// `MPI_T_event_get_info`.
pub fn t_event_get_info(
    event_index: c_int,
    _name: *mut c_char,
    _name_len: *mut c_int,
    _verbosity: *mut c_int,
    _array_of_datatypes: *mut MPI_Datatype,
    _array_of_displacements: *mut MPI_Aint,
    _num_elements: *mut c_int,
    _enumtype: *mut MPI_T_enum,
    _info: *mut MPI_Info,
    _desc: *mut c_char,
    _desc_len: *mut c_int,
    _bind: *mut c_int,
) -> Result {
    no_index(event_index, "event")
}

/// `MPI_T_event_get_index`.
///
/// # Safety
///
/// `name` is null or a string.
pub unsafe fn t_event_get_index(name: *const c_char, _event_index: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { no_name(name, "event") }
}

/// `MPI_T_event_handle_alloc`.
pub fn t_event_handle_alloc(
    event_index: c_int,
    _obj_handle: *mut c_void,
    _info: MPI_Info,
    _event_registration: *mut MPI_T_event_registration,
) -> Result {
    no_index(event_index, "event")
}

/// `MPI_T_event_handle_set_info`.
pub fn t_event_handle_set_info(
    event_registration: MPI_T_event_registration,
    _info: MPI_Info,
) -> Result {
    no_handle(event_registration.0, "registration of an event")
}

/// `MPI_T_event_handle_get_info`.
pub fn t_event_handle_get_info(
    event_registration: MPI_T_event_registration,
    _info_used: *mut MPI_Info,
) -> Result {
    no_handle(event_registration.0, "registration of an event")
}

/// `MPI_T_event_handle_free`.
pub fn t_event_handle_free(
    event_registration: MPI_T_event_registration,
    _user_data: *mut c_void,
    _free_cb_function: MPI_T_event_free_cb_function,
) -> Result {
    no_handle(event_registration.0, "registration of an event")
}

/// `MPI_T_event_register_callback`.
pub fn t_event_register_callback(
    event_registration: MPI_T_event_registration,
    _cb_safety: MPI_T_cb_safety,
    _info: MPI_Info,
    _user_data: *mut c_void,
    _event_cb_function: MPI_T_event_cb_function,
) -> Result {
    no_handle(event_registration.0, "registration of an event")
}

/// `MPI_T_event_callback_set_info`.
pub fn t_event_callback_set_info(
    event_registration: MPI_T_event_registration,
    _cb_safety: MPI_T_cb_safety,
    _info: MPI_Info,
) -> Result {
    no_handle(event_registration.0, "registration of an event")
}

/// `MPI_T_event_callback_get_info`.
pub fn t_event_callback_get_info(
    event_registration: MPI_T_event_registration,
    _cb_safety: MPI_T_cb_safety,
    _info_used: *mut MPI_Info,
) -> Result {
    no_handle(event_registration.0, "registration of an event")
}

/// `MPI_T_event_set_dropped_handler`.
pub fn t_event_set_dropped_handler(
    event_registration: MPI_T_event_registration,
    _dropped_cb_function: MPI_T_event_dropped_cb_function,
) -> Result {
    no_handle(event_registration.0, "registration of an event")
}

/// `MPI_T_event_read`.
pub fn t_event_read(
    event_instance: MPI_T_event_instance,
    _element_index: c_int,
    _buffer: *mut c_void,
) -> Result {
    no_handle(event_instance.0, "instance of an event")
}

/// `MPI_T_event_copy`.
pub fn t_event_copy(event_instance: MPI_T_event_instance, _buffer: *mut c_void) -> Result {
    no_handle(event_instance.0, "instance of an event")
}

/// `MPI_T_event_get_timestamp`.
pub fn t_event_get_timestamp(
    event_instance: MPI_T_event_instance,
    _event_timestamp: *mut MPI_Count,
) -> Result {
    no_handle(event_instance.0, "instance of an event")
}

/// `MPI_T_event_get_source`.
pub fn t_event_get_source(
    event_instance: MPI_T_event_instance,
    _source_index: *mut c_int,
) -> Result {
    no_handle(event_instance.0, "instance of an event")
}
