//! Messages: what sends and receives take, as `include/pami.h` declares it.
//!
//! Before: a C call, or a dispatch function. After: [`crate::message`] reads them.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::structures::Type;
use crate::structures::function::{DataFunction, EventFunction};

/// `pami_dispatch_p2p_function`, which is all that `pami_dispatch_callback_function` holds here:
/// a union of function pointers is passed as one of them.
pub type DispatchFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        cookie: *mut c_void,
        header: *const c_void,
        header_bytes: usize,
        pipe: *const c_void,
        data_bytes: usize,
        origin: u32,
        receive: *mut Receive,
    ),
>;

/// `struct iovec`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Vector {
    /// Where the bytes are.
    pub address: *mut c_void,
    /// How many.
    pub bytes: usize,
}

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

/// `pami_recv_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Receive {
    /// What the function gets.
    pub cookie: *mut c_void,
    /// All data is there.
    pub local_fn: EventFunction,
    /// Where the data goes.
    pub addr: *mut c_void,
    /// Its layout there.
    pub type_: Type,
    /// Where in the layout it begins, in bytes of data.
    pub offset: usize,
    /// What handles it.
    pub data_fn: DataFunction,
    /// What that gets.
    pub data_cookie: *mut c_void,
}

impl Receive {
    /// As a program's function finds it.
    pub const UNFILLED: Self = Self {
        cookie: null_mut(),
        local_fn: None,
        addr: null_mut(),
        type_: null_mut(),
        offset: 0,
        data_fn: None,
        data_cookie: null_mut(),
    };
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
