//! The extension `EXT_torus_network`: where tasks stand in a torus, as programs of machines with one
//! ask for it.
//!
//! Before: `PAMIR_TORUS`, such as `3x3x3`, says what shape the job has, or it has the most even one of three dimensions, along
//! which the algorithms `torus` go; tasks are on one machine whatever it is. After: coordinates of tasks, and tasks of coordinates, by which a program finds
//! its neighbours in both directions of each dimension ([`pamir_transport::collective::shape::torus`], where collective
//! algorithms stand on the same torus).
//!
//! | symbol        | what it is |
//! |---------------|------------|
//! | `information` | `const pami_extension_torus_information_t *(*)(void)` |
//! | `task2torus`  | `pami_result_t (*)(pami_task_t, size_t coordinates[])` |
//! | `torus2task`  | `pami_result_t (*)(size_t coordinates[], pami_task_t *)` |
//!
//! All dimensions but the last are closed to rings. Invariant: once the extension was opened, the
//! torus does not change.

use std::ffi::c_void;
use std::sync::OnceLock;

use pamir_transport::collective::shape::torus::Torus;

use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::pointer::{List, Out};
use crate::structures::variables::Variable;

/// The extension's name.
pub const NAME: &str = "EXT_torus_network";

/// `pami_extension_torus_information_t`.
#[derive(Debug)]
#[repr(C)]
struct Information {
    /// Dimensions, the tasks of a place among them.
    dims: usize,
    /// Where this task is.
    coord: *const usize,
    /// How many places each dimension has.
    size: *const usize,
    /// Whether each dimension is closed to a ring.
    torus: *const usize,
}

/// What an opened extension knows.
struct Opened {
    torus: Torus,
    coordinates: Vec<usize>,
    rings: Vec<usize>,
    information: OnceLock<Variable<Information>>,
}

static OPENED: OnceLock<Opened> = OnceLock::new();

/// What the extension's handle points to.
static EXTENSION: u64 = 0x5355_524F_5449_4D50;

/// The extension's handle.
pub fn handle() -> *mut c_void {
    (&raw const EXTENSION).cast_mut().cast()
}

/// The most even shape that has a place for each task.
fn most_even(tasks: usize) -> String {
    let torus = Torus::balanced(tasks);
    let sizes: Vec<String> = torus.sizes().iter().map(usize::to_string).collect();
    sizes.join("x")
}

/// Opens the extension for task `task` of `tasks`.
///
/// # Errors
///
/// [`Refusal::Torus`] where the environment gives a shape that the tasks do not fill.
pub fn open(task: usize, tasks: usize) -> Result<*mut c_void, Refusal> {
    let mut value = pamir_settings::TORUS.text();
    if value.is_empty() {
        value = most_even(tasks);
    }
    let Some(torus) = Torus::of(&value, tasks) else {
        return Err(Refusal::Torus { value, tasks });
    };
    OPENED.get_or_init(|| {
        let mut rings = vec![1; torus.sizes().len()];
        if let Some(last) = rings.last_mut() {
            *last = 0;
        }
        Opened {
            coordinates: torus.place(task).unwrap_or_default(),
            torus,
            rings,
            information: OnceLock::new(),
        }
    });
    Ok(handle())
}

/// A function of the extension's.
pub fn symbol(name: &[u8]) -> *mut c_void {
    match name {
        b"information" => information as *mut c_void,
        b"task2torus" => task2torus as *mut c_void,
        b"torus2task" => torus2task as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

fn opened() -> Result<&'static Opened, Refusal> {
    let (argument, kind) = ("EXT_torus_network", "open extension");
    OPENED.get().ok_or(Refusal::Handle { argument, kind })
}

extern "C" fn information() -> *const Information {
    let Ok(opened) = opened() else {
        return std::ptr::null();
    };
    let pointers = opened.information.get_or_init(|| {
        Variable(Information {
            dims: opened.torus.sizes().len(),
            coord: opened.coordinates.as_ptr(),
            size: opened.torus.sizes().as_ptr(),
            torus: opened.rings.as_ptr(),
        })
    });
    &raw const pointers.0
}

extern "C" fn task2torus(task: u32, coordinates: Out<usize>) -> Code {
    let convert = || {
        let place = opened()?.torus.place(task as usize);
        let place = place.ok_or(Refusal::NoPlace)?;
        if coordinates.is_null() {
            let argument = "coordinates";
            return Err(Refusal::Null { argument });
        }
        for (index, coordinate) in place.into_iter().enumerate() {
            coordinates.put_at(index, coordinate);
        }
        Ok(())
    };
    answer(convert())
}

extern "C" fn torus2task(coordinates: List<usize>, task: Out<u32>) -> Code {
    let convert = || {
        let torus = &opened()?.torus;
        let (Some(place), false) = (coordinates.get(torus.sizes().len()), task.is_null()) else {
            let argument = "coordinates or task";
            return Err(Refusal::Null { argument });
        };
        let found = torus.member(place).ok_or(Refusal::NoPlace)?;
        task.put(found as u32);
        Ok(())
    };
    answer(convert())
}
