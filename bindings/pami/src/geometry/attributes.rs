//! What can be asked of a geometry, and changed.
//!
//! Before: `PAMI_Geometry_query`, `PAMI_Geometry_update`, or a configuration when one is made.
//! After: [`Attributes`].
//!
//! | attribute | what it decides |
//! |---|---|
//! | `PAMI_GEOMETRY_OPTIMIZE` | 0: the algorithm that asks the tables stands alone in the lists ([`super::algorithms`]) |
//! | `PAMI_GEOMETRY_NONCONTIG` | 0: operations refuse types that leave gaps, so none takes memory to pack them |
//! | `PAMI_GEOMETRY_MEMORY_OPTIMIZE` | nothing: between its operations a geometry has no memory that could be spared |
//!
//! A client's attributes are those of its world, and of geometries that say nothing else.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::client::ClientObject;
use crate::refusal::Refusal;
use crate::structures::configuration::attribute;
use crate::structures::{Configuration, Value};

/// A geometry's attributes.
#[derive(Debug)]
pub struct Attributes {
    optimize: AtomicUsize,
    noncontiguous: AtomicUsize,
    /// As it was set, for who asks.
    memory_level: AtomicUsize,
}

/// What refusals call it.
pub const OBJECT: &str = "geometry";

impl Attributes {
    /// Those of a client's world.
    pub fn of_client(client: &ClientObject) -> Self {
        Self {
            optimize: AtomicUsize::new(1),
            noncontiguous: AtomicUsize::new(client.noncontiguous()),
            memory_level: AtomicUsize::new(client.memory_level()),
        }
    }

    fn cell(&self, name: u32) -> Option<&AtomicUsize> {
        match name {
            attribute::GEOMETRY_OPTIMIZE => Some(&self.optimize),
            attribute::GEOMETRY_NONCONTIG => Some(&self.noncontiguous),
            attribute::GEOMETRY_MEMORY_OPTIMIZE => Some(&self.memory_level),
            _ => None,
        }
    }

    /// Takes over what a configuration says, or nothing of it.
    pub fn change(&self, configuration: &[Configuration]) -> Result<(), Refusal> {
        if let Some(unknown) = configuration
            .iter()
            .find(|entry| self.cell(entry.name).is_none())
        {
            let (attribute, object) = (unknown.name, OBJECT);
            return Err(Refusal::Attribute { attribute, object });
        }
        for entry in configuration {
            if let Some(cell) = self.cell(entry.name) {
                cell.store(entry.value.as_number(), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Whether all algorithms are listed.
    pub fn lists_all(&self) -> bool {
        self.optimize.load(Ordering::Relaxed) != 0
    }

    /// Whether operations take types that leave gaps.
    pub fn takes_gaps(&self) -> bool {
        self.noncontiguous.load(Ordering::Relaxed) != 0
    }

    /// What it answers to a question for an attribute that it has.
    pub fn answer(&self, name: u32) -> Option<Value> {
        let number = self.cell(name)?.load(Ordering::Relaxed);
        Some(Value::number(number))
    }
}
