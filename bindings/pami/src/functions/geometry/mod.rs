//! The C functions on geometries: what can be asked of them, and the algorithms of each.
//!
//! Before: a program's calls. After: [`crate::geometry`] has answered; `create.rs` has those that make and end them.

mod create;

use std::ffi::c_void;

use pamir_transport::collective::geometry::Members;
use pamir_transport::selection::Situation;

use crate::client::ClientObject;
use crate::context::HeldHandle;
use crate::context::event::Event;
use crate::context::made::is_job_oversubscribed;
use crate::edge::attributes::{entries, query};
use crate::edge::handle::{Handle, Object};
use crate::geometry::algorithms::{Algorithm, Listed, kind_of, lists};
use crate::geometry::attributes::OBJECT;
use crate::geometry::{GeometryObject, world};
use crate::refusal::{Refusal, answer};
use crate::structures::metadata::Metadata;
use crate::structures::pointer::{InOut, Out};
use crate::structures::{Code, Configuration, EventFunction};

/// The geometry of all tasks of a client.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_world(
    client: Handle<ClientObject>,
    world_geometry: Out<Handle<GeometryObject>>,
) -> Code {
    let find = || {
        let client = client.get()?;
        if world_geometry.is_null() {
            let argument = "world_geometry";
            return Err(Refusal::Null { argument });
        }
        world_geometry.put(world(client)?.handle());
        Ok(())
    };
    answer(find())
}

/// Asks a geometry for attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_query(
    geometry: Handle<GeometryObject>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
) -> Code {
    let mut ask = || {
        let geometry = geometry.get()?.geometry()?;
        let known = |name| geometry.attributes.answer(name);
        query(OBJECT, &mut configuration, num_configs, known)
    };
    answer(ask())
}

/// Changes a geometry's attributes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_update(
    geometry: Handle<GeometryObject>,
    mut configuration: InOut<Configuration>,
    num_configs: usize,
    context: HeldHandle,
    function: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let mut change = || {
        let (geometry, object) = (geometry.get()?, context.get()?);
        let configuration = entries(&mut configuration, num_configs)?;
        geometry.geometry()?.attributes.change(configuration)?;
        if let Some(event) = Event::new(&object, function, cookie) {
            event.tell_later(object.object(), Ok(()));
        }
        Ok(())
    };
    answer(change())
}

/// How many algorithms the two lists of a kind have.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_algorithms_num(
    geometry: Handle<GeometryObject>,
    coll_type: u32,
    lists_lengths: Out<usize>,
) -> Code {
    let count = || {
        let geometry = geometry.get()?.geometry()?;
        let kind = kind_of(coll_type)?;
        if lists_lengths.is_null() {
            let argument = "lists_lengths";
            return Err(Refusal::Null { argument });
        }
        for (index, list) in lists(&geometry, kind).iter().enumerate() {
            lists_lengths.put_at(index, list.len());
        }
        Ok(())
    };
    answer(count())
}

/// Where a list goes that C asks for.
struct Room {
    algorithms: Out<usize>,
    metadata: Out<Metadata>,
    count: usize,
}

impl Room {
    fn fill(
        self,
        list: &[Listed],
        describe: impl Fn(&Listed) -> (Algorithm, Metadata),
    ) -> Result<(), Refusal> {
        if self.count > list.len() {
            let (asked, listed) = (self.count, list.len());
            return Err(Refusal::TooManyAlgorithms { asked, listed });
        }
        if self.count > 0 && self.algorithms.is_null() {
            let argument = "algs";
            return Err(Refusal::Null { argument });
        }
        for (index, listed) in list[..self.count].iter().enumerate() {
            let (algorithm, metadata) = describe(listed);
            self.algorithms.put_at(index, algorithm.word());
            self.metadata.put_at(index, metadata);
        }
        Ok(())
    }
}

/// The two lists of algorithms of a kind, with what is said of each.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Geometry_algorithms_query(
    geometry: Handle<GeometryObject>,
    colltype: u32,
    algs0: Out<usize>,
    mdata0: Out<Metadata>,
    num0: usize,
    algs1: Out<usize>,
    mdata1: Out<Metadata>,
    num1: usize,
) -> Code {
    let list = || {
        let object = geometry.get()?;
        let (geometry, kind) = (object.geometry()?, kind_of(colltype)?);
        let [always, conditional] = lists(&geometry, kind);
        let oversubscribed = is_job_oversubscribed(geometry.client);
        let describe = |asked: bool| {
            let situation = Situation::new(geometry.size(), true).oversubscribed(oversubscribed);
            move |listed: &Listed| {
                let algorithm = Algorithm::listed(object, kind, listed);
                (
                    algorithm,
                    Metadata::new(kind, listed.name, asked, situation),
                )
            }
        };
        let room = |algorithms, metadata, count| Room {
            algorithms,
            metadata,
            count,
        };
        room(algs0, mdata0, num0).fill(&always, describe(false))?;
        room(algs1, mdata1, num1).fill(&conditional, describe(true))
    };
    answer(list())
}
