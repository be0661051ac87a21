//! The objects behind geometries' handles, those of each client by id.
//!
//! Before: a [`Geometry`] was made. After: handles, ids and algorithms lead to it until it is destroyed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::client::ClientObject;
use crate::edge::handle::{Object, missing};
use crate::edge::mark::Mark;
use crate::geometry::attributes::Attributes;
use crate::geometry::members::Geometry;
use crate::refusal::Refusal;

/// The world's id.
pub const WORLD: u32 = 0;

/// A geometry as C has it, for ever; what it holds goes when it is destroyed.
pub struct GeometryObject {
    mark: Mark,
    /// Its place among all geometries of this process, by which algorithms name it.
    index: usize,
    geometry: RwLock<Option<Arc<Geometry>>>,
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
            mark: Mark::new(Self::LIVING),
            index: all.len(),
            geometry: RwLock::new(Some(Arc::new(geometry))),
        }));
        object.mark.enlist();
        all.push(object);
        object
    }

    /// Its place among all.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The geometry, unless it is destroyed.
    pub fn geometry(&self) -> Result<Arc<Geometry>, Refusal> {
        let geometry = self.geometry.read().unwrap_or_else(PoisonError::into_inner);
        geometry.clone().ok_or_else(missing::<Self>)
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

impl Object for GeometryObject {
    const LIVING: u64 = 0x4D4F_4547_494D_4150;
    const MARK_AT: usize = std::mem::offset_of!(Self, mark);
    const KIND: &'static str = "geometry";

    fn mark(&self) -> &Mark {
        &self.mark
    }
}

/// Living geometries by the address of their client and their id.
static BY_ID: Mutex<BTreeMap<(usize, u32), &'static GeometryObject>> = Mutex::new(BTreeMap::new());

fn table() -> MutexGuard<'static, BTreeMap<(usize, u32), &'static GeometryObject>> {
    BY_ID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Clients are never freed: an address is one client's for ever.
fn key(client: &'static ClientObject, id: u32) -> (usize, u32) {
    (std::ptr::from_ref(client).addr(), id)
}

/// Makes a geometry known by its id.
///
/// # Errors
///
/// [`Refusal::GeometryId`] where its client has one with the id.
pub fn add(geometry: Geometry) -> Result<&'static GeometryObject, Refusal> {
    let mut table = table();
    let id = geometry.id;
    let key = key(geometry.client, id);
    if table.contains_key(&key) {
        return Err(Refusal::GeometryId { id });
    }
    let object = GeometryObject::new(geometry);
    table.insert(key, object);
    Ok(object)
}

/// The client's geometry with an id.
pub fn by_id(client: &'static ClientObject, id: u32) -> Option<&'static GeometryObject> {
    table().get(&key(client, id)).copied()
}

/// An id may be used again.
pub fn remove(client: &'static ClientObject, id: u32) {
    table().remove(&key(client, id));
}

/// Ends all of a client, since it ends.
pub fn end_all(client: &'static ClientObject) {
    let own = key(client, 0)..=key(client, u32::MAX);
    table().retain(|key, object| {
        let ends = own.contains(key);
        if ends {
            object.end();
        }
        !ends
    });
}

/// The geometry of all tasks with their first context each.
///
/// # Errors
///
/// What is wrong with the client.
pub fn world(client: &'static ClientObject) -> Result<&'static GeometryObject, Refusal> {
    if let Some(world) = by_id(client, WORLD) {
        return Ok(world);
    }
    let tasks = 0..client.client().tasks();
    let endpoints: Result<_, _> = tasks
        .map(|task| client.client().endpoint(task, 0))
        .collect();
    let attributes = Attributes::of_client(client);
    let geometry = Geometry::new(client, WORLD, endpoints?, attributes)?;
    match add(geometry) {
        // Another thread was faster.
        Err(Refusal::GeometryId { .. }) => world(client),
        made => made,
    }
}
