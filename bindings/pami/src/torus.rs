//! The extension `EXT_torus_network`: where tasks stand in a torus, as programs of machines with one
//! ask for it.
//!
//! Before: `PAMIR_TORUS`, such as `3x3x3`, says what shape the job has; tasks are on one machine
//! whatever it says. After: coordinates of tasks, and tasks of coordinates, by which a program finds
//! its neighbours in both directions of each dimension.
//!
//! ```text
//! task = ((x * Y + y) * Z + z) * T + t        T = tasks / (X * Y * Z), the last dimension
//! ```
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

use crate::refusal::{Code, Refusal, answer};

/// The extension's name.
pub const NAME: &str = "EXT_torus_network";

/// The environment variable with the shape.
const SHAPE: &str = "PAMIR_TORUS";

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

/// A torus of tasks.
#[derive(Debug, PartialEq, Eq)]
struct Torus {
    /// Places of each dimension; last, the tasks of a place.
    sizes: Vec<usize>,
}

impl Torus {
    /// The torus of a shape such as `3x3x3`, if `tasks` fill it evenly.
    fn of(shape: &str, tasks: usize) -> Option<Self> {
        let sizes = shape.split('x').map(|size| size.trim().parse().ok());
        let mut sizes = sizes.collect::<Option<Vec<usize>>>()?;
        let places = sizes
            .iter()
            .try_fold(1_usize, |all, size| all.checked_mul(*size))?;
        if places == 0 || !tasks.is_multiple_of(places) {
            return None;
        }
        sizes.push(tasks / places);
        Some(Self { sizes })
    }

    /// Where a task is.
    fn place(&self, task: usize) -> Option<Vec<usize>> {
        let mut left = task;
        let mut place: Vec<usize> = (self.sizes.iter().rev())
            .map(|size| {
                let coordinate = left % size;
                left /= size;
                coordinate
            })
            .collect();
        place.reverse();
        (left == 0).then_some(place)
    }

    /// Who is there.
    fn task(&self, place: &[usize]) -> Option<usize> {
        let inside = place.iter().zip(&self.sizes).all(|(at, size)| at < size);
        let places = place.iter().zip(&self.sizes);
        inside.then(|| places.fold(0, |task, (at, size)| task * size + at))
    }
}

/// What an opened extension knows.
#[derive(Debug)]
struct Opened {
    torus: Torus,
    coordinates: Vec<usize>,
    rings: Vec<usize>,
    information: OnceLock<Pointers>,
}

/// The information, which holds pointers into what never changes.
#[derive(Debug)]
struct Pointers(Information);

// SAFETY: what it points to is never written again, nor freed.
unsafe impl Send for Pointers {}
// SAFETY: as above.
unsafe impl Sync for Pointers {}

static OPENED: OnceLock<Opened> = OnceLock::new();

/// What the extension's handle points to.
static EXTENSION: u64 = 0x5355_524F_5449_4D50;

/// The extension's handle.
pub fn handle() -> *mut c_void {
    (&raw const EXTENSION).cast_mut().cast()
}

/// Opens the extension for task `task` of `tasks`.
///
/// # Errors
///
/// [`Refusal::Torus`] where the environment gives no shape, or one that the tasks do not fill.
pub fn open(task: usize, tasks: usize) -> Result<*mut c_void, Refusal> {
    let value = std::env::var(SHAPE).unwrap_or_default();
    let Some(torus) = Torus::of(&value, tasks) else {
        return Err(Refusal::Torus { value, tasks });
    };
    OPENED.get_or_init(|| {
        let mut rings = vec![1; torus.sizes.len()];
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
        Pointers(Information {
            dims: opened.torus.sizes.len(),
            coord: opened.coordinates.as_ptr(),
            size: opened.torus.sizes.as_ptr(),
            torus: opened.rings.as_ptr(),
        })
    });
    &raw const pointers.0
}

/// # Safety
///
/// `coordinates` has room for one number a dimension.
unsafe extern "C" fn task2torus(task: u32, coordinates: *mut usize) -> Code {
    let convert = || {
        let place = opened()?.torus.place(task as usize);
        let place = place.ok_or(Refusal::NoPlace)?;
        if coordinates.is_null() {
            let argument = "coordinates";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the room.
        unsafe { std::ptr::copy_nonoverlapping(place.as_ptr(), coordinates, place.len()) };
        Ok(())
    };
    answer(convert())
}

/// # Safety
///
/// `coordinates` has one number a dimension, and `task` is writable.
unsafe extern "C" fn torus2task(coordinates: *const usize, task: *mut u32) -> Code {
    let convert = || {
        let torus = &opened()?.torus;
        if coordinates.is_null() || task.is_null() {
            let argument = "coordinates or task";
            return Err(Refusal::Null { argument });
        }
        // SAFETY: the caller vouches for the numbers.
        let place = unsafe { std::slice::from_raw_parts(coordinates, torus.sizes.len()) };
        let found = torus.task(place).ok_or(Refusal::NoPlace)?;
        // SAFETY: the caller vouches for the address.
        unsafe { *task = found as u32 };
        Ok(())
    };
    answer(convert())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The neighbours of a task in both directions of each ring.
    fn neighbours(torus: &Torus, task: usize) -> BTreeSet<usize> {
        let place = torus.place(task).unwrap();
        let rings = 0..torus.sizes.len() - 1;
        rings
            .flat_map(|dimension| [1, torus.sizes[dimension] - 1].map(|step| (dimension, step)))
            .map(|(dimension, step)| {
                let mut there = place.clone();
                there[dimension] = (there[dimension] + step) % torus.sizes[dimension];
                torus.task(&there).unwrap()
            })
            .collect()
    }

    #[test]
    fn twenty_seven_tasks_have_six_neighbours_each() {
        let torus = Torus::of("3x3x3", 27).unwrap();
        assert_eq!(torus.place(26), Some(vec![2, 2, 2, 0]));
        for task in 0..27 {
            let around = neighbours(&torus, task);
            assert!(around.len() == 6 && !around.contains(&task), "{task}");
            for other in around {
                assert!(neighbours(&torus, other).contains(&task));
            }
        }
    }

    #[test]
    fn tasks_and_places_are_each_others_inverse() {
        for (shape, tasks) in [("5", 5), ("2x3", 12), ("2 x 2 x 2", 8), ("3x2x2x2x2", 96)] {
            let torus = Torus::of(shape, tasks).unwrap();
            for task in 0..tasks {
                assert_eq!(torus.task(&torus.place(task).unwrap()), Some(task));
            }
            assert_eq!(torus.place(tasks), None);
            assert_eq!(torus.task(&torus.sizes), None);
        }
        for (shape, tasks) in [("", 4), ("0x2", 4), ("2xtwo", 4), ("3", 4), ("2x", 4)] {
            assert_eq!(Torus::of(shape, tasks), None, "{shape}");
        }
        assert_eq!(Torus::of(&format!("{0}x{0}", usize::MAX), 4), None);
    }
}
