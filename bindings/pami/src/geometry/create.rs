//! Making geometries.
//!
//! Before: a program lists tasks or endpoints. After: the geometry is known by its id; its members meet
//! ([`crate::collective::meeting`]).

use pamir_transport::context::endpoint::Endpoint;

use crate::client::ClientObject;
use crate::context::endpoint::word_of;
use crate::context::made::{self, context_at};
use crate::geometry::attributes::Attributes;
use crate::geometry::{self, Geometry, GeometryObject, WORLD};
use crate::refusal::Refusal;

/// Makes a geometry known, after checks.
///
/// # Errors
///
/// What is wrong with id or endpoints.
pub fn create(
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
    context_at(client, geometry.here()[0].offset)?;
    geometry::add(geometry)
}

/// The contexts that an offset means: one, or all of a task, which has as many as this one.
fn offsets(client: &ClientObject, offset: usize) -> std::ops::Range<usize> {
    if offset == usize::MAX {
        0..made::count(client)
    } else {
        offset..offset.saturating_add(1)
    }
}

/// The endpoints of tasks.
///
/// # Errors
///
/// A task or context that there is not.
pub fn endpoints_of(
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
