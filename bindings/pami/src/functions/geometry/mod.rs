//! The C functions on geometries.
//!
//! Before: a program's calls. After: [`crate::geometry`] has what they made.

mod algorithms;
mod create;

use std::ffi::c_void;

use crate::client::client_of;
use crate::context::context_of;
use crate::context::event::Event;
use crate::edge::attributes::{entries, query};
use crate::geometry::attributes::OBJECT;
use crate::geometry::{geometry_of, world};
use crate::refusal::{Refusal, answer};
use crate::structures::{Code, Configuration, EventFunction};

/// # Safety
///
/// `client` is a client's handle; `world_geometry` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_world(
    client: *mut c_void,
    world_geometry: *mut *mut c_void,
) -> Code {
    let find = || {
        // SAFETY: the caller vouches for the handle.
        let client = unsafe { client_of(client)? };
        if world_geometry.is_null() {
            let argument = "world_geometry";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the address.
        unsafe { *world_geometry = world(client)?.handle() };
        Ok(())
    };
    answer(find())
}

/// # Safety
///
/// `geometry` is a geometry's handle; the configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_query(
    geometry: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let ask = || {
        // SAFETY: the caller vouches for the handle.
        let geometry = unsafe { geometry_of(geometry)? }.geometry()?;
        let known = |name| geometry.attributes.answer(name);
        // SAFETY: the caller vouches for the entries.
        unsafe { query(OBJECT, configuration, num_configs, known) }
    };
    answer(ask())
}

/// # Safety
///
/// `geometry` and `context` are handles, and the calling thread has the context for itself; the
/// configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_update(
    geometry: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
    context: *mut c_void,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let change = || {
        // SAFETY: the caller vouches for both handles.
        let (geometry, object) = unsafe { (geometry_of(geometry)?, context_of(context)?) };
        // SAFETY: the caller vouches for the entries.
        let configuration = unsafe { entries(configuration, num_configs)? };
        geometry.geometry()?.attributes.change(configuration)?;
        if let Some(event) = Event::new(object, function, cookie) {
            event.tell_later(object, Ok(()));
        }
        Ok(())
    };
    answer(change())
}
