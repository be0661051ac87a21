//! Advisors, loaded tables and fast queries, by their handles.
//!
//! Before: [`super::functions`] has a handle of C's. After: the object that it was given out for, if that is there.
//!
//! A handle is a number that no address is: a program may hand in a wrong one, and nothing is read through it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pamir_transport::collective::geometry::Members;
use pamir_transport::selection::Situation;

use crate::client::ClientObject;
use crate::context::ContextObject;
use crate::context::made::is_job_oversubscribed;
use crate::extension::collsel::table::Table;
use crate::geometry::algorithms::{Algorithm, Listed, lists};
use crate::geometry::{Geometry, GeometryObject};
use crate::refusal::Refusal;
use crate::structures::kind::TransferKind;
use crate::structures::metadata::Metadata;
use crate::structures::variables::Variable;

/// A handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct Key(usize);

/// The handle before the first one.
const BEFORE_FIRST: usize = 0xC5E1_0000_0000_0000;

/// Who measures, and loads tables.
pub(super) struct Advisor {
    pub(super) client: &'static ClientObject,
    pub(super) context: &'static ContextObject,
}

/// A table that a file had, and its kinds' numbers, which C reads in place.
pub(super) struct Loaded {
    pub(super) table: Table,
    pub(super) kinds: Vec<u32>,
}

/// An algorithm that is advised.
pub(super) struct Advice {
    pub(super) algorithm: usize,
    pub(super) metadata: Variable<Metadata>,
    pub(super) must_query: bool,
}

/// What a table says of a geometry: advice by the most bytes that it is for, by kind.
pub(super) struct Query(BTreeMap<TransferKind, Vec<(usize, Vec<Advice>)>>);

/// What is behind a handle.
#[derive(Clone)]
pub(super) enum Object {
    Advisor(Arc<Advisor>),
    Table(Arc<Loaded>),
    Query(Arc<Query>),
}

/// All objects, and the handle that was given out last.
static OBJECTS: Mutex<(usize, BTreeMap<Key, Object>)> = Mutex::new((BEFORE_FIRST, BTreeMap::new()));

fn objects() -> MutexGuard<'static, (usize, BTreeMap<Key, Object>)> {
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn missing(kind: &'static str) -> Refusal {
    let argument = kind;
    Refusal::Handle { argument, kind }
}

impl Key {
    /// That of nothing.
    pub(super) const NULL: Self = Self(0);

    /// A pointer of C's that may be a handle itself.
    pub(super) fn of_address(address: usize) -> Self {
        Self(address)
    }

    /// Gives an object a handle.
    pub(super) fn of(object: Object) -> Self {
        let mut objects = objects();
        objects.0 += 1;
        let key = Self(objects.0);
        objects.1.insert(key, object);
        key
    }

    fn object(self) -> Option<Object> {
        objects().1.get(&self).cloned()
    }

    pub(super) fn advisor(self) -> Result<Arc<Advisor>, Refusal> {
        match self.object() {
            Some(Object::Advisor(advisor)) => Ok(advisor),
            _ => Err(missing("collective advisor")),
        }
    }

    pub(super) fn table(self) -> Result<Arc<Loaded>, Refusal> {
        match self.object() {
            Some(Object::Table(table)) => Ok(table),
            _ => Err(missing("advisor table")),
        }
    }

    pub(super) fn query(self) -> Result<Arc<Query>, Refusal> {
        match self.object() {
            Some(Object::Query(query)) => Ok(query),
            _ => Err(missing("fast query")),
        }
    }

    /// Ends the object behind it, which is known to be there.
    pub(super) fn end(self) {
        let ended = objects().1.remove(&self);
        drop(ended);
    }
}

/// A client's advisor.
pub(super) fn advisor_of(client: &ClientObject) -> Option<Key> {
    let objects = objects();
    let of_client = |object: &Object| matches!(object, Object::Advisor(advisor) if std::ptr::eq(advisor.client, client));
    let found = objects.1.iter().find(|(_, object)| of_client(object));
    found.map(|(key, _)| *key)
}

impl Query {
    /// What a table says of a geometry. The algorithm that asks the library's own tables stands behind those that were
    /// measured: it always works.
    pub(super) fn new(table: &Table, object: &GeometryObject) -> Result<Self, Refusal> {
        let geometry = object.geometry()?;
        let of_kind = |kind: TransferKind| {
            let advice = table.advice(kind, geometry.size()).into_iter();
            let listed = Choices::of(object, &geometry, kind);
            (
                kind,
                advice
                    .map(|(bound, names)| (bound, listed.named(&names)))
                    .collect(),
            )
        };
        Ok(Self(table.kinds().map(of_kind).collect()))
    }

    /// The advice for an operation of a kind with so many bytes, the fastest first; nothing if the table has not the kind.
    pub(super) fn advice(&self, kind: TransferKind, bytes: usize) -> &[Advice] {
        let ranges = self.0.get(&kind).map_or(&[][..], Vec::as_slice);
        let index = ranges.partition_point(|(bound, _)| *bound < bytes);
        ranges.get(index).map_or(&[], |(_, advice)| advice)
    }
}

/// The algorithms of a kind that a geometry may take.
struct Choices<'a> {
    object: &'a GeometryObject,
    kind: TransferKind,
    lists: [Vec<Listed>; 2],
    situation: Situation,
}

impl<'a> Choices<'a> {
    fn of(object: &'a GeometryObject, geometry: &Geometry, kind: TransferKind) -> Self {
        let oversubscribed = is_job_oversubscribed(geometry.client);
        Self {
            object,
            kind,
            lists: lists(geometry, kind),
            situation: Situation::new(geometry.size(), true).oversubscribed(oversubscribed),
        }
    }

    fn named(&self, names: &[&str]) -> Vec<Advice> {
        let names = names.iter().map(|name| Some(*name));
        names
            .chain([None])
            .filter_map(|name| self.one(name))
            .collect()
    }

    fn one(&self, name: Option<&str>) -> Option<Advice> {
        let mut both = self.lists.iter().zip([false, true]);
        both.find_map(|(list, must_query)| {
            let listed = list.iter().find(|listed| listed.name == name)?;
            Some(Advice {
                algorithm: Algorithm::listed(self.object, self.kind, listed).word(),
                metadata: Variable(Metadata::new(
                    self.kind,
                    listed.name,
                    must_query,
                    self.situation,
                )),
                must_query,
            })
        })
    }
}
