//! Geometries: endpoints that communicate collectively, in the order of their ranks.
//!
//! Before: a program names tasks or endpoints ([`create`]). After: [`crate::collective`] runs
//! operations between them, by an algorithm that [`algorithms`] has listed.
//!
//! ```text
//! rank           0        1        2        3
//! endpoint     (0, 0)   (0, 1)   (1, 0)   (1, 1)     (task, context offset)
//!              └── here, in task 0 ─┘
//! ```
//!
//! Usually a task has one endpoint in a geometry, and may have more; each counts its operations by
//! itself, and all members start the same ones in the same order. The geometry's id is the context
//! id of its messages, the operation's number their tag.
//!
//! | from      | to        | by |
//! |-----------|-----------|----|
//! |           | living    | `PAMI_Geometry_create_...`; the world's: `PAMI_Geometry_world` |
//! | living    | destroyed | `PAMI_Geometry_destroy`, once its operations have ended |
//!
//! Operations hold the geometry itself, so one that is destroyed ends when the last of them does.

pub mod algorithms;
pub mod attributes;
pub mod create;
pub mod metadata;

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use pamir_transport::collective::geometry::Members;
use pamir_transport::context::endpoint::Endpoint;

use crate::client::ClientObject;
use crate::context::ContextObject;
use crate::endpoint::word_of;
use crate::mark::Mark;
use crate::refusal::Refusal;
use attributes::Attributes;

/// What a living geometry's handle points to.
const LIVING: u64 = 0x4D4F_4547_494D_4150;

/// The world's id.
pub const WORLD: u32 = 0;

/// The tag of the messages by which members meet when they make a geometry.
pub const MEETING: i32 = 1 << 30;

/// A geometry as C has it, for ever; what it holds goes when it is destroyed.
pub struct GeometryObject {
    mark: Mark,
    /// Its place among all geometries of this process, by which algorithms name it.
    index: usize,
    geometry: RwLock<Option<Arc<Geometry>>>,
}

/// A member in this task.
pub struct Here {
    /// Its rank.
    pub rank: usize,
    /// The offset of its context.
    pub offset: usize,
    operations: AtomicU32,
}

impl Here {
    /// The number of its next operation.
    pub fn next_operation(&self) -> i32 {
        // Relaxed: only the thread that has the context counts.
        let number = self.operations.fetch_add(1, Ordering::Relaxed);
        (number % MEETING as u32) as i32
    }
}

/// Who belongs together.
pub struct Geometry {
    /// Whose endpoints they are.
    pub client: &'static ClientObject,
    /// Which of the client's geometries it is, the same at all members.
    pub id: u32,
    /// What can be asked of it.
    pub attributes: Attributes,
    endpoints: Box<[Endpoint]>,
    units: Box<[u32]>,
    here: Box<[Here]>,
    /// Operations that have not ended, of this task's members.
    pub under_way: AtomicUsize,
}

impl Geometry {
    /// A geometry of `endpoints`.
    ///
    /// # Errors
    ///
    /// If one is none of the client's, or is listed twice, or none is this task's.
    pub fn new(
        client: &'static ClientObject,
        id: u32,
        endpoints: Box<[Endpoint]>,
        attributes: Attributes,
    ) -> Result<Self, Refusal> {
        let mut units = Vec::with_capacity(endpoints.len());
        for endpoint in &endpoints {
            let word = word_of(*endpoint);
            let unit = client.client().unit(*endpoint);
            units.push(unit.ok_or(Refusal::Endpoint { endpoint: word })? as u32);
        }
        if let Some(twice) = repeated(&endpoints) {
            let endpoint = word_of(twice);
            return Err(Refusal::MemberTwice { endpoint });
        }
        let own = client.client().task();
        let mine = endpoints.iter().enumerate();
        let here: Box<[_]> = mine
            .filter(|(_, endpoint)| endpoint.task() == own)
            .map(|(rank, endpoint)| Here {
                rank,
                offset: endpoint.context(),
                operations: AtomicU32::new(0),
            })
            .collect();
        if here.is_empty() {
            return Err(Refusal::NotAmongMembers { task: own });
        }
        Ok(Self {
            client,
            id,
            attributes,
            endpoints,
            units: units.into(),
            here,
            under_way: AtomicUsize::new(0),
        })
    }

    /// The member that a context of this task is.
    pub fn member(&self, context: &ContextObject) -> Result<&Here, Refusal> {
        let offset = context.endpoint().context();
        let same_client = std::ptr::eq(self.client, context.client());
        let mut here = self.here.iter();
        let found = here.find(|here| same_client && here.offset == offset);
        found.ok_or(Refusal::NotMember {
            endpoint: word_of(context.endpoint()),
        })
    }

    /// This task's members.
    pub fn here(&self) -> &[Here] {
        &self.here
    }

    /// All members.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The rank of an endpoint.
    pub fn rank_of(&self, endpoint: Endpoint) -> Option<usize> {
        // In most geometries the rank is the task.
        let guess = endpoint.task();
        if self.endpoints.get(guess) == Some(&endpoint) {
            return Some(guess);
        }
        self.endpoints.iter().position(|one| *one == endpoint)
    }

    /// The first member of each task, in the order of ranks.
    pub fn representatives(&self) -> Vec<usize> {
        let mut seen = vec![false; self.client.client().tasks()];
        let ranks = 0..self.endpoints.len();
        ranks
            .filter(|rank| !std::mem::replace(&mut seen[self.endpoints[*rank].task()], true))
            .collect()
    }

    /// The tasks' number of the context of a member.
    pub fn unit(&self, rank: usize) -> usize {
        self.units[rank] as usize
    }
}

impl Members for Geometry {
    fn size(&self) -> usize {
        self.endpoints.len()
    }

    fn task(&self, rank: usize) -> usize {
        self.unit(rank)
    }
}

fn repeated(endpoints: &[Endpoint]) -> Option<Endpoint> {
    let mut sorted = endpoints.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map(|pair| pair[0])
}

/// All geometries of this process, in the order of making.
static ALL: RwLock<Vec<&'static GeometryObject>> = RwLock::new(Vec::new());

/// The geometry with an index that an algorithm names.
pub fn geometry_at(index: usize) -> Option<&'static GeometryObject> {
    let all = ALL.read().unwrap_or_else(PoisonError::into_inner);
    all.get(index).copied()
}

impl GeometryObject {
    /// Makes the object of a geometry.
    pub fn new(geometry: Geometry) -> &'static Self {
        let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
        let object: &'static Self = Box::leak(Box::new(Self {
            mark: Mark::new(LIVING),
            index: all.len(),
            geometry: RwLock::new(Some(Arc::new(geometry))),
        }));
        object.mark.enlist();
        all.push(object);
        object
    }

    /// Its handle.
    pub fn handle(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// Its place among all.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The geometry, unless it is destroyed.
    pub fn geometry(&self) -> Result<Arc<Geometry>, Refusal> {
        let geometry = self.geometry.read().unwrap_or_else(PoisonError::into_inner);
        geometry.clone().ok_or(Refusal::Handle {
            argument: "geometry",
            kind: "geometry",
        })
    }

    /// It is destroyed.
    pub fn end(&self) {
        self.mark.clear();
        *self
            .geometry
            .write()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The geometry behind a handle.
///
/// # Safety
///
/// `handle` is NULL, or was given out for a geometry.
pub unsafe fn geometry_of(handle: *mut c_void) -> Result<&'static GeometryObject, Refusal> {
    // SAFETY: null, or an object that is never freed.
    let object = unsafe { handle.cast::<GeometryObject>().as_ref() };
    // Relaxed: whoever destroys a geometry orders that with its other uses.
    object
        .filter(|object| object.mark.is(LIVING))
        .ok_or(Refusal::Handle {
            argument: "geometry",
            kind: "geometry",
        })
}

/// A client's geometries, by id.
#[derive(Default)]
pub struct Geometries(Mutex<HashMap<u32, &'static GeometryObject>>);

impl Geometries {
    fn table(&self) -> MutexGuard<'_, HashMap<u32, &'static GeometryObject>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a geometry known by its id, unless the id is in use.
    pub fn add(&self, geometry: Geometry) -> Result<&'static GeometryObject, Refusal> {
        let mut table = self.table();
        let id = geometry.id;
        if table.contains_key(&id) {
            return Err(Refusal::GeometryId { id });
        }
        let object = GeometryObject::new(geometry);
        table.insert(id, object);
        Ok(object)
    }

    /// The geometry of an id.
    pub fn get(&self, id: u32) -> Option<&'static GeometryObject> {
        self.table().get(&id).copied()
    }

    /// An id may be used again.
    pub fn remove(&self, id: u32) {
        self.table().remove(&id);
    }

    /// Ends all, since their client ends.
    pub fn end(&self) {
        for (_, object) in self.table().drain() {
            object.end();
        }
    }
}

/// The geometry of all tasks with their first context each.
pub fn world(client: &'static ClientObject) -> Result<&'static GeometryObject, Refusal> {
    if let Some(world) = client.geometries().get(WORLD) {
        return Ok(world);
    }
    let tasks = 0..client.client().tasks();
    let endpoints: Result<_, _> = tasks
        .map(|task| client.client().endpoint(task, 0))
        .collect();
    let attributes = Attributes::of_client(client);
    let geometry = Geometry::new(client, WORLD, endpoints?, attributes)?;
    match client.geometries().add(geometry) {
        // Another thread was faster.
        Err(Refusal::GeometryId { .. }) => world(client),
        made => made,
    }
}
