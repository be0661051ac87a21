//! Making geometries, and ending them.
//!
//! Before: a list of tasks, ranges of tasks, or endpoints. After: the geometry, and once its
//! members have met, the program is told.

use std::ffi::c_void;

use pamir_transport::context::endpoint::Endpoint;

use crate::client::{ClientObject, client_of};
use crate::collective::meeting::Meeting;
use crate::context::context_of;
use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::edge::attributes::entries;
use crate::geometry::attributes::Attributes;
use crate::geometry::create::{create, endpoints_of};
use crate::geometry::{WORLD, geometry_of, remove};
use crate::refusal::{Refusal, answer};
use crate::structures::collective::Range;
use crate::structures::{Code, Configuration, EventFunction};

/// What all ways to make a geometry have in common.
struct Making {
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
    geometry: *mut *mut c_void,
    parent: *mut c_void,
    id: u32,
    context: *mut c_void,
    function: EventFunction,
    cookie: *mut c_void,
}

impl Making {
    /// # Safety
    ///
    /// The handles were given out, and the calling thread has the context for itself; the
    /// configuration has its entries, and `geometry` is NULL or writable.
    unsafe fn make(
        self,
        list: impl FnOnce(&ClientObject) -> Result<Box<[Endpoint]>, Refusal>,
    ) -> Result<(), Refusal> {
        // SAFETY: the caller vouches for the handles.
        let (client, object) = unsafe { (client_of(self.client)?, context_of(self.context)?) };
        if !std::ptr::eq(object.client(), client) {
            return Err(Refusal::OtherClient);
        }
        let parent = if self.parent.is_null() {
            None
        } else {
            // SAFETY: the caller vouches for the handle.
            Some(unsafe { geometry_of(self.parent)? }.geometry()?)
        };
        let event = Event::new(object, self.function, self.cookie);
        let made = if self.geometry.is_null() {
            None
        } else {
            // SAFETY: the caller vouches for the entries.
            let configuration = unsafe { entries(self.configuration, self.num_configs)? };
            let attributes = Attributes::of_client(client);
            attributes.change(configuration)?;
            let endpoints = list(client)?;
            Some(create(
                client,
                self.id,
                endpoints,
                attributes,
                parent.as_deref(),
            )?)
        };
        let meeting = match (&parent, &made) {
            (Some(parent), _) => Meeting::of_parent(parent)?,
            (None, Some(made)) => Meeting::of_new(&made.geometry()?)?,
            (None, None) => {
                let argument = "geometry and parent";
                return Err(Refusal::Null { argument });
            }
        };
        if let Some(made) = made {
            // SAFETY: the caller vouches for the address.
            unsafe { *self.geometry = made.handle() };
        }
        // SAFETY: the caller vouches for having the context.
        unsafe { meeting.start(object, event) };
        Ok(())
    }
}

/// The list that C gave.
///
/// # Safety
///
/// `list` is NULL, or has `count` entries.
unsafe fn listed<'a, T>(
    list: *const T,
    count: usize,
    argument: &'static str,
) -> Result<&'a [T], Refusal> {
    if list.is_null() || count == 0 {
        return Err(Refusal::Null { argument });
    }
    // SAFETY: the caller vouches for the entries.
    Ok(unsafe { std::slice::from_raw_parts(list, count) })
}

/// # Safety
///
/// The handles were given out, and the calling thread has the context for itself; `task_slices` has
/// `slice_count` entries and the configuration `num_configs`; `geometry` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_create_taskrange(
    client: *mut c_void,
    context_offset: usize,
    configuration: *mut Configuration,
    num_configs: usize,
    geometry: *mut *mut c_void,
    parent: *mut c_void,
    id: u32,
    task_slices: *mut Range,
    slice_count: usize,
    context: *mut c_void,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let making = Making {
        client,
        configuration,
        num_configs,
        geometry,
        parent,
        id,
        context,
        function,
        cookie,
    };
    let list = |client: &ClientObject| {
        // SAFETY: the caller vouches for the entries.
        let ranges: &[Range] = unsafe { listed(task_slices, slice_count, "task_slices")? };
        if let Some(range) = ranges.iter().find(|range| range.lo > range.hi) {
            let Range { lo, hi } = *range;
            return Err(Refusal::Range { lo, hi });
        }
        let tasks = ranges.iter().flat_map(|range| range.lo..=range.hi);
        endpoints_of(client, context_offset, tasks)
    };
    // SAFETY: as the caller vouches.
    answer(unsafe { making.make(list) })
}

/// # Safety
///
/// The handles were given out, and the calling thread has the context for itself; `tasks` has
/// `task_count` entries and the configuration `num_configs`; `geometry` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_create_tasklist(
    client: *mut c_void,
    context_offset: usize,
    configuration: *mut Configuration,
    num_configs: usize,
    geometry: *mut *mut c_void,
    parent: *mut c_void,
    id: u32,
    tasks: *mut u32,
    task_count: usize,
    context: *mut c_void,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let making = Making {
        client,
        configuration,
        num_configs,
        geometry,
        parent,
        id,
        context,
        function,
        cookie,
    };
    let list = |client: &ClientObject| {
        // SAFETY: the caller vouches for the entries.
        let tasks: &[u32] = unsafe { listed(tasks, task_count, "tasks")? };
        endpoints_of(client, context_offset, tasks.iter().copied())
    };
    // SAFETY: as the caller vouches.
    answer(unsafe { making.make(list) })
}

/// # Safety
///
/// The handles were given out, and the calling thread has the context for itself; `endpoints` has
/// `endpoint_count` entries and the configuration `num_configs`; `geometry` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_create_endpointlist(
    client: *mut c_void,
    configuration: *mut Configuration,
    num_configs: usize,
    geometry: *mut *mut c_void,
    id: u32,
    endpoints: *mut u32,
    endpoint_count: usize,
    context: *mut c_void,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let making = Making {
        client,
        configuration,
        num_configs,
        geometry,
        parent: std::ptr::null_mut(),
        id,
        context,
        function,
        cookie,
    };
    let list = |_: &ClientObject| {
        // SAFETY: the caller vouches for the entries.
        let words: &[u32] = unsafe { listed(endpoints, endpoint_count, "endpoints")? };
        Ok(words.iter().copied().map(endpoint_of).collect())
    };
    // SAFETY: as the caller vouches.
    answer(unsafe { making.make(list) })
}

/// # Safety
///
/// The handles were given out, `geometry` is writable, and the calling thread has the context for
/// itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_destroy(
    client: *mut c_void,
    geometry: *mut *mut c_void,
    context: *mut c_void,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let destroy = || {
        if geometry.is_null() {
            let argument = "geometry";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the handles.
        let (client, found, told) = unsafe {
            (
                client_of(client)?,
                geometry_of(*geometry)?,
                context_of(context)?,
            )
        };
        let living = found.geometry()?;
        if !std::ptr::eq(living.client, client) || !std::ptr::eq(told.client(), client) {
            return Err(Refusal::OtherClient);
        }
        if living.id == WORLD {
            return Err(Refusal::World);
        }
        let operations = living.under_way.load(std::sync::atomic::Ordering::Acquire);
        if operations > 0 {
            return Err(Refusal::OperationsLeft { operations });
        }
        found.end();
        remove(client, living.id);
        // SAFETY: the caller vouches for the address.
        unsafe { *geometry = std::ptr::null_mut() };
        if let Some(event) = Event::new(told, function, cookie) {
            event.tell_later(told, Ok(()));
        }
        Ok(())
    };
    answer(destroy())
}
