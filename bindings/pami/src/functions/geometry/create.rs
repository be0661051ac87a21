//! Making geometries, and ending them.
//!
//! Before: a list of tasks, ranges of tasks, or endpoints. After: the geometry, and once its
//! members have met, the program is told.

use std::ffi::c_void;

use pamir_transport::context::endpoint::Endpoint;

use crate::client::ClientObject;
use crate::collective::meeting::Meeting;
use crate::context::HeldHandle;
use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::edge::attributes::entries;
use crate::edge::handle::{Handle, Object};
use crate::geometry::attributes::Attributes;
use crate::geometry::create::{create, endpoints_of};
use crate::geometry::{GeometryObject, WORLD, remove};
use crate::refusal::{Refusal, answer};
use crate::structures::collective::Range;
use crate::structures::pointer::{InOut, List, Out};
use crate::structures::{Code, Configuration, EventFunction};

/// What all ways to make a geometry have in common.
struct Making {
    client: Handle<ClientObject>,
    configuration: InOut<Configuration>,
    num_configs: usize,
    geometry: Out<Handle<GeometryObject>>,
    parent: Handle<GeometryObject>,
    id: u32,
    context: HeldHandle,
    function: EventFunction,
    cookie: *mut c_void,
}

impl Making {
    fn make(
        mut self,
        list: impl FnOnce(&ClientObject) -> Result<Box<[Endpoint]>, Refusal>,
    ) -> Result<(), Refusal> {
        let (client, object) = (self.client.get()?, self.context.get()?);
        if !std::ptr::eq(object.client(), client) {
            return Err(Refusal::OtherClient);
        }
        let parent = if self.parent.is_null() {
            None
        } else {
            Some(self.parent.get()?.geometry()?)
        };
        let event = Event::new(&object, self.function, self.cookie);
        let made = if self.geometry.is_null() {
            None
        } else {
            let configuration = entries(&mut self.configuration, self.num_configs)?;
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
            self.geometry.put(made.handle());
        }
        meeting.start(object, event);
        Ok(())
    }
}

/// The list that C gave, which has entries.
fn listed<'a, T>(
    list: &'a List<T>,
    count: usize,
    argument: &'static str,
) -> Result<&'a [T], Refusal> {
    let list = list.get(count).filter(|list| !list.is_empty());
    list.ok_or(Refusal::Null { argument })
}

/// Makes a geometry of ranges of tasks.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_create_taskrange(
    client: Handle<ClientObject>,
    context_offset: usize,
    configuration: InOut<Configuration>,
    num_configs: usize,
    geometry: Out<Handle<GeometryObject>>,
    parent: Handle<GeometryObject>,
    id: u32,
    task_slices: List<Range>,
    slice_count: usize,
    context: HeldHandle,
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
        let ranges: &[Range] = listed(&task_slices, slice_count, "task_slices")?;
        if let Some(range) = ranges.iter().find(|range| range.lo > range.hi) {
            let Range { lo, hi } = *range;
            return Err(Refusal::Range { lo, hi });
        }
        let tasks = ranges.iter().flat_map(|range| range.lo..=range.hi);
        endpoints_of(client, context_offset, tasks)
    };
    answer(making.make(list))
}

/// Makes a geometry of tasks.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_create_tasklist(
    client: Handle<ClientObject>,
    context_offset: usize,
    configuration: InOut<Configuration>,
    num_configs: usize,
    geometry: Out<Handle<GeometryObject>>,
    parent: Handle<GeometryObject>,
    id: u32,
    tasks: List<u32>,
    task_count: usize,
    context: HeldHandle,
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
        let tasks: &[u32] = listed(&tasks, task_count, "tasks")?;
        endpoints_of(client, context_offset, tasks.iter().copied())
    };
    answer(making.make(list))
}

/// Makes a geometry of endpoints.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_create_endpointlist(
    client: Handle<ClientObject>,
    configuration: InOut<Configuration>,
    num_configs: usize,
    geometry: Out<Handle<GeometryObject>>,
    id: u32,
    endpoints: List<u32>,
    endpoint_count: usize,
    context: HeldHandle,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let making = Making {
        client,
        configuration,
        num_configs,
        geometry,
        parent: Handle::NULL,
        id,
        context,
        function,
        cookie,
    };
    let list = |_: &ClientObject| {
        let words: &[u32] = listed(&endpoints, endpoint_count, "endpoints")?;
        Ok(words.iter().copied().map(endpoint_of).collect())
    };
    answer(making.make(list))
}

/// Destroys a geometry.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_destroy(
    client: Handle<ClientObject>,
    mut geometry: InOut<Handle<GeometryObject>>,
    context: HeldHandle,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let mut destroy = || {
        let argument = "geometry";
        let handle = geometry.get().ok_or(Refusal::Null { argument })?;
        let (client, found, told) = (client.get()?, handle.get_unvouched()?, context.get()?);
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
        *handle = Handle::NULL;
        if let Some(event) = Event::new(&told, function, cookie) {
            event.tell_later(told.object(), Ok(()));
        }
        Ok(())
    };
    answer(destroy())
}
