//! Making geometries, and ending them.
//!
//! Before: a list of tasks, ranges of tasks, or endpoints. After: the geometry, and once its
//! members have met, the program is told.
//!
//! ```text
//! without a parent   the first endpoint of each task in the new geometry meets the others
//! with a parent      all tasks of the parent meet, also those that make no geometry
//! ```
//!
//! The meeting is a barrier, and goes on whenever the context of the endpoint is advanced. Where
//! that is not the context that the program is told in, work that is posted leads from one to the
//! other.

use std::ffi::c_void;
use std::sync::Arc;

use pamir_transport::collective::geometry::Members;
use pamir_transport::collective::{CollectiveError, barrier};
use pamir_transport::context::endpoint::Endpoint;

use crate::client::{ClientObject, client_of};
use crate::collective::channel::MemberChannel;
use crate::collective::operation::Operation;
use crate::configuration::entries;
use crate::context::{ContextObject, context_of};
use crate::endpoint::{endpoint_of, word_of};
use crate::event::Event;
use crate::geometry::attributes::Attributes;
use crate::geometry::{Geometry, GeometryObject, MEETING, WORLD, geometry_of, world};
use crate::refusal::{Code, Refusal, answer, ended_collective};
use crate::structures::{Configuration, EventFunction};

/// `pami_geometry_range_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Range {
    /// The first task.
    pub lo: u32,
    /// The last one.
    pub hi: u32,
}

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
            Some(add(
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

/// Makes a geometry known, after checks.
fn add(
    client: &'static ClientObject,
    id: u32,
    endpoints: Box<[Endpoint]>,
    attributes: Attributes,
    parent: Option<&Geometry>,
) -> Result<&'static GeometryObject, Refusal> {
    if id == WORLD {
        return Err(Refusal::GeometryId { id });
    }
    if let Some(parent) = parent {
        let tasks = |geometry: &Geometry| {
            let mut has = vec![false; client.client().tasks()];
            let endpoints = geometry.endpoints().iter();
            endpoints.for_each(|one| has[one.task()] = true);
            has
        };
        let has = tasks(parent);
        let stranger = endpoints
            .iter()
            .find(|one| !has.get(one.task()).is_some_and(|has| *has));
        if let Some(stranger) = stranger {
            let endpoint = word_of(*stranger);
            return Err(Refusal::NotInParent { endpoint });
        }
    }
    let geometry = Geometry::new(client, id, endpoints, attributes)?;
    client.context_at(geometry.here()[0].offset)?;
    client.geometries().add(geometry)
}

/// One endpoint a task of a geometry.
struct Representatives {
    geometry: Arc<Geometry>,
    ranks: Vec<usize>,
}

impl Members for Representatives {
    fn size(&self) -> usize {
        self.ranks.len()
    }

    fn task(&self, rank: usize) -> usize {
        self.geometry.unit(self.ranks[rank])
    }
}

/// The barrier that makes a geometry.
struct Meeting {
    members: Representatives,
    /// Where this task's endpoint is among them.
    rank: usize,
    /// Its context.
    object: &'static ContextObject,
    tag: i32,
}

impl Meeting {
    fn new(geometry: &Arc<Geometry>, tag: i32) -> Result<Self, Refusal> {
        let members = Representatives {
            geometry: Arc::clone(geometry),
            ranks: geometry.representatives(),
        };
        let here = &geometry.here()[0];
        let mut ranks = members.ranks.iter();
        let rank = ranks.position(|rank| *rank == here.rank);
        Ok(Self {
            rank: rank.expect("the first member of this task represents it"),
            object: geometry.client.context_at(here.offset)?,
            members,
            tag,
        })
    }

    fn of_new(geometry: &Arc<Geometry>) -> Result<Self, Refusal> {
        Self::new(geometry, MEETING)
    }

    fn of_parent(parent: &Arc<Geometry>) -> Result<Self, Refusal> {
        if parent.representatives().len() != parent.endpoints().len() {
            return Err(Refusal::ParentOfMany);
        }
        let mut meeting = Self::new(parent, MEETING)?;
        meeting.tag = parent.here()[0].next_operation();
        Ok(meeting)
    }

    async fn run(&self) -> Result<(), CollectiveError> {
        // SAFETY: it is polled by whoever advances this context.
        let context = unsafe { self.object.context() };
        let id = self.members.geometry.id;
        barrier(&MemberChannel::new(
            context,
            &self.members,
            self.rank,
            id,
            self.tag,
        ))
        .await
    }

    /// Begins, in the endpoint's own context.
    ///
    /// # Safety
    ///
    /// The calling thread has the context `told` for itself.
    unsafe fn start(self, told: &'static ContextObject, event: Option<Event>) {
        let (object, geometry) = (self.object, Arc::clone(&self.members.geometry));
        let same = std::ptr::eq(object, told);
        let done = move |how: Result<(), CollectiveError>| {
            let Some(event) = event else { return };
            if same {
                event.tell(ended_collective(how));
            } else {
                event.tell_later(told, how);
            }
        };
        let begin = move || {
            let future = Box::pin(async move { self.run().await });
            // SAFETY: it is called by whoever has the endpoint's context.
            unsafe { Operation::start(object, geometry, Box::new(done), future) };
        };
        if same {
            begin();
        } else {
            object.post_once(begin);
        }
    }
}

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

/// The contexts that an offset means: one, or all of a task, which has as many as this one.
fn offsets(client: &ClientObject, offset: usize) -> std::ops::Range<usize> {
    if offset == usize::MAX {
        0..client.contexts_made()
    } else {
        offset..offset.saturating_add(1)
    }
}

fn endpoints_of(
    client: &ClientObject,
    offset: usize,
    tasks: impl Iterator<Item = u32>,
) -> Result<Box<[Endpoint]>, Refusal> {
    let each = |task: u32| {
        let contexts = offsets(client, offset);
        contexts.map(move |context| Ok(client.client().endpoint(task as usize, context)?))
    };
    tasks.flat_map(each).collect()
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
        client.geometries().remove(living.id);
        // SAFETY: the caller vouches for the address.
        unsafe { *geometry = std::ptr::null_mut() };
        if let Some(event) = Event::new(told, function, cookie) {
            event.tell_later(told, Ok(()));
        }
        Ok(())
    };
    answer(destroy())
}
