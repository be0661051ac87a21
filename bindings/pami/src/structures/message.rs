//! Messages: what sends and receives take, as `include/pami.h` declares it.
//!
//! Before: a C call, or a dispatch function. After: [`crate::message`] reads them.

use std::ffi::c_void;

use crate::structures::Type;
use crate::structures::function::{DataFunction, EventFunction};
use crate::structures::pointer::Vector;

/// `pami_send_immediate_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SendImmediate {
    /// The header.
    pub header: Vector,
    /// The data.
    pub data: Vector,
    /// Who receives it.
    pub dispatch: usize,
    /// Soft hints, all of which may be ignored.
    pub hints: u32,
    /// Where it goes.
    pub dest: u32,
}

/// `pami_send_event_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SendEvents {
    /// What both functions get.
    pub cookie: *mut c_void,
    /// Header and data may be changed.
    pub local_fn: EventFunction,
    /// The target has received all.
    pub remote_fn: EventFunction,
}

/// `pami_send_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Send {
    /// The message.
    pub send: SendImmediate,
    /// Who is told.
    pub events: SendEvents,
}

/// The member `typed` of `pami_send_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TypedData {
    /// The data's layout.
    pub type_: Type,
    /// Where in the layout it begins, in bytes of data.
    pub offset: usize,
    /// What produces it.
    pub data_fn: DataFunction,
    /// What that gets.
    pub data_cookie: *mut c_void,
}

/// `pami_send_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SendTyped {
    /// The message.
    pub send: SendImmediate,
    /// Who is told.
    pub events: SendEvents,
    /// The data's layout.
    pub typed: TypedData,
}
