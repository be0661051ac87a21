//! What can be asked of a geometry, and changed.
//!
//! Before: `PAMI_Geometry_query`, `PAMI_Geometry_update`, or a configuration when one is made.
//! After: [`Attributes`], of which `optimize` decides what [`super::algorithms`] lists.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::client::ClientObject;
use crate::configuration::{attribute, entries, query};
use crate::context::context_of;
use crate::event::Event;
use crate::geometry::geometry_of;
use crate::refusal::{Code, Refusal, answer};
use crate::structures::{Configuration, EventFunction, Value};

/// A geometry's attributes.
#[derive(Debug)]
pub struct Attributes {
    /// All algorithms are listed, not only the one that asks the tables.
    optimize: AtomicUsize,
    noncontiguous: AtomicUsize,
    memory_level: AtomicUsize,
}

const OBJECT: &str = "geometry";

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
                // SAFETY: all three are numbers, and every value has the size of one.
                cell.store(unsafe { entry.value.intval }, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Whether all algorithms are listed.
    pub fn lists_all(&self) -> bool {
        self.optimize.load(Ordering::Relaxed) != 0
    }

    fn answer(&self, name: u32) -> Option<Value> {
        let intval = self.cell(name)?.load(Ordering::Relaxed);
        Some(Value { intval })
    }
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
